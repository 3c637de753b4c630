// Where to draw the nodes of a graph.
//
// Each connected piece is laid out so that distances on paper are like distances in the graph: springs between all
// pairs of its nodes, starting from a projection (pivot MDS) that is already right in the large. Pieces are then turned
// into landscape format and packed beside each other. The same graph gives the same places.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace agentnet {

struct Point {
  double x = 0, y = 0;
};

struct Layout {
  std::vector<Point> places;  // an edge is about 1 long, and no two nodes are closer than kClosest
  double width = 0, height = 0;
};

constexpr double kClosest = 0.45;

// Edges in any direction; loops and repetitions do no harm. Time and memory grow with the square of the nodes: for some
// hundreds of them.
[[nodiscard]] Layout layout_graph(std::size_t nodes, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges);

}  // namespace agentnet
