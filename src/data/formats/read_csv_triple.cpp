// Three tables: graphs.csv (graph, targets ...), nodes.csv (graph, node, features ...), edges.csv (graph, source,
// target, features ...). graphs.csv may be missing (no targets), and so may the column node, whose rows are then
// numbered from 0 within their graph. An edge can be walked both ways unless its graph has a 1 in a column "directed".
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/formats/readers.h"
#include "data/syntax/csv.h"
#include "data/tables/builder.h"
#include "data/tables/split_builder.h"

namespace agentnet {
namespace {

const std::vector<std::string> kGraphNames = {"graph", "graph_id", "id"};
const std::vector<std::string> kNodeNames = {"node", "node_id", "id"};
const std::vector<std::string> kSourceNames = {"source", "from", "src", "u"};
const std::vector<std::string> kTargetNames = {"target", "to", "dst", "v"};

struct PendingGraph {
  std::string id, where;
  GraphParts parts;
  std::unordered_map<std::string, std::uint32_t> nodes;  // by name; empty if nodes have no names
  bool directed = false;
};

class TripleReader {
 public:
  TripleReader(const Input& input, const DataOptions& options) : input_(input), options_(options), set_(options) {}

  Dataset read() {
    if (const auto graphs = input_.member_ending_in("graphs.csv")) read_graphs(*graphs);
    read_nodes(required("nodes.csv"));
    read_edges(required("edges.csv"));
    for (PendingGraph& graph : graphs_) {
      const Direction direction = graph.directed ? Direction::kDirected : Direction::kUndirected;
      set_.set_default_direction(direction);
      set_.add(std::move(graph.parts), graph.id, [&] { return graph.where; });
    }
    Dataset data = std::move(set_).finish(input_.name(), "csv");
    data.columns = std::move(columns_);
    data.unused_columns = std::move(unused_);
    data.notes.insert(data.notes.end(), notes_.begin(), notes_.end());
    return data;
  }

 private:
  std::string required(const char* name) const {
    const auto found = input_.member_ending_in(name);
    if (!found) {
      throw Error(ErrorKind::kData, fmt::format("{} has no file {}", input_.name(), name),
                  "a CSV set has graphs.csv, nodes.csv and edges.csv");
    }
    return *found;
  }

  static std::size_t required_column(const CsvReader& table, const std::vector<std::string>& names) {
    if (const auto found = table.column(names)) return *found;
    table.fail(0, fmt::format("the header has no column {}", in_quotes(names[0])),
               fmt::format("name it one of: {}", join_text(names, ", ")));
  }

  void read_graphs(const std::string& member) {
    CsvReader table(input_, member);
    const std::size_t id =
        options_.id_column.empty() ? required_column(table, kGraphNames) : table.required_column(options_.id_column);
    const auto directed = table.column({"directed"});
    std::vector<std::size_t> kept, targets;
    for (const std::string& name : options_.keep) kept.push_back(table.required_column(name));
    const bool all = options_.targets.empty() || options_.targets == std::vector<std::string>{"*"};
    if (!all) {
      for (const std::string& name : options_.targets) targets.push_back(table.required_column(name));
    }
    if (all && options_.task != Task::kNone) {
      for (std::size_t c = 0; c < table.header().size(); ++c) {
        const bool taken = c == id || c == directed || std::find(kept.begin(), kept.end(), c) != kept.end();
        if (!taken && !table.header()[c].empty() && !is_split_column(table.header()[c])) targets.push_back(c);
      }
    }
    std::vector<std::string> names;
    for (const std::size_t c : targets) names.push_back(table.header()[c]);
    set_.targets.set_names(names);
    while (table.next()) {
      if (table.field(id).empty()) table.fail(id, "the graph has no id", "give every graph an id");
      if (by_id_.contains(std::string(table.field(id)))) {
        table.fail(id, fmt::format("the id {} is there twice", in_quotes(table.field(id))),
                   "give every graph its own id");
      }
      PendingGraph& graph = new_graph(table.field(id), table.where(id));
      if (directed) {
        const std::string_view text = table.field(*directed);
        if (text != "0" && text != "1") table.fail(*directed, "directed should be 0 or 1");
        graph.directed = text == "1";
      }
      for (std::size_t t = 0; t < targets.size(); ++t) {
        set_.targets.add(t, table.field(targets[t]), [&] { return table.where(targets[t]); });
      }
      for (std::size_t i = 0; i < kept.size(); ++i) columns_[options_.keep[i]].emplace_back(table.field(kept[i]));
    }
    if (options_.task != Task::kNone) note_split_columns(table.header(), options_, notes_);
    if (all) unused_ = set_.targets.drop_text_columns(input_.name());
    listed_ = true;
  }

