// What the agents say after every visit: o = phi_o(a + time), pooled as [max, mean] over the agents
// of a graph, then the head (docs/spec.md, section 2).
#pragma once

#include "nets/agentnet/block.h"

namespace agentnet {

template <class S>
struct ReadoutRecord {
  Matrix<S> xhat;            // [A, h]
  S* rstd = nullptr;         // [A]
  Matrix<S> hidden;          // [A, 2mh] only with a two-layer phi_o
  Index* arg_max = nullptr;  // [B, 2h] the agent with the largest entry
  Matrix<S> pooled;          // [B, 4h]
  Matrix<S> head_hidden;     // [B, 2h] only with a two-layer head
};

// out [B, C] = the output of this visit, from walk.agents (already updated).
template <class S>
void readout_forward(const Walk<S>& walk, int t, ReadoutRecord<S>& record, Matrix<S> out);

// Adds to walk.d_agents the gradient that d_out [B, C] sends back; d_out may be changed.
template <class S>
void readout_backward(const Walk<S>& walk, int t, const ReadoutRecord<S>& record, Matrix<S> d_out);

}  // namespace agentnet
