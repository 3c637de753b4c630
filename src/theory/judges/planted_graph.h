// Graphs that are hard for walks: parts of very different size and density that hang together by a few edges.
#pragma once

#include <cstdint>

#include "agentnet/graph.h"

namespace agentnet::theory {

// A large part (a random graph, a lattice, or one that grew by preferential attachment with triangles) of 3,000 to
// 30,000 nodes and one to five others: cliques, dense random graphs, trees, stars; each tied by one to three edges to
// one of the parts before it. The same seed gives the same graph.
[[nodiscard]] Graph planted_graph(std::uint64_t seed);

}  // namespace agentnet::theory
