// The programmed AgentNet: the paper's four steps of a visit with exact injective functions in place of learned ones.
//
//   States states;
//   Machine machine(graph, states, {start});
//   UniformWalk policy(states);
//   Policy* policies[] = {&policy};
//   machine.run(policies, 100, random);          // 100 moves: 101 visits
//   read(states, machine.agent(0));
//
// It runs on any GraphView, in memory or mapped, and holds states of the nodes that agents stood on or next to only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "agentnet/graph.h"
#include "core/random.h"
#include "theory/machine/policy.h"
#include "theory/machine/rational.h"
#include "theory/machine/states.h"

namespace agentnet::theory {

// Nodes and their states. Open addressing: a copy, which enumerations make all the time, is a copy of one array.
class NodeTable {
 public:
  NodeTable() : slots_(16) {}
  // The state of a node; nullptr: the node has not been touched.
  [[nodiscard]] const NodeState* find(std::uint64_t node) const {
    const Slot& slot = slots_[slot_of(node)];
    return slot.node == node ? &slot.state : nullptr;
  }
  void set(std::uint64_t node, NodeState state);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t node = kFree;
    NodeState state;
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  [[nodiscard]] std::size_t slot_of(std::uint64_t node) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>((node * 0x9E3779B97F4A7C15u) >> 32) & mask;
    while (slots_[at].node != kFree && slots_[at].node != node) at = (at + 1) & mask;
    return at;
  }

  std::vector<Slot> slots_;  // a power of two
  std::size_t size_ = 0;
};

// The states belong to one thread, and so does a machine on them. Copies are independent of each other.
class Machine {
 public:
  // Agents with ids 1 .. b, one per start, or with the ids given. Throws Error (kUsage) for a start that is no node.
  Machine(const GraphView& graph, States& states, std::span<const std::uint64_t> starts,
          std::span<const std::uint32_t> ids = {});

  // One visit by all agents: node update, neighbourhood aggregation, agent update.
  void visit();
  // The nodes that an agent may go to next, its own first, and their states; valid until the next call.
  struct Candidate {
    std::uint64_t node = 0;
    NodeState state;
  };
  [[nodiscard]] std::span<const Candidate> candidates(std::size_t agent);
  void place(std::size_t agent, std::uint64_t node) { positions_[agent] = node; }

  // A visit, and then so many times a move of all agents and a visit. One policy per agent; moves are simultaneous.
  void run(std::span<Policy* const> policies, std::size_t moves, RandomSequence& random);
  // The move alone.
  void move(std::span<Policy* const> policies, RandomSequence& random);

  [[nodiscard]] std::size_t agents() const { return positions_.size(); }
  [[nodiscard]] AgentState agent(std::size_t agent) const { return agent_states_[agent]; }
  [[nodiscard]] std::uint64_t position(std::size_t agent) const { return positions_[agent]; }
  [[nodiscard]] std::uint32_t visits() const { return time_; }
  // Nodes that were visited or looked at: what a rollout would have read.
  [[nodiscard]] std::size_t nodes_touched() const { return nodes_.size(); }
  [[nodiscard]] NodeState state_of(std::uint64_t node);

 private:
  void mark_nodes();
  void look_around();

  const GraphView* graph_;
  States* states_;
  std::vector<std::uint64_t> positions_;
  std::vector<AgentState> agent_states_;
  NodeTable nodes_;
  std::uint32_t time_ = 0;
  // Scratch
  std::vector<AgentState> messages_;
  std::vector<NodeState> around_;
  std::vector<std::uint64_t> occupied_;
  std::vector<NodeState> marked_, looked_;  // of the nodes of occupied_
  std::vector<Candidate> candidates_;       // of the node of the first, as things stand; empty: to be found
  std::optional<NodeState> plain_;          // of a node without features
  std::vector<std::uint32_t> weights_, features_;
};

}  // namespace agentnet::theory
