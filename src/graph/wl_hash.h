// Weisfeiler-Lehman hashes, to find graphs of a set that may be the same.
//
// A node's colour starts as a hash of its features. In every round it becomes a hash of itself and of the colours
// around it, each with the features of the edge and its direction; the graph's hash is that of the multiset of final
// colours.
//
// Isomorphic graphs with the same features have the same hash, however their nodes and edges are numbered. The
// converse is a suspicion only: a 6-cycle and two triangles agree, as do all pairs that the 1-WL test cannot tell
// apart, pairs that differ more than `rounds` steps from everywhere, and, once in 2^64, any two.
//
//   WlHasher hasher;
//   for (const GraphView& graph : set.views()) hashes.push_back(hasher(graph));
#pragma once

#include <cstdint>
#include <vector>

#include "agentnet/graph.h"

namespace agentnet {

// Keeps its memory from graph to graph: 24 bytes per node, and 8 per edge with features, of the largest one. Takes
// O(rounds * edges). Not for two threads at once.
class WlHasher {
 public:
  explicit WlHasher(int rounds = 3) : rounds_(rounds) {}
  [[nodiscard]] std::uint64_t operator()(const GraphView& graph);

 private:
  void start(const GraphView& graph);
  void hash_edges(const GraphView& graph);
  void refine(const GraphView& graph);

  int rounds_;
  std::vector<std::uint64_t> colours_;             // [n]
  std::vector<std::uint64_t> out_sums_, in_sums_;  // [n] over the neighbours
  std::vector<std::uint64_t> edges_;               // [entries] features, direction left out; empty: there are none
};

[[nodiscard]] std::uint64_t wl_hash(const GraphView& graph, int rounds = 3);

// A hash of two numbers that depends on their order.
[[nodiscard]] std::uint64_t combine_hashes(std::uint64_t a, std::uint64_t b);

}  // namespace agentnet
