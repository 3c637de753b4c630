// What the machine's answers are compared with: plain counting, colour refinement and an isomorphism test that try
// everything. They share nothing with the machine but the graphs.
#pragma once

#include <cstdint>
#include <vector>

#include "theory/judges/small_graph.h"

namespace agentnet::theory {

// Whether there is a bijection that keeps edges and labels, and maps root to root where roots are given (>= 0).
[[nodiscard]] bool isomorphic(const SmallGraph& g, const SmallGraph& h, int root_g = -1, int root_h = -1);

// The number of sets of nodes around v that induce a copy of H in which v has the role of v0.
[[nodiscard]] std::uint64_t count_induced(const SmallGraph& g, int v, const SmallGraph& h, int v0);
// Cliques that contain v, by size: [nodes + 1], entries 0 and 1 are 0 and 1.
[[nodiscard]] std::vector<std::uint64_t> count_cliques(const SmallGraph& g, int v);
// Cycles of `length` nodes through v, induced or not.
[[nodiscard]] std::uint64_t count_cycles(const SmallGraph& g, int v, int length);

// Colour refinement (1-WL) of several graphs at once, so that colours can be compared: colours[graph][node]. `rounds`
// below 0: until nothing changes.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> refine_colours(const std::vector<SmallGraph>& graphs,
                                                                     int rounds = -1);
// The same from given colours, instead of the labels.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> refine_colours(const std::vector<SmallGraph>& graphs,
                                                                     std::vector<std::vector<std::uint32_t>> colours,
                                                                     int rounds = -1);
// Whether the multisets of colours differ.
[[nodiscard]] bool told_apart_by_1wl(const SmallGraph& g, const SmallGraph& h);
// The folklore variant on pairs of nodes, which the paper calls 2-WL.
[[nodiscard]] bool told_apart_by_2fwl(const SmallGraph& g, const SmallGraph& h);
// 1-WL from the numbers of all connected induced subgraphs of up to `size` nodes at every node, by isomorphism type and
// role: what GSN may preprocess.
[[nodiscard]] bool told_apart_by_subgraph_counts(const SmallGraph& g, const SmallGraph& h, int size);

}  // namespace agentnet::theory
