#include "data/tables/symmetry.h"

#include <algorithm>
#include <vector>

#include "graph/narrow.h"

namespace agentnet {
namespace {

bool same_features(const GraphView& graph, std::uint64_t a, std::uint64_t b) {
  if (graph.edge_dense.width == 0 && graph.edge_categories.width == 0) return true;
  const std::uint64_t rows = graph.last_edge_row(a) - graph.first_edge_row(a);
  if (rows != graph.last_edge_row(b) - graph.first_edge_row(b)) return false;
  const auto same = [&](const auto* values, int columns) {
    const auto width = static_cast<std::uint64_t>(columns);
    return width == 0 || std::equal(values + graph.first_edge_row(a) * width, values + graph.last_edge_row(a) * width,
                                    values + graph.first_edge_row(b) * width);
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
    for (std::uint64_t e = graph.offsets[u]; e < graph.offsets[u + 1]; ++e) {
      const std::uint32_t v = graph.neighbours[e];
      const std::uint64_t back = next[v];
      if (back == graph.offsets[v + std::uint64_t{1}] || graph.neighbours[back] != u) return false;
      if (!same_features(graph, e, back)) return false;
      ++next[v];
    }
  }
  return true;
}

}  // namespace agentnet
