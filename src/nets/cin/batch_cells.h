// The cells of all graphs of a batch, numbered through, in memory of the tape.
#pragma once

#include <array>
#include <span>

#include "nets/taped/formula.h"

namespace agentnet {

inline constexpr int kCellDims = 3;  // nodes, edges, rings

// Ordered pairs of cells that are on the boundary of a common cell.
struct CellPairs {
  std::span<const Index> sender, shared;
  tape::Segments by_receiver, by_sender, by_shared;
};

struct BatchCells {
  Index edges = 0, rings = 0;
  std::array<tape::Segments, 2> boundary;  // of each edge: its two nodes; of each ring: its edges
  std::array<CellPairs, 2> pairs;          // of nodes by edges, of edges by rings
  std::array<RowNames, 2> names;           // of edges and rings
  std::array<tape::Segments, kCellDims> of_graph;
  tape::Segments edge_rows;  // of each edge: its rows of features, in both directions
};

template <class S>
[[nodiscard]] BatchCells find_batch_cells(Formula<S>& f, int largest_ring);

}  // namespace agentnet
