// Step 2 of a visit: nodes look around (docs/spec.md, section 2).
#pragma once

#include "nets/agentnet/block.h"
#include "nets/agentnet/messages.h"

namespace agentnet {

// Who looks around: the occupied nodes, or all nodes in an ablation of the paper.
struct Onlookers {
  Index count = 0;
  const Index* row = nullptr;
  const Index* graph = nullptr;
  const std::uint32_t* node = nullptr;
};

template <class S>
struct NeighbourhoodRecord {
  Onlookers who;
  BlockRecord<S> block;
  MessageRecord<S> messages;
  Matrix<S> old_states;  // [count, h]
};

template <class S>
void neighbourhood_forward(const Walk<S>& walk, Messages<S>& messages, const Onlookers& who, int t,
                           NeighbourhoodRecord<S>& record);

// Takes the nodes' states back and adds to walk.d_nodes.
template <class S>
void neighbourhood_backward(const Walk<S>& walk, Messages<S>& messages, int t, const NeighbourhoodRecord<S>& record);

}  // namespace agentnet
