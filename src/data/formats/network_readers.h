// Readers of what network libraries write (formats.h): networkx, igraph, Gephi, nauty, d3. Each throws Error (kData)
// with file:line:column for whatever is malformed.
#pragma once

#include "agentnet/data.h"
#include "data/io/input.h"

namespace agentnet {

[[nodiscard]] Dataset read_gml(const Input& input, const DataOptions& options);
[[nodiscard]] Dataset read_gexf(const Input& input, const DataOptions& options);
[[nodiscard]] Dataset read_graph6(const Input& input, const DataOptions& options);
[[nodiscard]] Dataset read_node_link(const Input& input, const DataOptions& options);

}  // namespace agentnet
