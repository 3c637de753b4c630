// What formats share in which nodes, edges and graphs have named attributes, each element as it likes: GML, GEXF, JSON
// in node-link form. The attributes that occur are the columns, which is known at the end: until then every value
// waits.
//
//   AttributeGraphs graphs(options, [&](const char* at) { return xml.where(at); });
//   graphs.begin_graph(at, directed);
//   graphs.begin_node("a", at);            graphs.attribute("charge", "0.5", Spelled::kPlain, at);
//   graphs.begin_edge("a", "b", at, at);   graphs.attribute(...);
//   graphs.graph_value("y", "1", at);
//   return graphs.finish(input.name(), "gml");
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agentnet/data.h"
#include "data/io/name_index.h"
#include "data/tables/builder.h"
#include "data/tables/filled_values.h"

namespace agentnet {

class AttributeGraphs {
 public:
  // Whether the file says that a value is text: "7" in quotes is a word.
  enum class Spelled { kPlain, kText };
  using Where = std::function<std::string(const char* at)>;

  // `where` gives file:line:column of a place in the text; the text must stay where it is.
  AttributeGraphs(const DataOptions& options, Where where);

  void begin_graph(const char* at, bool directed);
  void name_graph(std::string_view id) { id_ = std::string(id); }
  // The graph's own flag, where it comes after the first nodes.
  void set_directed(bool directed) { directed_ = directed; }
  // Throws Error (kData) if the graph has a node of this id.
  void begin_node(std::string_view id, const char* at);
  // The ends may be nodes that are yet to come.
  void begin_edge(std::string_view from, std::string_view to, const char* from_at, const char* to_at);
  void set_edge_directed(bool directed) { edges_.back().directed = directed; }
  // Of the node or edge that was begun last. A second value of the same name throws Error (kData).
  void attribute(std::string_view name, std::string_view text, Spelled spelled, const char* at);
  void graph_value(std::string_view name, std::string_view text, const char* at);
  // The graph is complete. Throws Error (kData) if an edge joins what is no node.
  void end_graph();

  // A name of nodes in this attribute (the label of GML and GEXF) is no feature if no two nodes of a graph share it.
  void set_name_attribute(std::string_view name) { name_attribute_ = std::string(name); }
  // An attribute that a node or edge without it has all the same.
  void set_default(bool node, std::string_view name, std::string_view text);
  // Something of the file that is not read, for the notes.
  void left_out(std::string_view what);

  [[nodiscard]] Dataset finish(const std::string& source, const std::string& format);

 private:
  struct Value {
    std::uint32_t column = 0;
    Spelled spelled = Spelled::kPlain;
    std::string text;
    const char* at = nullptr;
  };
  struct Element {  // a node, or an edge
    std::vector<Value> values;
    const char* at = nullptr;
  };
  struct Edge : Element {
    std::string from, to;
    const char *from_at = nullptr, *to_at = nullptr;
    std::optional<bool> directed;  // else as the graph says
  };
  struct Graph {
    const char* at = nullptr;
    std::string id;
    std::vector<Element> nodes;
    std::vector<Element> edges;  // as listed
    std::vector<std::uint32_t> from, to;
    std::vector<char> one_way;
    std::vector<Value> values;  // of the graph itself
  };
  struct Columns {
    NameIndex places;
    std::vector<std::string> names;
    std::unordered_map<std::string, std::string> defaults;
  };

  [[noreturn]] void fail(const char* at, std::string_view message, std::string_view hint) const;
  [[nodiscard]] std::uint32_t column(Columns& columns, std::string_view name);
  void drop_names(std::string_view name);
  void add_rows(const std::vector<Element>& elements, const Columns& columns, FeatureColumns& features,
                std::vector<float>& rows, const char* owner);
  void add_graph(const Graph& graph);
  void choose_targets_of(const std::string& source);

  const DataOptions& options_;
  Where where_;
  SetBuilder set_;
  Columns node_columns_, edge_columns_, graph_columns_;
  std::vector<Graph> graphs_;
  std::string name_attribute_;
  std::vector<std::string> left_out_;
  std::vector<std::size_t> targets_, kept_;  // columns of graphs
  std::map<std::string, std::vector<std::string>> kept_values_;
  FilledValues filled_;

  // The graph that is being read.
  bool directed_ = false;
  const char* graph_at_ = nullptr;
  std::string id_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<Element> nodes_;
  std::vector<Edge> edges_;
  std::vector<Value> values_;
  bool in_edge_ = false;
};

}  // namespace agentnet
