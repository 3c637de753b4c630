// GEXF, Gephi's format in XML. Every <graph> is a graph; declared attributes of nodes and edges are features, as is the
// weight of edges. Colours, positions and spells (viz, timeline) are left out; nodes inside of nodes are refused.
#include <fmt/core.h>

#include <string>
#include <unordered_map>

#include "core/text.h"
#include "data/formats/attribute_graphs.h"
#include "data/formats/network_readers.h"
#include "data/io/utf16.h"
#include "data/syntax/xml.h"

namespace agentnet {
namespace {

class GexfReader {
 public:
  GexfReader(const Input& input, const DataOptions& options)
      : source_(input.name()),
        place_(input.place(input.only_member())),
        text_(read_all(*as_utf8(input.stream(), place_), place_)),
        xml_(text_, place_),
        graphs_(options, [this](const char* at) { return xml_.where(at); }) {
    graphs_.set_name_attribute("label");
  }

  Dataset read() {
    static_cast<void>(xml_.next());
    if (xml_.name() != "gexf") {
      xml_.fail(xml_.at(), fmt::format("the outermost element is {}, not gexf", in_quotes(xml_.name())),
                "check the format, or name another with --format");
    }
    while (xml_.next_child()) {
      if (xml_.name() == "graph") {
        read_graph();
      } else {
        xml_.skip_element();
      }
    }
    while (xml_.next() != XmlReader::Event::kDone) {
    }
    return graphs_.finish(source_, "gexf");
  }

 private:
  using Spelled = AttributeGraphs::Spelled;
  struct Declared {
    std::string title;
    bool text = false;  // its values are words
  };
  using Declarations = std::unordered_map<std::string, Declared>;  // by id

  [[nodiscard]] const XmlReader::Attribute& required(const char* name) {
    const auto* attribute = xml_.attribute(name);
    if (attribute == nullptr) {
      xml_.fail(xml_.at(), fmt::format("the {} has no {}", xml_.name(), name), "every one needs it");
    }
    return *attribute;
  }

  void read_graph() {
    const auto* type = xml_.attribute("defaultedgetype");
    graphs_.begin_graph(xml_.at(), type != nullptr && type->value == "directed");
    node_attributes_.clear();
    edge_attributes_.clear();
    while (xml_.next_child()) {
      if (xml_.name() == "attributes") {
        read_declarations();
      } else if (xml_.name() == "nodes") {
        while (xml_.next_child()) read_node();
      } else if (xml_.name() == "edges") {
        while (xml_.next_child()) read_edge();
      } else {
        xml_.skip_element();
      }
    }
    graphs_.end_graph();
  }

  void read_declarations() {
    const bool node = required("class").value == "node";
    Declarations& declared = node ? node_attributes_ : edge_attributes_;
    while (xml_.next_child()) {
      const std::string id = required("id").value;
      const auto* title = xml_.attribute("title");
      const auto* type = xml_.attribute("type");
      const std::string kind = type != nullptr ? type->value : "string";
      const bool number = kind == "integer" || kind == "long" || kind == "float" || kind == "double" ||
                          kind == "short" || kind == "byte";
      const Declared entry{title != nullptr ? title->value : id, !number};
      const char* const at = xml_.at();
      if (!declared.emplace(id, entry).second) {
        xml_.fail(at, fmt::format("the attribute {} is declared twice", in_quotes(id)), "leave one of them out");
      }
      while (xml_.next_child()) {
        if (xml_.name() == "default") {
          graphs_.set_default(node, entry.title, xml_.element_text());
        } else {
          xml_.skip_element();
        }
      }
    }
  }

  // What stands inside of a node or edge.
  void read_values(const Declarations& declared) {
    while (xml_.next_child()) {
      if (xml_.name() == "nodes") {
        xml_.fail(xml_.at(), "nodes inside of nodes cannot be read", "list all nodes side by side");
      } else if (xml_.name() == "attvalues") {
        while (xml_.next_child()) read_value(declared);
      } else {
        xml_.skip_element();
      }
    }
  }

  void read_value(const Declarations& declared) {
    const auto* id = xml_.attribute("for");
    if (id == nullptr) id = xml_.attribute("id");  // of version 1.0
    if (id == nullptr) xml_.fail(xml_.at(), "the value does not say which attribute it is for", "give it for=\"...\"");
    const auto found = declared.find(id->value);
    if (found == declared.end()) {
      xml_.fail(id->at, fmt::format("there is no attribute {}", in_quotes(id->value)), "declare it in <attributes>");
    }
    const XmlReader::Attribute& value = required("value");
    graphs_.attribute(found->second.title, value.value, found->second.text ? Spelled::kText : Spelled::kPlain,
                      value.at);
    xml_.skip_element();
  }

  void read_node() {
    if (xml_.name() != "node") return xml_.skip_element();
    const XmlReader::Attribute& id = required("id");
    graphs_.begin_node(id.value, id.at);
    if (const auto* label = xml_.attribute("label"))
      graphs_.attribute("label", label->value, Spelled::kText, label->at);
    read_values(node_attributes_);
  }

  void read_edge() {
    if (xml_.name() != "edge") return xml_.skip_element();
    const XmlReader::Attribute &source = required("source"), &target = required("target");
    graphs_.begin_edge(source.value, target.value, source.at, target.at);
    if (const auto* type = xml_.attribute("type")) graphs_.set_edge_directed(type->value == "directed");
    if (const auto* weight = xml_.attribute("weight")) {
      graphs_.set_default(/*node=*/false, "weight", "1");
      graphs_.attribute("weight", weight->value, Spelled::kPlain, weight->at);
    }
    read_values(edge_attributes_);
  }

  std::string source_, place_, text_;
  XmlReader xml_;
  AttributeGraphs graphs_;
  Declarations node_attributes_, edge_attributes_;
};

}  // namespace

Dataset read_gexf(const Input& input, const DataOptions& options) { return GexfReader(input, options).read(); }

}  // namespace agentnet
