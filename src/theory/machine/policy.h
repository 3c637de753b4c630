// What decides where an agent goes: a function of the agent's state and a candidate's state, and of nothing else.
//
// This header and those of the policies do not know what a graph is. A policy is given the table of states to read
// them back; two candidates in the same state get the same weight because they are the same argument.
#pragma once

#include <cstdint>

#include "theory/machine/states.h"

namespace agentnet::theory {

class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;
  // The machine normalises: a candidate is chosen with probability weight / (sum over the candidates). Candidates are
  // the neighbours of the agent's node and the node itself. If all weights are 0 the agent stays.
  [[nodiscard]] virtual std::uint32_t weight(AgentState agent, NodeState candidate) = 0;
};

}  // namespace agentnet::theory
