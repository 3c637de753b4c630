// Bags of subgraphs (Bevilacqua et al., ICLR 2022): a graph becomes a set of graphs, each without some of its edges.
//
// Every subgraph keeps all n nodes: a deleted node, or one outside an ego net, stays without edges. Copy s of node v is
// node s n + v of the bag.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/kernels.h"

namespace agentnet {

enum class BagPolicy {
  kEdgeDeleted,  // one for each undirected edge, in the order of (smaller end, larger end), which lacks it
  kNodeDeleted,  // one for each node, which lacks its edges
  kEgoNets,      // one for each node: the edges between nodes that are at most some hops away
  kEgoNetsPlus,  // the same, and nodes know whether they are the root
};

// Node v receives the edges offsets[v] .. offsets[v + 1] - 1 from senders, which ascend.
struct BagGraph {
  Index nodes = 0;
  std::span<const std::int64_t> offsets;  // [n + 1]; the first need not be 0
  std::span<const Index> senders;         // [offsets[n] - offsets[0]], local numbers
};

struct Bag {
  Index subgraphs = 0;
  std::vector<std::int64_t> offsets = {0};  // [subgraphs n + 1]
  std::vector<Index> senders;               // of each node of the bag: nodes of the bag
  std::vector<Index> edges;                 // [senders] which edge of the graph it is, counted from its first
};

// How many subgraphs there are. A graph without edges has one of kEdgeDeleted: itself.
[[nodiscard]] Index bag_size(const BagGraph& graph, BagPolicy policy);
// The subgraphs with these numbers, in this order. Time is linear in what comes out.
[[nodiscard]] Bag make_bag(const BagGraph& graph, BagPolicy policy, int hops, std::span<const Index> numbers);

// At least 1: fraction * size, rounded up.
[[nodiscard]] Index sample_size(Index size, double fraction);

}  // namespace agentnet
