// The sets of all graphs of a batch, as a formula reads them.
#pragma once

#include <optional>
#include <span>

#include "nets/kgnn/node_sets.h"
#include "nets/taped/formula.h"

namespace agentnet {

// Which columns of the node features are a one-hot label: none where there are no columns.
struct LabelColumns {
  Index first = 0;
  Index count = 1;   // L
  bool any = false;  // without, every node has label 0
};

struct SetWish {
  SetFamily family = SetFamily::kTwoMalkin;
  SetTypes types = SetTypes::kInvariant;
  LabelColumns labels;
  std::span<const int> known_types;  // ascending; empty: all that can be
};

// S sets of k nodes.
template <class S>
struct BatchSets {
  tape::Segments members;        // of each set: its nodes
  tape::Segments neighbours;     // of each set: the sets beside it; symmetric
  tape::Segments graphs;         // of each graph: its sets
  std::span<const Index> types;  // [S] the column of its type
  tape::Value<S> typed;          // [S, 1]: 0 where the type is not a known one; none if all are
};

// Throws Error (kData) for more nodes or sets than can be listed.
template <class S>
[[nodiscard]] BatchSets<S> make_sets(Formula<S>& f, const SetWish& wish);

// Graph b of the batch with its labels: the sum of j times column j, cut to a whole number below L.
template <class S>
[[nodiscard]] LabelledGraph labelled_graph(const GraphArrays<S>& graphs, Index b, const LabelColumns& labels);

}  // namespace agentnet
