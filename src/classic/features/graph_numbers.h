// A few numbers about a graph as a whole, which trees see beside its labels.
#pragma once

#include <vector>

#include "agentnet/graph.h"
#include "agentnet/network.h"

namespace agentnet {

// How many there are for data of this shape.
[[nodiscard]] std::size_t num_graph_numbers(const DataShape& shape);

// Nodes, entries of neighbour lists, their ratio, the largest degree, the shares of nodes without a neighbour and with
// a single one, then the mean of each dense column of nodes and of edges (the first 256 of each).
void graph_numbers(const GraphView& graph, const DataShape& shape, std::vector<float>& out);

}  // namespace agentnet
