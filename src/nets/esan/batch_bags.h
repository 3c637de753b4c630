// The bags of all graphs of a batch, as a formula reads them.
#pragma once

#include <span>

#include "nets/esan/bags.h"
#include "nets/taped/formula.h"

namespace agentnet {

struct BagWish {
  BagPolicy policy = BagPolicy::kNodeDeleted;
  int hops = 2;
  double fraction = 1;             // of the subgraphs, drawn anew in every call
  int degrees = 0;                 // columns of a one-hot degree of nodes in their subgraph, 0 to degrees - 1; 0: none
  bool edges = false;              // whether edges are looked at one by one
  bool double_self_loops = false;  // as in the published code, where edges are deleted
};

// M nodes and K edges of all subgraphs, T subgraphs.
template <class S>
struct BatchBags {
  std::span<const Index> original;  // [M] the node of the batch that it is a copy of
  tape::Segments copies;            // of each node of the batch: its copies
  tape::Segments neighbours;        // of each copy: the copies that it receives from
  tape::Segments nodes;             // of each subgraph: its nodes
  tape::Segments subgraphs;         // of each graph: its subgraphs
  tape::Value<S> marks;             // [M, marks]: [1, 0] for roots and [0, 1] for others; degrees; or none of both

  // Where edges are looked at.
  std::span<const Index> senders;  // [K]
  tape::Segments sent;             // of each copy: its places among them
  tape::Segments received;         // of each copy: the edges that it receives
  // [K] which edge of the batch it is; E and more: self loop number e - E, whose features count twice.
  std::span<const Index> edges;
  tape::Segments of_edge;             // of each edge: its places among them
  std::span<const Index> self_loops;  // edges of the batch whose features are doubled

  std::span<const std::uint64_t> graph_ids;  // [M] what random draws are keyed by
  std::span<const std::uint32_t> numbers;    // [M]
};

[[nodiscard]] int mark_columns(const BagWish& wish);

// Throws Error (kData) for more nodes or edges than can be listed.
template <class S>
[[nodiscard]] BatchBags<S> make_bags(Formula<S>& f, const BagWish& wish);

}  // namespace agentnet
