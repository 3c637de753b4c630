// Step 1 of a visit: agents leave their message on the node they stand on (docs/spec.md, section 2), and the
// merged variants of the paper's appendix C, in which the node looks around in the same step.
#pragma once

#include "nets/agentnet/block.h"
#include "nets/agentnet/edge_attention.h"
#include "nets/agentnet/messages.h"

namespace agentnet {

template <class S>
struct NodeUpdateRecord {
  // phi(a, e_taken); without edge features phi is the agent's state itself.
  Matrix<S> phi;          // [A, h]
  Matrix<S> phi_xhat;     // [A, h + e]
  S* phi_rstd = nullptr;  // [A]

  BlockRecord<S> block;
  Matrix<S> old_states;              // [U, h] of the occupied nodes
  EdgeAttentionRecord<S> attention;  // Merge::kWalk
  MessageRecord<S> merged;           // Merge::kNode and kAgent
  Matrix<S> agent_delta;             // [U, h] Merge::kAgent and kWalk: what the agents on a node receive
};

// Updates the occupied nodes' states; with Merge::kAgent and kWalk also walk.agents' successors `new_agents` [A, h].
template <class S>
void node_update_forward(const Walk<S>& walk, Messages<S>& messages, const Occupied<S>& occupied, int t,
                         NodeUpdateRecord<S>& record, Matrix<S> new_agents);

// Takes the nodes' states back to what they were, and adds to walk.d_nodes, d_agents, d_edges and d_weight.
template <class S>
void node_update_backward(const Walk<S>& walk, Messages<S>& messages, const Occupied<S>& occupied, int t,
                          const NodeUpdateRecord<S>& record);

// states[rows[i]] += delta[i], after saving what was there; and the way back.
template <class S>
[[nodiscard]] Matrix<S> add_to_nodes(const Walk<S>& walk, Index count, const Index* rows, Matrix<S> delta);
template <class S>
void restore_nodes(const Walk<S>& walk, Index count, const Index* rows, Matrix<S> old_states);

}  // namespace agentnet
