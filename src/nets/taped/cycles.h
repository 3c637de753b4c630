// All cycles, induced cycles and cliques of a graph up to a size.
//
// The work is in proportion to what is found: a path is only extended where a shortest way back, past the path itself,
// proves that a cycle will come of it; every clique is extended only to larger ones, which are found things themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "nets/taped/simple_graph.h"

namespace agentnet {

using VisitNodes = std::function<void(std::span<const Index> nodes)>;

// Calls visit() once for every cycle of 3 to `longest` nodes, which are in the order of the cycle; of those without
// chords only, if `induced`. False: there are more than `most`, and it was given up there. `looked` (optional) gets the
// number of entries of neighbour lists that were looked at, which tests hold against what is found.
[[nodiscard]] bool for_each_cycle(const SimpleGraph& graph, int longest, bool induced, std::uint64_t most,
                                  const VisitNodes& visit, std::uint64_t* looked = nullptr);

// The same of sets of 3 to `largest` nodes that are all next to each other.
[[nodiscard]] bool for_each_clique(const SimpleGraph& graph, int largest, std::uint64_t most, const VisitNodes& visit);

// How many are looked at in one graph before it is refused.
inline constexpr std::uint64_t kMostStructures = 20'000'000;

}  // namespace agentnet
