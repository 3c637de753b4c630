#include <set>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/formats/writers.h"
#include "data/io/output.h"
#include "data/syntax/csv.h"
#include "data/tables/symmetry.h"
#include "graph/set_arrays.h"

namespace agentnet {
namespace {

// Names of columns: those given, changed where one is taken already.
std::vector<std::string> free_names(const std::vector<std::string>& wanted, std::set<std::string> taken) {
  std::vector<std::string> names;
  for (const std::string& name : wanted) {
    std::string free = name.empty() ? "column" : name;
    while (!taken.insert(free).second) free += "_";
    names.push_back(free);
  }
  return names;
}

std::vector<std::string> feature_names(const FeatureSchema& schema) {
  std::vector<std::string> names;
  for (const CategoryColumn& column : schema.categories) names.push_back(column.name);
  names.insert(names.end(), schema.dense.begin(), schema.dense.end());
  return names;
}

// Whether every graph can be called by its id; else they are called 0, 1, ...
bool all_have_ids(const GraphSet& graphs) {
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    if (graphs.id(g).empty()) return false;
  }
  return has_distinct_ids(graphs);
}

void print_features(TextOutput& out, const FeatureSchema& schema, const CategoryRows& categories,
                    const DenseRows& dense, std::uint64_t row) {
  for (std::size_t c = 0; c < schema.categories.size(); ++c) {
    out.print(",{}", csv_field(schema.categories[c].values.at(static_cast<std::size_t>(categories.row(row)[c]))));
  }
  const auto width = static_cast<std::size_t>(dense.width);
  for (std::size_t c = 0; c < width; ++c) out.print(",{}", dense_text(dense.f32[dense.start(row) + c]));
}

}  // namespace

LeftOut write_csv_triple(const Dataset& data, const std::filesystem::path& path) {
  require_plain_categories(data.schema.nodes, "csv");
  require_plain_categories(data.schema.edges, "csv");
  for (const std::string& name : data.schema.classes) {
    if (name.find_first_of("\r\n") != std::string::npos) {
      throw Error(ErrorKind::kUsage, fmt::format("csv cannot hold the class name {}", in_quotes(name)), "write jsonl");
    }
  }
  OutputFolder folder(path);
  TextOutput graphs(folder.file("graphs.csv")), nodes(folder.file("nodes.csv")), edges(folder.file("edges.csv"));

  graphs.write("graph");
  std::vector<std::string> columns = data.schema.targets;
  for (const auto& [name, values] : data.columns) columns.push_back(name);
  for (const std::string& name : free_names(columns, {"graph", "directed"})) graphs.print(",{}", csv_field(name));
  graphs.write(",directed\n");
  const bool constant = only_constant_features(data), with_ids = all_have_ids(data.graphs);
  nodes.write("graph,node");
  if (!constant) {
    for (const std::string& name :
         free_names(feature_names(data.schema.nodes), {"graph", "graph_id", "node", "node_id", "id"})) {
      nodes.print(",{}", csv_field(name));
    }
  }
  nodes.write("\n");
  edges.write("graph,source,target");
  for (const std::string& name :
       free_names(feature_names(data.schema.edges), {"graph", "graph_id", "source", "target"})) {
    edges.print(",{}", csv_field(name));
  }
  edges.write("\n");

  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView graph = data.graphs.view(g);
    const std::string id = with_ids ? csv_field(data.graphs.id(g)) : std::to_string(g);
    const bool symmetric = is_symmetric(graph);
    graphs.write(id);
    for (std::size_t t = 0; t < data.schema.targets.size(); ++t)
      graphs.print(",{}", csv_field(target_text(data, g, t)));
    for (const auto& [name, values] : data.columns) graphs.print(",{}", csv_field(values[g]));
    graphs.print(",{}\n", symmetric ? 0 : 1);
    for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
      nodes.print("{},{}", id, u);
      if (!constant) print_features(nodes, data.schema.nodes, graph.node_categories, graph.node_dense, u);
      nodes.write("\n");
    }
    for_each_edge(graph, [&](std::uint64_t u, std::uint64_t v, std::uint64_t row) {
      if (symmetric && v < u) return;
      edges.print("{},{},{}", id, u, v);
      print_features(edges, data.schema.edges, graph.edge_categories, graph.edge_dense, row);
      edges.write("\n");
    });
  }
  graphs.commit();
  nodes.commit();
  edges.commit();
  folder.commit();
  return left_out(data, with_ids ? std::vector<std::string>{"ids", "columns"} : std::vector<std::string>{"columns"});
}

}  // namespace agentnet
