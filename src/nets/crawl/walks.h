// Random walks over the graphs of a batch, and what a window over them sees.
//
// Letters: w walks, l positions of each, s the size of the window. Nodes and edges are numbered through the batch.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tensor/kernels.h"

namespace agentnet {

// Edge e of node v, for e in [offsets[v], offsets[v + 1]), leads to targets[e]; ascending within a node.
struct WalkTerrain {
  std::span<const std::int64_t> offsets;  // [N + 1]
  std::span<const Index> targets;         // [E]

  [[nodiscard]] std::int64_t degree(Index v) const { return offsets[v + 1] - offsets[v]; }
  [[nodiscard]] bool adjacent(Index from, Index to) const;
};

enum class WalkMode { kNonBacktracking, kUniform };

// Takes l - 1 steps from each start: nodes [w, l], edges [w, l - 1]. draw(j, i) is a uniform number below 2^63 for step
// i of walk j. Non-backtracking: a walk goes back the way it came only where there is no other. Starts have edges.
using WalkDraw = std::function<std::uint64_t(Index walk, Index step)>;
void take_walks(const WalkTerrain& terrain, std::span<const Index> starts, Index length, WalkMode mode,
                const WalkDraw& draw, Index* nodes, Index* edges);

// Which columns a window has.
struct WindowColumns {
  Index size = 8;  // s
  bool identity = true;
  bool adjacency = true;

  [[nodiscard]] Index count() const { return (identity ? size : 0) + (adjacency ? size - 1 : 0); }
};
// out [w l, count]: column q < s is 1 where the node is that of s - q positions before; column s + q, q < s - 1, where
// it is next to that node. (The predecessor is always next to it and has no column.) Before the start all is 0.
template <class S>
void window_features(const WalkTerrain& terrain, std::span<const Index> nodes, Index length,
                     const WindowColumns& columns, S* out);

// The starts of the published code in training with a share of the nodes, from its draws: one walk in every graph, then
// one in the graph of each of the first nodes of a permutation. first[g] is the first node of graph g, first[B] = N.
[[nodiscard]] std::vector<Index> published_starts(const WalkTerrain& terrain, std::span<const std::int64_t> first,
                                                  std::size_t walks, std::span<const std::int64_t> permutation,
                                                  std::span<const std::int64_t> node_draws);
// Every node that has edges.
[[nodiscard]] std::vector<Index> all_starts(const WalkTerrain& terrain);

}  // namespace agentnet
