// Whether every edge of a graph also goes back, with the same features: formats that know undirected edges then write
// it once.
#pragma once

#include "agentnet/graph.h"

namespace agentnet {

[[nodiscard]] bool is_symmetric(const GraphView& graph);

}  // namespace agentnet
