// JSON in node-link form, as networkx.node_link_data and d3 write it: an object per graph, or a list of them, or one
// after the other.
//
//   {"directed": false, "graph": {"y": 1}, "nodes": [{"id": "a", "charge": 0.5}, ...],
//    "links": [{"source": "a", "target": "b", "weight": 2}, ...]}
//
// `links` may be called `edges`. Attributes of nodes and edges are features; a list is as many columns. What stands in
// "graph", or beside it, is a target or a kept column.
#include <fmt/core.h>

#include <string>
#include <string_view>

#include "core/text.h"
#include "data/formats/attribute_graphs.h"
#include "data/formats/network_readers.h"
#include "data/io/lines.h"
#include "data/io/utf16.h"
#include "data/syntax/json_line.h"

namespace agentnet {
namespace {

// JsonLine looks at 8 bytes behind the text.
std::string padded(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.replace(0, 3, "   ");
  text.append(8, '\0');
  return text;
}

class NodeLinkReader {
 public:
  NodeLinkReader(const Input& input, const DataOptions& options)
      : source_(input.name()),
        place_(input.place(input.only_member())),
        text_(padded(read_all(*as_utf8(input.stream(), place_), place_))),
        lines_(nullptr, place_),
        graphs_(options, [this](const char* at) { return lines_.where(at); }) {
    lines_.show(std::string_view(text_).substr(0, text_.size() - 8), 1);
  }

  Dataset read() {
    JsonLine json(lines_);
    if (json.at_array()) {
      json.begin_array();
      while (json.next_element()) read_graph(json);
      json.expect_end();
    } else {
      do read_graph(json);
      while (json.at_object());
      json.expect_end();
    }
    return graphs_.finish(source_, "nodelink");
  }

 private:
  using Spelled = AttributeGraphs::Spelled;

  void read_graph(JsonLine& json) {
    const char* const at = json.position();
    graphs_.begin_graph(at, false);
    bool nodes = false;
    json.begin_object();
    while (json.next_key()) {
      const std::string key = json.key();
      if (key == "directed") {
        graphs_.set_directed(json.scalar() == "true");
      } else if (key == "nodes") {
        nodes = true;
        json.begin_array();
        while (json.next_element()) read_node(json);
      } else if (key == "links" || key == "edges") {
        json.begin_array();
        while (json.next_element()) read_edge(json);
      } else if (key == "graph" && json.at_object()) {
        json.begin_object();
        while (json.next_key()) read_graph_value(json, json.key());
      } else if (key == "multigraph") {
        json.skip();
      } else {
        read_graph_value(json, key);
      }
    }
    if (!nodes) json.fail(at, "the object has no nodes", "a graph in node-link form has nodes and links");
    graphs_.end_graph();
  }

  void read_graph_value(JsonLine& json, const std::string& key) {
    if (json.at_object() || json.at_array()) {
      graphs_.left_out("graph " + key);
      json.skip();
      return;
    }
    const char* const at = json.position();
    const std::string text(json.scalar());
    if (key == "id" || key == "name") {
      graphs_.name_graph(text);
    } else {
      graphs_.graph_value(key, text, at);
    }
  }

  // A value of a node or edge that is yet to be begun, since its id may come last.
  struct Waiting {
    std::string name, text;
    Spelled spelled;
    const char* at;
  };

  void read_value(JsonLine& json, const std::string& key, const char* owner) {
    const auto take = [&](const std::string& name) {
      const char* const at = json.position();
      std::string text(json.scalar());
      waiting_.push_back({name, std::move(text), json.was_quoted() ? Spelled::kText : Spelled::kPlain, at});
    };
    if (json.at_object()) {
      graphs_.left_out(fmt::format("{} {}", owner, key));
      json.skip();
    } else if (json.at_array()) {
      json.begin_array();
      for (std::size_t i = 0; json.next_element(); ++i) take(key + std::to_string(i));
    } else {
      take(key);
    }
  }

  void add_waiting() {
    for (const Waiting& value : waiting_) graphs_.attribute(value.name, value.text, value.spelled, value.at);
    waiting_.clear();
  }

  struct Name {
    std::string text;
    const char* at = nullptr;
  };
  static void read_name(JsonLine& json, Name& name) {
    name.at = json.position();
    name.text = std::string(json.scalar());
  }

  void read_node(JsonLine& json) {
    const char* const at = json.position();
    Name id;
    json.begin_object();
    while (json.next_key()) {
      const std::string key = json.key();
      if (key == "id") {
        read_name(json, id);
      } else {
        read_value(json, key, "node");
      }
    }
    if (id.at == nullptr) json.fail(at, "the node has no id", "every node needs one");
    graphs_.begin_node(id.text, id.at);
    add_waiting();
  }

  void read_edge(JsonLine& json) {
    const char* const at = json.position();
    Name from, to;
    json.begin_object();
    while (json.next_key()) {
      const std::string key = json.key();
      if (key == "source") {
        read_name(json, from);
      } else if (key == "target") {
        read_name(json, to);
      } else if (key == "key") {  // of a multigraph: it counts parallel edges
        json.skip();
      } else {
        read_value(json, key, "edge");
      }
    }
    if (from.at == nullptr || to.at == nullptr) {
      json.fail(at, "the edge has no source or no target", "every edge needs both");
    }
    graphs_.begin_edge(from.text, to.text, from.at, to.at);
    add_waiting();
  }

  std::string source_, place_, text_;
  Lines lines_;
  AttributeGraphs graphs_;
  std::vector<Waiting> waiting_;
};

}  // namespace

Dataset read_node_link(const Input& input, const DataOptions& options) { return NodeLinkReader(input, options).read(); }

}  // namespace agentnet
