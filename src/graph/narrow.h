// Graphs of more than 2^32 nodes have wide neighbour lists, which only walking reads.
#pragma once

#include "agentnet/error.h"
#include "agentnet/graph.h"

namespace agentnet {

// For functions that use GraphView::neighbours: throws Error (kUsage) for a graph that has none.
inline void require_narrow(const GraphView& graph) {
  if (graph.wide_neighbours == nullptr) return;
  throw Error(ErrorKind::kUsage, "the set holds a graph of more than 2^32 nodes, which can only be walked",
              "use it with predict, or convert a smaller graph");
}

}  // namespace agentnet
