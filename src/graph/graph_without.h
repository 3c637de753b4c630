// A copy of a graph from which something was taken away: how counterfactual questions are asked.
#pragma once

#include <cstdint>
#include <span>

#include "agentnet/graph.h"

namespace agentnet {

// The graph without the nodes i with gone[i] != 0 and their edges; the others keep their order. At least one must stay.
[[nodiscard]] Graph graph_without_nodes(const GraphView& graph, std::span<const char> gone);

// The graph without an edge, or without it and its reverse.
[[nodiscard]] Graph graph_without_edge(const GraphView& graph, std::uint64_t from, std::uint64_t to,
                                       bool both_directions);

}  // namespace agentnet
