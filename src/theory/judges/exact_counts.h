// What is in a graph, counted one by one: the judge of the estimates (estimate/), with which it shares nothing. Takes
// time in proportion to the edges times the largest number of later neighbours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agentnet/graph.h"

namespace agentnet::theory {

struct ExactCounts {
  double nodes = 0, ends = 0, wedges = 0, triangles = 0, cliques4 = 0;  // self loops do not count

  // By the name of a measure of estimate.h; of cliques, those of 4 nodes.
  [[nodiscard]] double of(const std::string& name) const;
};

// The nodes that can be reached from one, which is the first of them. The graph is undirected and in memory.
[[nodiscard]] std::vector<std::uint64_t> component_of(const GraphView& graph, std::uint64_t start);

// All nodes that an edge leads from to another node. In memory.
[[nodiscard]] std::vector<std::uint64_t> nodes_with_neighbours(const GraphView& graph);

// Of these nodes, a union of components.
[[nodiscard]] ExactCounts exact_counts(const GraphView& graph, const std::vector<std::uint64_t>& nodes);

}  // namespace agentnet::theory
