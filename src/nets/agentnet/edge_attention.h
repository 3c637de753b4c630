// Merge::kWalk: looking around and choosing where to go share one attention over the edges of a node, after
// the GATv2 convolution (paper, appendix C, the last of the "possible model simplifications").
//
//   u_ij = LeakyReLU_0.2(W_t LN(v_j) + W_s LN(v_i) + W_e e_ij + b)       one vector per candidate edge
//   what a node sees:   c * scale(c) * sum over its c neighbours of softmax_j(heads[0] . u_ij) v_j
//   where agents go:    the logit of moving from i to j is heads[1] . u_ij, the same for every agent on i
//
// All of it reads the states before the visit.
#pragma once

#include "nets/agentnet/walk.h"

namespace agentnet {

template <class S>
struct EdgeAttentionRecord {
  // The nodes involved, each once: the occupied ones and all their candidates.
  Index rows = 0;
  const Index* row = nullptr;  // [rows]
  Matrix<S> xhat;              // [rows, h]
  S* rstd = nullptr;           // [rows]
  Matrix<S> target;            // [rows, h] W_t LN(v)
  const Index* own = nullptr;  // [U] which of the rows an occupied node is
  Matrix<S> source;            // [U, h] W_s LN(v) + b

  const std::int64_t* first = nullptr;  // [U + 1] into the following, one entry per candidate
  const Index* which = nullptr;         // which of the rows
  const Index* edge = nullptr;          // edge row; only with edge features
  Matrix<S> feature;                    // [candidates, h] W_e e
  S* share = nullptr;                   // softmax of the first head over the neighbours; 0 for staying
  S* logit = nullptr;                   // of the second head
  S* d_logit = nullptr;                 // its gradient, collected by the move's backward
};

// out [U, h] = what the occupied nodes see, plus the offset row.
template <class S>
void edge_attention_forward(const Walk<S>& walk, const Occupied<S>& occupied, OffsetRows<S> offsets,
                            EdgeAttentionRecord<S>& record, Matrix<S> out);

// Adds the gradients of d_out [U, h] and of record.d_logit to walk.d_nodes, d_edges and the weights.
template <class S>
void edge_attention_backward(const Walk<S>& walk, const Occupied<S>& occupied, const EdgeAttentionRecord<S>& record,
                             Matrix<S> d_out);

}  // namespace agentnet