  PendingGraph& new_graph(std::string_view id, std::string where) {
    by_id_.emplace(std::string(id), graphs_.size());
    graphs_.push_back({std::string(id), std::move(where), {}, {}, false});
    return graphs_.back();
  }

  PendingGraph& graph_of(const CsvReader& table, std::size_t column, bool may_be_new) {
    const std::string id(table.field(column));
    const auto found = by_id_.find(id);
    if (found != by_id_.end()) return graphs_[found->second];
    if (!may_be_new) {
      table.fail(column, fmt::format("there is no graph {}", in_quotes(id)),
                 listed_ ? "list every graph in graphs.csv" : "list the graph's nodes in nodes.csv");
    }
    return new_graph(id, table.where(column));
  }

  // The columns of a table that are features: all but those listed.
  static std::vector<std::size_t> add_feature_columns(const CsvReader& table, std::vector<std::size_t> others,
                                                      FeatureColumns& columns, FeatureKind kind) {
    std::vector<std::size_t> chosen;
    std::vector<std::string> names;
    for (std::size_t c = 0; c < table.header().size(); ++c) {
      if (std::find(others.begin(), others.end(), c) != others.end()) continue;
      chosen.push_back(c);
      names.push_back(table.header()[c]);
    }
    columns.add(names, kind);
    return chosen;
  }

  void read_nodes(const std::string& member) {
    CsvReader table(input_, member);
    const std::size_t graph_column = required_column(table, {"graph", "graph_id"});
    const auto name_column = table.column(kNodeNames);
    named_ = name_column.has_value();
    std::vector<std::size_t> others = {graph_column};
    if (name_column) others.push_back(*name_column);
    const auto features = add_feature_columns(table, others, set_.nodes, options_.node_features);
    while (table.next()) {
      PendingGraph& graph = graph_of(table, graph_column, !listed_);
      const auto number = static_cast<std::uint32_t>(graph.parts.num_nodes++);
      if (name_column && !graph.nodes.emplace(std::string(table.field(*name_column)), number).second) {
        table.fail(*name_column,
                   fmt::format("graph {} has two nodes {}", in_quotes(graph.id), in_quotes(table.field(*name_column))),
                   "give every node of a graph its own id");
      }
      for (std::size_t i = 0; i < features.size(); ++i) {
        graph.parts.node_dense.push_back(set_.nodes.value(i, table.field(features[i]), table.failing_at(features[i])));
      }
    }
    for (const PendingGraph& graph : graphs_) {
      if (graph.parts.num_nodes == 0) {
        throw Error(ErrorKind::kData, fmt::format("{}: graph {} has no nodes", graph.where, in_quotes(graph.id)),
                    "leave empty graphs out, or list their nodes in nodes.csv");
      }
    }
  }

  void read_edges(const std::string& member) {
    CsvReader table(input_, member);
    const std::size_t graph_column = required_column(table, {"graph", "graph_id"});
    const std::size_t source = required_column(table, kSourceNames), target = required_column(table, kTargetNames);
    const auto features =
        add_feature_columns(table, {graph_column, source, target}, set_.edges, options_.edge_features);
    while (table.next()) {
      PendingGraph& graph = graph_of(table, graph_column, false);
      const auto end = [&](std::size_t column) {
        const std::string_view text = table.field(column);
        if (named_) {
          const auto found = graph.nodes.find(std::string(text));
          if (found != graph.nodes.end()) return found->second;
        } else if (const auto number = to_integer(text);
                   number && *number >= 0 && static_cast<std::uint64_t>(*number) < graph.parts.num_nodes) {
          return static_cast<std::uint32_t>(*number);
        }
        table.fail(column, fmt::format("graph {} has no node {}", in_quotes(graph.id), in_quotes(text)),
                   named_ ? "edges name nodes as nodes.csv does" : "without a column node, nodes are 0, 1, 2, ...");
      };
      graph.parts.from.push_back(end(source));
      graph.parts.to.push_back(end(target));
      for (std::size_t i = 0; i < features.size(); ++i) {
        graph.parts.edge_dense.push_back(set_.edges.value(i, table.field(features[i]), table.failing_at(features[i])));
      }
    }
  }

  const Input& input_;
  const DataOptions& options_;
  SetBuilder set_;
  std::vector<PendingGraph> graphs_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::map<std::string, std::vector<std::string>> columns_;
  std::vector<std::string> unused_;  // columns of text beside targets
  std::vector<std::string> notes_;
  bool listed_ = false;  // graphs.csv names all graphs
  bool named_ = false;   // nodes have names
};

}  // namespace

Dataset read_csv_triple(const Input& input, const DataOptions& options) { return TripleReader(input, options).read(); }

}  // namespace agentnet
