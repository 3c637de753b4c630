#include "agentnet/error.h"
#include "data/formats/single_graph.h"
#include "data/formats/writers.h"
#include "data/io/output.h"
#include "data/tables/symmetry.h"

namespace agentnet {
namespace {

void check(const Dataset& data) {
  const auto refuse = [](const char* what) {
    throw Error(ErrorKind::kUsage, fmt::format("an edge list cannot hold {}", what), "write graphml or agentset");
  };
  if (data.graphs.size() != 1) refuse("more than one graph");
  const Schema& schema = data.schema;
  const bool node_features = !schema.nodes.dense.empty() || !schema.nodes.categories.empty();
  if (node_features && !only_constant_features(data)) refuse("node features");
  if (!schema.edges.categories.empty()) refuse("categories of edges");
  if (schema.edges.dense.size() > 1) refuse("more than one feature per edge");
  if (schema.task != Task::kNone) refuse("targets");
}

}  // namespace

LeftOut write_edge_list(const Dataset& data, const std::filesystem::path& path) {
  check(data);
  const GraphView graph = data.graphs.view(0);
  const bool once = is_symmetric(graph);
  std::uint64_t listed = 0;
  for_each_edge(graph, [&](std::uint64_t u, std::uint64_t v, std::uint64_t) { listed += !once || u <= v ? 1 : 0; });
  if (!plausible_nodes(graph.num_nodes, listed)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("an edge list cannot hold {} nodes with only {} edges", graph.num_nodes, listed),
                "write graphml or agentset");
  }
  TextOutput out(path);
  out.print("# Nodes: {} Edges: {}{}\n", graph.num_nodes, listed, once ? "" : kOneWay);
  for_each_edge(graph, [&](std::uint64_t u, std::uint64_t v, std::uint64_t row) {
    if (once && u > v) return;
    out.print("{}\t{}", u, v);
    if (graph.edge_dense.width > 0) out.print("\t{}", dense_text(graph.edge_dense.f32[row]));
    out.write("\n");
  });
  out.commit();
  return left_out(data);
}

}  // namespace agentnet
