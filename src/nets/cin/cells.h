// The cells of a graph: nodes, edges, and rings, which are cycles without chords.
#pragma once

#include <cstdint>
#include <vector>

#include "nets/taped/simple_graph.h"

namespace agentnet {

// Of one graph, before it is refused: beyond that nobody could hold the pairs of their edges.
inline constexpr std::uint64_t kMostRings = 1'000'000;

struct CellComplex {
  std::vector<Index> edges;        // [2 m] ends u < v of each edge, in lexicographic order
  std::vector<std::size_t> rings;  // [r + 1] where the edges of each ring begin in ring_edges
  std::vector<Index> ring_edges;   // numbers of edges, ascending within a ring

  [[nodiscard]] Index edge_count() const { return static_cast<Index>(edges.size() / 2); }
  [[nodiscard]] Index ring_count() const { return static_cast<Index>(rings.size()) - 1; }
};

// Rings of up to `largest_ring` nodes, in lexicographic order of their edges. Throws Error (kData) where there are
// more than anybody can use.
[[nodiscard]] CellComplex find_cells(const SimpleGraph& graph, int largest_ring);

}  // namespace agentnet
