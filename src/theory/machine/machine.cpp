#include "theory/machine/machine.h"

#include <algorithm>
#include <bit>
#include <string>

#include "agentnet/error.h"

namespace agentnet::theory {

void NodeTable::set(std::uint64_t node, NodeState state) {
  Slot& slot = slots_[slot_of(node)];
  if (slot.node == node) {
    slot.state = state;
    return;
  }
  slot = {node, state};
  if (2 * ++size_ <= slots_.size()) return;
  std::vector<Slot> old(4 * slots_.size());
  old.swap(slots_);
  for (const Slot& held : old) {
    if (held.node != kFree) slots_[slot_of(held.node)] = held;
  }
}

Machine::Machine(const GraphView& graph, States& states, std::span<const std::uint64_t> starts,
                 std::span<const std::uint32_t> ids)
    : graph_(&graph), states_(&states), positions_(starts.begin(), starts.end()) {
  for (std::size_t a = 0; a < starts.size(); ++a) {
    if (starts[a] >= graph.num_nodes) {
      throw Error(ErrorKind::kUsage,
                  "agent " + std::to_string(a + 1) + " starts on node " + std::to_string(starts[a]) +
                      ", but the graph has " + std::to_string(graph.num_nodes) + " nodes",
                  "nodes count from 0");
    }
    agent_states_.push_back(states.ready(ids.empty() ? static_cast<std::uint32_t>(a + 1) : ids[a]));
  }
}

NodeState Machine::state_of(std::uint64_t node) {
  if (const NodeState* known = nodes_.find(node)) return *known;
  if (graph_->node_categories.width == 0 && graph_->node_dense.width == 0) {  // all begin in the same state
    if (!plain_) plain_ = states_->feature({});
    nodes_.set(node, *plain_);
    return *plain_;
  }
  features_.clear();
  for (int c = 0; c < graph_->node_categories.width; ++c) {
    features_.push_back(static_cast<std::uint32_t>(graph_->node_categories.value(node, static_cast<std::size_t>(c))));
  }
  if (graph_->node_dense.width > 0) {
    std::vector<float> dense(static_cast<std::size_t>(graph_->node_dense.width));
    graph_->node_dense.copy(node, dense.data());
    for (const float value : dense) features_.push_back(std::bit_cast<std::uint32_t>(value));
  }
  const NodeState state = states_->feature(features_);
  nodes_.set(node, state);
  return state;
}

// v_i^t = f_v(v_i^{t-1}, {a_j^{t-1}}, t) for the nodes that agents stand on.
void Machine::mark_nodes() {
  occupied_.assign(positions_.begin(), positions_.end());
  if (occupied_.size() > 1) {
    std::sort(occupied_.begin(), occupied_.end());
    occupied_.erase(std::unique(occupied_.begin(), occupied_.end()), occupied_.end());
  }
  marked_.clear();
  for (const std::uint64_t node : occupied_) {
    messages_.clear();
    for (std::size_t a = 0; a < positions_.size(); ++a) {
      if (positions_[a] == node) messages_.push_back(agent_states_[a]);
    }
    marked_.push_back(states_->marked(state_of(node), time_, messages_));
    nodes_.set(node, marked_.back());
  }
}

// v_i^t = f_n(v_i^t, {v_j^t}) for the same nodes, all at once: neighbours are read as f_v left them.
void Machine::look_around() {
  looked_.clear();
  candidates_.clear();
  for (std::size_t i = 0; i < occupied_.size(); ++i) {
    const std::uint64_t node = occupied_[i], end = graph_->offsets[node + 1];
    around_.clear();
    candidates_.assign(1, {node, {}});
    for (std::uint64_t e = graph_->offsets[node]; e < end; ++e) {
      const std::uint64_t neighbour = graph_->neighbour(e);
      around_.push_back(state_of(neighbour));
      if (neighbour != node) candidates_.push_back({neighbour, around_.back()});
    }
    looked_.push_back(states_->looked(marked_[i], around_));
    candidates_[0].state = looked_.back();
  }
  // What the last node's agents saw are their candidates, unless other nodes change now.
  if (occupied_.size() != 1) candidates_.clear();
  for (std::size_t i = 0; i < occupied_.size(); ++i) nodes_.set(occupied_[i], looked_[i]);
}

void Machine::visit() {
  mark_nodes();
  look_around();
  // a_i^t = f_a(a_i^{t-1}, v^t)
  for (std::size_t a = 0; a < positions_.size(); ++a) {
    const NodeState node = occupied_.size() == 1 ? looked_[0] : *nodes_.find(positions_[a]);
    agent_states_[a] = states_->visited(agent_states_[a], node);
  }
  ++time_;
}

std::span<const Machine::Candidate> Machine::candidates(std::size_t agent) {
  const std::uint64_t node = positions_[agent];
  if (!candidates_.empty() && candidates_[0].node == node) return candidates_;
  candidates_.clear();
  candidates_.push_back({node, state_of(node)});
  const std::uint64_t end = graph_->offsets[node + 1];
  for (std::uint64_t e = graph_->offsets[node]; e < end; ++e) {
    const std::uint64_t neighbour = graph_->neighbour(e);
    if (neighbour != node) candidates_.push_back({neighbour, state_of(neighbour)});
  }
  return candidates_;
}

void Machine::move(std::span<Policy* const> policies, RandomSequence& random) {
  occupied_.assign(positions_.begin(), positions_.end());  // where they go; all choose before anybody moves
  for (std::size_t a = 0; a < positions_.size(); ++a) {
    const auto choice = candidates(a);
    weights_.clear();
    std::uint64_t sum = 0;
    for (const Candidate& candidate : choice) {
      weights_.push_back(policies[a]->weight(agent_states_[a], candidate.state));
      sum += weights_.back();
    }
    if (sum == 0) continue;
    std::uint64_t left = random.below(sum);
    std::size_t chosen = 0;
    while (left >= weights_[chosen]) left -= weights_[chosen++];
    occupied_[a] = choice[chosen].node;
  }
  positions_ = occupied_;
}

void Machine::run(std::span<Policy* const> policies, std::size_t moves, RandomSequence& random) {
  visit();
  for (std::size_t step = 0; step < moves; ++step) {
    move(policies, random);
    visit();
  }
}

}  // namespace agentnet::theory
