// Step 3 of a visit: agents read the node they stand on (docs/spec.md, section 2).
#pragma once

#include "nets/agentnet/block.h"

namespace agentnet {

template <class S>
struct AgentUpdateRecord {
  BlockRecord<S> block;
};

// new_agents [A, h] = agents + f_a([a, w v, w e_taken] + offsets); w has value 1. With a window, the first layer of f_a
// also reads w times the bits of window.h.
template <class S>
void agent_update_forward(const Walk<S>& walk, int t, AgentUpdateRecord<S>& record, Matrix<S> new_agents);

// walk.d_agents: gradient of new_agents -> of agents. Adds to d_nodes, d_edges and d_weight.
template <class S>
void agent_update_backward(const Walk<S>& walk, int t, const AgentUpdateRecord<S>& record);

}  // namespace agentnet
