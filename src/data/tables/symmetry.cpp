#include "data/tables/symmetry.h"

#include <algorithm>
#include <vector>

#include "graph/narrow.h"

namespace agentnet {
namespace {

bool same_features(const GraphView& graph, std::uint64_t a, std::uint64_t b) {
  if (graph.edge_dense.width == 0 && graph.edge_categories.width == 0) return true;
  const IndexRange rows_a = graph.edge_rows_of(a), rows_b = graph.edge_rows_of(b);
  if (rows_a.size() != rows_b.size()) return false;
  const auto same = [&](const auto* values, int columns) {
    const auto width = static_cast<std::uint64_t>(columns);
    return width == 0 ||
           std::equal(values + rows_a.first * width, values + rows_a.last * width, values + rows_b.first * width);
  };
  return same(graph.edge_dense.f32, graph.edge_dense.width) &&
         same(graph.edge_categories.data, graph.edge_categories.width);
}

}  // namespace

bool is_symmetric(const GraphView& graph) {
  require_narrow(graph);
  // The nodes are visited in order, so that the next unseen neighbour of v is always the one to come back from.
  std::vector<std::uint64_t> next(graph.offsets, graph.offsets + graph.num_nodes);
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    for (auto [e, last] = graph.entries_of(u); e < last; ++e) {
      const std::uint64_t v = graph.neighbour(e), back = next[v];
      if (back >= graph.entries_of(v).last || graph.neighbours[back] != u) return false;
      if (!same_features(graph, e, back)) return false;
      ++next[v];
    }
  }
  return true;
}

}  // namespace agentnet
