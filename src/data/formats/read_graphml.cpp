// GraphML: every <graph> of the file is a graph, every key that its nodes or edges use is a feature, and a key of the
// graphs called y, label, class or target is the target (--target names others).
//
// A key's type says how its values are read: float and double are numbers; int and long are what the user says, or
// whatever they look like; string and boolean are categories. Every node, and every edge, must have a value or a
// default. Drawings that yEd adds are left out; hyperedges, ports and graphs inside nodes are refused.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/text.h"
#include "data/formats/readers.h"
#include "data/io/name_index.h"
#include "data/syntax/graphml_keys.h"
#include "data/syntax/xml.h"
#include "data/tables/builder.h"
#include "data/tables/filled_values.h"

namespace agentnet {
namespace {

using Type = GraphmlKey::Type;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// The id of a target of a file that we wrote: y0, y1, ...
bool is_our_target(std::string_view id) {
  return id.size() > 1 && id[0] == 'y' && id.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

struct Value {
  std::string text;
  const char* at = nullptr;  // null: there is none
};

class GraphmlReader {
 public:
  GraphmlReader(const Input& input, const DataOptions& options)
      : input_(input), source_(input.name()), options_(options), set_(options) {
    if (input.members().empty()) static_cast<void>(input.only_member());  // throws
  }

  // A file, or a folder of them: the columns are those of all files together, by their names, so that all are looked
  // through before the first is read.
  Dataset read() {
    for_each_file([this](const std::string&) {
      for (const GraphmlOwner owner : kGraphmlOwners) add_columns(owner);
    });
    choose_graph_columns();
    for_each_file([this](const std::string& member) {
      file_id_ = input_.members().size() > 1 ? file_id(member) : "";
      graphs_of_file_ = 0;
      for (const GraphmlOwner owner : kGraphmlOwners) match_columns(owner);
      read_file();
    });
    Dataset data = std::move(set_).finish(source_, "graphml");
    data.columns = std::move(kept_);
    note_unused(data);
    return data;
  }

 private:
  // Calls f(member) with text_, keys_ and xml_ set for each file.
  template <class F>
  void for_each_file(const F& f) {
    input_.for_each([&](const std::string& member, ByteStream& stream) {
      const std::string place = input_.place(member);
      text_ = read_all(stream, place);
      keys_.emplace(text_, place);
      xml_.emplace(text_, place);
      f(member);
    });
  }

  // The name of the file without folders and its ending.
  static std::string file_id(const std::string& member) {
    const std::string_view name = std::string_view(member).substr(member.rfind('/') + 1);
    return std::string(name.substr(0, name.rfind('.')));
  }

  void read_file() {
    static_cast<void>(xml_->next());
    if (xml_->name() != "graphml") {
      xml_->fail(xml_->at(), fmt::format("the outermost element is {}, not graphml", in_quotes(xml_->name())),
                 "check the format, or name another with --format");
    }
    while (xml_->next_child()) {
      if (xml_->name() == "graph") {
        read_graph();
      } else if (xml_->name() == "key" || xml_->name() == "data" || xml_->name() == "desc") {
        xml_->skip_element();
      } else {
        fail_unexpected("graphml");
      }
    }
    while (xml_->next() != XmlReader::Event::kDone) {
    }
  }

  // Keys of graphs that are neither targets nor kept.
  void note_unused(Dataset& data) const {
    const std::vector<std::string>& names = columns_[static_cast<std::size_t>(GraphmlOwner::kGraph)].names;
    std::vector<std::string> unused;
    for (std::size_t c = 0; c < names.size(); ++c) {
      const auto taken = [&](const std::vector<std::size_t>& columns) {
        return std::find(columns.begin(), columns.end(), c) != columns.end();
      };
      if (!taken(targets_) && !taken(kept_columns_)) unused.push_back(names[c]);
    }
    if (unused.empty()) return;
    data.notes.push_back(fmt::format("not used: {}; --target or --keep takes it", list_some(unused)));
  }

  // Of two keys of one name in a file, each has a column of its own: the n-th of them is that of the n-th elsewhere.
  class Repeated {
   public:
    std::string place_name(const std::string& name) {
      const std::size_t before = seen_[name]++;
      return before == 0 ? name : name + '\0' + std::to_string(before);
    }

   private:
    std::unordered_map<std::string, std::size_t> seen_;
  };

  // The columns of nodes, edges or graphs by their names; and, of the file that is read, the key of each column and the
  // column of each key.
  struct Columns {
    std::vector<std::string> names;
    NameIndex places;
    std::vector<bool> ours;  // [columns] its key is one of a target that we wrote
    std::vector<std::optional<std::size_t>> key, of_key;
  };
  struct Edge {
    std::string source, target;
    const char *source_at, *target_at;
    bool directed;
  };

  [[nodiscard]] Columns& columns(GraphmlOwner owner) { return columns_[static_cast<std::size_t>(owner)]; }
  // Null: the file that is read has no such key.
  [[nodiscard]] const GraphmlKey* key_of(GraphmlOwner owner, std::size_t column) {
    const auto k = columns(owner).key[column];
    return k ? &keys_->all()[*k] : nullptr;
  }
  [[nodiscard]] const std::string* fallback_of(GraphmlOwner owner, std::size_t column) {
    const GraphmlKey* const key = key_of(owner, column);
    return key != nullptr && key->fallback ? &*key->fallback : nullptr;
  }

  void match_columns(GraphmlOwner owner) {
    Columns& mine = columns(owner);
    mine.key.assign(mine.names.size(), std::nullopt);
    mine.of_key.assign(keys_->all().size(), std::nullopt);
    Repeated seen;
    for (std::size_t k = 0; k < keys_->all().size(); ++k) {
      if (!keys_->all()[k].is_column_of(owner)) continue;
      const std::size_t c = *mine.places.find(seen.place_name(keys_->all()[k].name));
      mine.key[c] = k;
      mine.of_key[k] = c;
    }
  }

  void add_columns(GraphmlOwner owner) {
    Columns& mine = columns(owner);
    Repeated seen;
    for (std::size_t k = 0; k < keys_->all().size(); ++k) {
      const GraphmlKey& key = keys_->all()[k];
      if (!key.is_column_of(owner)) continue;
      const std::string place_name = seen.place_name(key.name);
      if (mine.places.contains(place_name)) continue;  // from an earlier file
      mine.names.push_back(key.name);
      mine.places.add(place_name);
      mine.ours.push_back(is_our_target(key.id));
      if (owner == GraphmlOwner::kGraph) continue;
      const bool node = owner == GraphmlOwner::kNode;
      const FeatureKind wanted = node ? options_.node_features : options_.edge_features;
      const FeatureKind natural = key.type == Type::kNumber  ? FeatureKind::kDense
                                  : key.type == Type::kWhole ? FeatureKind::kAuto
                                                             : FeatureKind::kCategories;
      const bool numeric = natural != FeatureKind::kCategories;
      (node ? set_.nodes : set_.edges).add({key.name}, numeric && wanted != FeatureKind::kAuto ? wanted : natural);
    }
  }

  void choose_graph_columns() {
    const std::vector<std::string>& names = columns(GraphmlOwner::kGraph).names;
    if (!options_.targets.empty()) {
      targets_ = choose_targets(names, options_.targets, source_);
    } else {
      for (std::size_t c = 0; c < names.size(); ++c) {
        if (columns(GraphmlOwner::kGraph).ours[c]) targets_.push_back(c);
      }
      for (const char* usual : {"y", "label", "class", "target"}) {
        const auto found = std::find(names.begin(), names.end(), usual);
        if (targets_.empty() && found != names.end()) {
          targets_.push_back(static_cast<std::size_t>(found - names.begin()));
        }
      }
    }
    std::vector<std::string> target_names;
    for (const std::size_t c : targets_) target_names.push_back(names[c]);
    set_.targets.set_names(target_names);
    for (const std::size_t c : choose_targets(names, options_.keep, source_)) kept_columns_.push_back(c);
  }

  [[noreturn]] void fail_unexpected(const char* parent) {
    xml_->fail(xml_->at(),
               fmt::format("the element {} is not expected in {}", in_quotes(xml_->name()), in_quotes(parent)),
               "leave it out");
  }

  [[nodiscard]] const XmlReader::Attribute& required(const char* name) {
    const auto* attribute = xml_->attribute(name);
    if (attribute == nullptr) {
      xml_->fail(xml_->at(), fmt::format("the {} has no {}", xml_->name(), name), "every one needs it");
    }
    return *attribute;
  }

  [[nodiscard]] bool directed(const XmlReader::Attribute& attribute, std::string_view yes, std::string_view no) {
    if (attribute.value != yes && attribute.value != no) {
      xml_->fail(attribute.at, fmt::format("{} is {}", attribute.name, in_quotes(attribute.value)),
                 fmt::format("write {} or {}", yes, no));
    }
    return attribute.value == yes;
  }

  void read_graph() {
    const char* graph_at = xml_->at();
    std::string id = xml_->attribute("id") != nullptr ? xml_->attribute("id")->value : "";
    // Graphs in files of their own are called by these; networkx gives all graphs the same id, or none.
    if (!file_id_.empty()) {
      id = graphs_of_file_ == 0 ? file_id_ : fmt::format("{}#{}", file_id_, graphs_of_file_);
      ++graphs_of_file_;
    }
    directed_ = directed(required("edgedefault"), "directed", "undirected");
    parts_ = {};
    nodes_.clear();
    edges_.clear();
    fill_in(columns(GraphmlOwner::kGraph).names.size(), graph_at);
    std::vector<Value> values(columns(GraphmlOwner::kGraph).names.size());
    while (xml_->next_child()) {
      if (xml_->name() == "node") {
        read_node();
      } else if (xml_->name() == "edge") {
        read_edge();
      } else if (xml_->name() == "data") {
        read_data(GraphmlOwner::kGraph, values);
      } else if (xml_->name() == "hyperedge") {
        xml_->fail(xml_->at(), "hyperedges cannot be read", "an edge joins two nodes");
      } else if (xml_->name() == "desc") {
        xml_->skip_element();
      } else {
        fail_unexpected("graph");
      }
    }
    finish_edges();
    set_.add(std::move(parts_), id, [&] { return xml_->where(graph_at); });
    const auto text = [&](std::size_t c) -> std::string_view {
      if (values[c].at != nullptr) return values[c].text;
      const std::string* const fallback = fallback_of(GraphmlOwner::kGraph, c);
      return fallback != nullptr ? std::string_view(*fallback) : std::string_view();
    };
    for (std::size_t t = 0; t < targets_.size(); ++t) set_.targets.add(t, trimmed(text(targets_[t])));
    for (const std::size_t c : kept_columns_) kept_[columns(GraphmlOwner::kGraph).names[c]].emplace_back(text(c));
  }

  void read_node() {
    const char* node_at = xml_->at();
    const XmlReader::Attribute& id = required("id");
    if (!nodes_.try_emplace(id.value, static_cast<std::uint32_t>(parts_.num_nodes)).second) {
      xml_->fail(id.at, fmt::format("the node {} is there twice", in_quotes(id.value)), "give every node its own id");
    }
    ++parts_.num_nodes;
    const std::string name = id.value;
    node_values_.assign(columns(GraphmlOwner::kNode).names.size(), {});
    while (xml_->next_child()) {
      if (xml_->name() == "data") {
        read_data(GraphmlOwner::kNode, node_values_);
      } else if (xml_->name() == "graph") {
        xml_->fail(xml_->at(), "graphs inside nodes cannot be read", "give every graph its own place in the file");
      } else if (xml_->name() == "port") {
        xml_->fail(xml_->at(), "ports cannot be read", "join the nodes themselves");
      } else if (xml_->name() == "desc") {
        xml_->skip_element();
      } else {
        fail_unexpected("node");
      }
    }
    add_row(
        GraphmlOwner::kNode, node_values_, parts_.node_dense,
        [&] { return fmt::format("the node {}", in_quotes(name)); }, node_at);
  }

  void read_edge() {
    const char* edge_at = xml_->at();
    const XmlReader::Attribute &source = required("source"), &target = required("target");
    const auto* own = xml_->attribute("directed");
    for (const char* port : {"sourceport", "targetport"}) {
      if (const auto* found = xml_->attribute(port))
        xml_->fail(found->at, "ports cannot be read", "join the nodes themselves");
    }
    const bool one_way = own != nullptr ? directed(*own, "true", "false") : directed_;
    edges_.push_back({source.value, target.value, source.at, target.at, one_way});
    edge_values_.assign(columns(GraphmlOwner::kEdge).names.size(), {});
    while (xml_->next_child()) {
      if (xml_->name() == "data") {
        read_data(GraphmlOwner::kEdge, edge_values_);
      } else if (xml_->name() == "graph") {
        xml_->fail(xml_->at(), "graphs inside edges cannot be read", "give every graph its own place in the file");
      } else if (xml_->name() == "desc") {
        xml_->skip_element();
      } else {
        fail_unexpected("edge");
      }
    }
    add_row(
        GraphmlOwner::kEdge, edge_values_, parts_.edge_dense, [] { return std::string("the edge"); }, edge_at);
  }

  void read_data(GraphmlOwner owner, std::vector<Value>& values) {
    const char* at = xml_->at();
    const XmlReader::Attribute& id = required("key");
    const auto k = keys_->find(id.value);
    if (!k) xml_->fail(id.at, fmt::format("there is no key {}", in_quotes(id.value)), "declare it with <key>");
    const GraphmlKey& key = keys_->all()[*k];
    if (key.foreign) {
      xml_->skip_element();
      return;
    }
    if (key.owners != "all" && key.owners != graphml_name(owner)) {
      xml_->fail(id.at,
                 fmt::format("the key {} is for {}, not for {}", in_quotes(id.value), in_quotes(key.owners),
                             in_quotes(graphml_name(owner))),
                 "correct the key");
    }
    Value& value = values[columns(owner).of_key[*k].value()];
    if (value.at != nullptr) {
      xml_->fail(at, fmt::format("the {} has two values of {}", graphml_name(owner), in_quotes(key.name)),
                 "leave one of them out");
    }
    value = {xml_->element_text(), at};
    filled_.listed(1);
  }

  // The element at `at` gets this many values that are not written in it.
  void fill_in(std::size_t values, const char* at) {
    filled_.listed(1);
    if (!filled_.allow(values)) {
      xml_->fail(at, fmt::format("the {} keys of an element stand for far more values than the file holds", values),
                 "leave out keys that are not used, and write values out instead of defaults");
    }
  }

  template <class Who>
  void add_row(GraphmlOwner owner, const std::vector<Value>& values, std::vector<float>& rows, const Who& who,
               const char* at) {
    const auto missing =
        std::count_if(values.begin(), values.end(), [](const Value& value) { return value.at == nullptr; });
    fill_in(static_cast<std::size_t>(missing), at);
    for (std::size_t c = 0; c < values.size(); ++c) {
      const GraphmlKey* const key = key_of(owner, c);
      const std::string* const fallback = fallback_of(owner, c);
      const bool own = values[c].at != nullptr;
      if (own || fallback != nullptr) {
        rows.push_back(number(owner, c, *key, own ? values[c].text : *fallback, own ? values[c].at : key->at));
        continue;
      }
      FeatureColumns& features = owner == GraphmlOwner::kNode ? set_.nodes : set_.edges;
      rows.push_back(features.value(c, "", [&](std::string_view, std::string_view) {
        xml_->fail(at,
                   fmt::format("{} has no {}, and the key has no default", who(), in_quotes(columns(owner).names[c])),
                   "give every one a value, or the key a default");
      }));
    }
  }

  [[nodiscard]] float number(GraphmlOwner owner, std::size_t c, const GraphmlKey& key, const std::string& raw,
                             const char* at) {
    FeatureColumns& features = owner == GraphmlOwner::kNode ? set_.nodes : set_.edges;
    const auto fail = [&](const std::string& message, const std::string& hint) { xml_->fail(at, message, hint); };
    const auto fail_type = [&](const char* should) {
      fail(fmt::format("the value of {} should be {}, but is {}", in_quotes(key.name), should, in_quotes(raw)),
           "correct the value, or the type of the key");
    };
    const std::string_view text = trimmed(raw);
    switch (key.type) {
      case Type::kText:
        return features.word(c, raw, fail);
      case Type::kBoolean:
        if (text != "true" && text != "false" && text != "1" && text != "0") fail_type("true or false");
        return features.word(c, text == "true" || text == "1" ? "true" : "false", fail);
      case Type::kWhole:
        if (!to_integer(text)) fail_type("a whole number");
        break;
      case Type::kNumber:
        if (!to_number(text)) fail_type("a finite number");
        break;
    }
    return features.value(c, text, fail);
  }

  // Edges may come before their nodes.
  void finish_edges() {
    const auto node = [this](const std::string& id, const char* at) {
      const auto found = nodes_.find(id);
      if (found == nodes_.end()) {
        xml_->fail(at, fmt::format("the graph has no node {}", in_quotes(id)), "list the node, or leave the edge out");
      }
      return found->second;
    };
    const std::size_t width = columns(GraphmlOwner::kEdge).names.size();
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const Edge& edge = edges_[e];
      parts_.from.push_back(node(edge.source, edge.source_at));
      parts_.to.push_back(node(edge.target, edge.target_at));
    }
    if (options_.direction == Direction::kDirected) return;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (edges_[e].directed || parts_.from[e] == parts_.to[e]) continue;
      parts_.from.push_back(parts_.to[e]);
      parts_.to.push_back(parts_.from[e]);
      for (std::size_t c = 0; c < width; ++c) parts_.edge_dense.push_back(parts_.edge_dense[e * width + c]);
    }
  }

  const Input& input_;
  std::string source_;
  const DataOptions& options_;
  SetBuilder set_;
  // Of the file that is read.
  std::string text_;
  std::optional<GraphmlKeys> keys_;
  std::optional<XmlReader> xml_;
  std::string file_id_;  // empty: there is one file
  std::size_t graphs_of_file_ = 0;
  std::array<Columns, 3> columns_;
  std::vector<std::size_t> targets_, kept_columns_;  // columns of graphs
  std::map<std::string, std::vector<std::string>> kept_;
  FilledValues filled_;

  // The graph that is being read.
  GraphParts parts_;
  bool directed_ = false;
  std::unordered_map<std::string, std::uint32_t> nodes_;
  std::vector<Edge> edges_;
  std::vector<Value> node_values_, edge_values_;
};

}  // namespace

Dataset read_graphml(const Input& input, const DataOptions& options) { return GraphmlReader(input, options).read(); }

}  // namespace agentnet
