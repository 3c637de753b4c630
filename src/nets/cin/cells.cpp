#include "nets/cin/cells.h"

#include <fmt/core.h>

#include <algorithm>

#include "agentnet/error.h"
#include "nets/taped/cycles.h"

namespace agentnet {
namespace {

// The number of the edge {u, v}; edges with their smaller end u begin at first[u].
Index edge_number(const CellComplex& cells, const std::vector<Index>& first, Index u, Index v) {
  if (u > v) std::swap(u, v);
  const auto end_of = [&](Index e) { return cells.edges[2 * static_cast<std::size_t>(e) + 1]; };
  Index low = first[static_cast<std::size_t>(u)], high = first[static_cast<std::size_t>(u) + 1];
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (end_of(middle) < v) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

CellComplex find_cells(const SimpleGraph& graph, int largest_ring) {
  CellComplex cells;
  std::vector<Index> first = {0};
  for (Index u = 0; u < graph.nodes(); ++u) {
    for (const Index v : graph.neighbours(u)) {
      if (v < u) continue;
      cells.edges.push_back(u);
      cells.edges.push_back(v);
    }
    first.push_back(cells.edge_count());
  }
  std::vector<std::vector<Index>> rings;
  const bool all = for_each_cycle(graph, largest_ring, /*induced=*/true, kMostRings, [&](std::span<const Index> nodes) {
    std::vector<Index>& ring = rings.emplace_back();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Index next = nodes[(i + 1) % nodes.size()];
      ring.push_back(edge_number(cells, first, nodes[i], next));
    }
    std::sort(ring.begin(), ring.end());
  });
  if (!all) {
    throw Error(ErrorKind::kData,
                fmt::format("a graph of {} nodes has more than {} rings of up to {} nodes", graph.nodes(), kMostRings,
                            largest_ring),
                "make model option 'max_ring' smaller; dense graphs have too many rings");
  }
  std::sort(rings.begin(), rings.end());
  cells.rings.push_back(0);
  for (const std::vector<Index>& ring : rings) {
    cells.ring_edges.insert(cells.ring_edges.end(), ring.begin(), ring.end());
    cells.rings.push_back(cells.ring_edges.size());
  }
  return cells;
}

}  // namespace agentnet
