#include <algorithm>
#include <set>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/output.h"
#include "data/writers.h"
#include "graph/set_arrays.h"

namespace agentnet {
namespace {

// A field, in quotes if it holds what would end it.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Feature names that can stand beside the columns of a table.
std::vector<std::string> free_names(const FeatureSchema& schema, std::set<std::string> taken) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    std::string free = name.empty() ? "feature" : name;
    while (!taken.insert(free).second) free += "_";
    names.push_back(free);
  };
  for (const CategoryColumn& column : schema.categories) add(column.name);
  for (const std::string& name : schema.dense) add(name);
  return names;
}

void print_features(TextOutput& out, const FeatureSchema& schema, const CategoryRows& categories,
                    const DenseRows& dense, std::uint64_t row) {
  for (std::size_t c = 0; c < schema.categories.size(); ++c) {
    out.print(",{}", field(schema.categories[c].values.at(static_cast<std::size_t>(categories.row(row)[c]))));
  }
  const auto width = static_cast<std::size_t>(dense.width);
  for (std::size_t c = 0; c < width; ++c) out.print(",{}", dense_text(dense.f32[row * width + c]));
}

// Whether every edge has a reverse with the same features, so that one of the two says all.
bool is_symmetric(const GraphView& graph) {
  if (graph.edge_rows != nullptr) return false;  // several rows for one edge: written as they are
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    for (std::uint64_t e = graph.offsets[u]; e < graph.offsets[u + 1]; ++e) {
      const std::uint32_t v = graph.neighbours[e];
      const auto list = graph.neighbours_of(v);
      const auto found = std::lower_bound(list.begin(), list.end(), static_cast<std::uint32_t>(u));
      if (found == list.end() || *found != u) return false;
      const std::uint64_t reverse = graph.offsets[v] + static_cast<std::uint64_t>(found - list.begin());
      if (graph.edge_categories.width > 0) {
        const auto a = graph.edge_categories.row(e), b = graph.edge_categories.row(reverse);
        if (!std::equal(a.begin(), a.end(), b.begin())) return false;
      }
      const auto width = static_cast<std::size_t>(graph.edge_dense.width);
      if (width > 0) {
        const float* rows = graph.edge_dense.f32;
        if (!std::equal(rows + e * width, rows + (e + 1) * width, rows + reverse * width)) return false;
      }
    }
  }
  return true;
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
  for (const std::string& name : data.schema.targets) graphs.print(",{}", field(name == "graph" ? "graph_" : name));
  for (const auto& [name, values] : data.columns) graphs.print(",{}", field(name));
  graphs.write(",directed\n");
  const bool constant = only_constant_features(data);
  nodes.write("graph,node");
  if (!constant) {
    for (const std::string& name : free_names(data.schema.nodes, {"graph", "graph_id", "node", "node_id", "id"})) {
      nodes.print(",{}", field(name));
    }
  }
  nodes.write("\n");
  edges.write("graph,source,target");
  for (const std::string& name : free_names(data.schema.edges, {"graph", "graph_id", "source", "target"})) {
    edges.print(",{}", field(name));
  }
  edges.write("\n");

  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView graph = data.graphs.view(g);
    const std::string id = data.graphs.id(g).empty() ? std::to_string(g) : field(data.graphs.id(g));
    const bool symmetric = is_symmetric(graph);
    graphs.write(id);
    for (std::size_t t = 0; t < data.schema.targets.size(); ++t) graphs.print(",{}", field(target_text(data, g, t)));
    for (const auto& [name, values] : data.columns) graphs.print(",{}", field(values[g]));
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
  return left_out(data, {"ids", "columns"});
}

}  // namespace agentnet
