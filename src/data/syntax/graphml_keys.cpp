#include "data/syntax/graphml_keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace agentnet {

std::string_view graphml_name(GraphmlOwner owner) {
  return owner == GraphmlOwner::kNode ? "node" : owner == GraphmlOwner::kEdge ? "edge" : "graph";
}

bool GraphmlKey::is_column_of(GraphmlOwner owner) const {
  if (foreign) return false;
  return used[static_cast<std::size_t>(owner)] || (fallback && owners == graphml_name(owner));
}

GraphmlKeys::GraphmlKeys(std::string_view text, const std::string& place) {
  XmlReader xml(text, place);
  std::vector<std::string_view> open;
  for (;;) {
    const XmlReader::Event event = xml.next();
    if (event == XmlReader::Event::kDone) break;
    if (event == XmlReader::Event::kEnd) open.pop_back();
    if (event != XmlReader::Event::kStart) continue;
    const std::string_view parent = open.empty() ? std::string_view() : open.back();
    if (xml.name() == "key" && parent == "graphml") {
      read_key(xml);
    } else if (xml.name() == "data") {
      note_use(xml, parent);
      xml.skip_element();
    } else {
      open.push_back(xml.name());
    }
  }
  for (std::size_t owner = 0; owner < uses_.size(); ++owner) {
    for (const std::string& id : uses_[owner]) {
      if (const auto key = find(id)) keys_[*key].used[owner] = true;
    }
  }
}

void GraphmlKeys::read_key(XmlReader& xml) {
  GraphmlKey key;
  key.at = xml.at();
  const auto* id = xml.attribute("id");
  if (id == nullptr) xml.fail(key.at, "the key has no id");
  if (!numbers_.add(id->value)) xml.fail(id->at, fmt::format("the key {} is there twice", in_quotes(id->value)));
  key.id = id->value;
  const auto* name = xml.attribute("attr.name");
  key.name = name != nullptr ? name->value : key.id;
  const auto* owners = xml.attribute("for");
  key.owners = owners != nullptr ? owners->value : "all";
  key.foreign = std::any_of(xml.attributes().begin(), xml.attributes().end(),
                            [](const XmlReader::Attribute& a) { return a.name.starts_with("yfiles."); });
  if (const auto* type = xml.attribute("attr.type")) {
    using Type = GraphmlKey::Type;
    constexpr std::array<std::pair<std::string_view, Type>, 6> kTypes = {{{"boolean", Type::kBoolean},
                                                                          {"int", Type::kWhole},
                                                                          {"long", Type::kWhole},
                                                                          {"float", Type::kNumber},
                                                                          {"double", Type::kNumber},
                                                                          {"string", Type::kText}}};
    const auto* found =
        std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& t) { return t.first == type->value; });
    if (found == kTypes.end()) {
      xml.fail(type->at, fmt::format("there is no attribute type {}", in_quotes(type->value)),
               "types are boolean, int, long, float, double and string");
    }
    key.type = found->second;
  }
  while (xml.next_child()) {
    if (xml.name() == "default" && !key.foreign) {
      key.fallback = xml.element_text();
    } else {
      xml.skip_element();
    }
  }
  keys_.push_back(std::move(key));
}

void GraphmlKeys::note_use(const XmlReader& xml, std::string_view parent) {
  const auto* id = xml.attribute("key");
  if (id == nullptr) return;  // the second reading says so
  for (const GraphmlOwner owner : kGraphmlOwners) {
    if (parent == graphml_name(owner)) uses_[static_cast<std::size_t>(owner)].insert(id->value);
  }
}

}  // namespace agentnet
