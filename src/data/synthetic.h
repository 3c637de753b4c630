// Built-in sets of graphs with known answers (SPEC section 5).
#pragma once

#include <cstdint>

#include "agentnet/graph.h"

namespace agentnet {

// 4-cycles: 16 nodes in four blocks of four. Blocks 0-2 and 1-3 are matched by identity, blocks 0-1 and 2-3 by two
// random permutations; the class is 1 if the permutations agree somewhere, which closes a 4-cycle. Both classes
// look the same to standard message-passing networks: every node has degree 2. Half the graphs are of each class, in
// random order. One constant feature per node.
[[nodiscard]] GraphSet four_cycles(std::size_t graphs, std::uint64_t seed);

}  // namespace agentnet
