// Graphs of one set copied to the end of another.
#pragma once

#include <span>
#include <string_view>

#include "agentnet/graph.h"
#include "graph/set_arrays.h"

namespace agentnet {

// Appends a copy of a graph whose columns are those of the set: nothing is checked. The widths of the edge columns are
// those of the first graph that has edges.
void append_graph(SetArrays& set, const GraphView& graph, std::span<const double> targets, std::string_view id,
                  const NodeNotes& notes);

}  // namespace agentnet
