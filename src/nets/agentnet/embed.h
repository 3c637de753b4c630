// Features -> states, at first observation (docs/spec.md, section 1).
#pragma once

#include <vector>

#include "nets/agentnet/walk.h"

namespace agentnet {

// Gradients with respect to the dense input features of one graph, as many rows as it has; empty: not asked for.
template <class S>
struct InputGradient {
  std::vector<S> nodes;  // [n, node_features]
  std::vector<S> edges;  // [feature rows, edge_features]
};

// Gives a state, and its mean and centred squares, to every row that Terrain has made since the last call.
template <class S>
void embed_observed(const Walk<S>& walk);

// Staying on a node with a loop of its own reads the loop's state: adds the gradients of such edge rows to the loops'.
template <class S>
void gather_loop_gradients(const Walk<S>& walk);

// Hands the gradients of all states on to the embedding's weights, and to the inputs where asked for
// (`inputs` is null or has an entry per graph of the shard).
template <class S>
void embed_backward(const Walk<S>& walk, InputGradient<S>* inputs);

}  // namespace agentnet
