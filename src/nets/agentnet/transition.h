// Step 4: agents move (docs/spec.md, section 2).
//
// Agents are taken in the order of the nodes they stand on ("slots"), so that the agents of a node
// are rows in a row: its candidates' states are then read once for all of them, and a hub with
// hundreds of neighbours and agents becomes a product of two small matrices.
#pragma once

#include "nets/agentnet/block.h"
#include "nets/agentnet/edge_attention.h"
#include "nets/agentnet/window.h"

namespace agentnet {

// A candidate that the agent has stood on before: x = decay^(s - 1), s moves ago.
template <class S>
struct Known {
  Index candidate;
  S x;
};

template <class S>
struct MoveRecord {
  Matrix<S> xhat;          // [A, h] the agents' normalised states, in slot order
  S* rstd = nullptr;       // [A]
  Matrix<S> query;         // [A, 2h + e] r = Wk'^T q: the logit is r . xhat_key / sqrt(width)
  S* query_sum = nullptr;  // [A] sum of the entries of r

  const std::int64_t* first = nullptr;  // [A + 1] an agent's candidates, each list padded to a multiple of 4
  S* probability = nullptr;             // p of every candidate, with noise and temperature
  S* logit = nullptr;                   // of every candidate, without them; only when explaining
  S* score = nullptr;                   // r . xhat_key of every candidate
  const Index* best = nullptr;          // [A] offset of the chosen candidate

  const std::int64_t* node_first = nullptr;  // [U + 1] into the next two
  S* key_mean = nullptr;                     // layer norm of [v_j, e, v_i], per node and candidate
  S* key_rstd = nullptr;

  const std::int64_t* known_first = nullptr;  // [A + 1] into `known`; only with exploration
  const Known<S>* known = nullptr;            // what the trails say about the candidates
  const Index* previous = nullptr;            // [A] the candidate that was left last, kNone: none

  CandidateBits window;  // only with window_moves

  Matrix<S> explore_hidden;  // [A, mh] of the MLP that gives an agent's own preferences
};

// Chooses where every agent goes: to [A] row, edge [A] edge row taken (kNone: none). `trail` is the list of
// positions so far, [t + 1][A]; step = t + 1 is the number of the move; `edges` holds the logits of Merge::kWalk.
template <class S>
void move_forward(const Walk<S>& walk, const Occupied<S>& occupied, const Index* const* trail, int step,
                  const EdgeAttentionRecord<S>& edges, MoveRecord<S>& record, Index* to, Index* edge);

// Takes d_weight [A], the gradient of the straight-through weights of this move, and adds to walk.d_agents,
// d_nodes, d_edges and the weights.
template <class S>
void move_backward(const Walk<S>& walk, const Occupied<S>& occupied, const EdgeAttentionRecord<S>& edges,
                   const MoveRecord<S>& record, const S* d_weight);

}  // namespace agentnet
