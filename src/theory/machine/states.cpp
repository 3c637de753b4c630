#include "theory/machine/states.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "agentnet/error.h"

namespace agentnet::theory {

namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint32_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

}  // namespace

States::States() : first_{0}, slots_(1024) {}

// The inputs are `head` followed by `tail`: two spans spare copying a multiset behind its head.
std::uint32_t States::intern(StateKind kind, std::span<const std::uint32_t> head, std::span<const std::uint32_t> tail) {
  std::uint64_t hash = mixed(0, static_cast<std::uint32_t>(kind));
  for (const std::uint32_t word : head) hash = mixed(hash, word);
  for (const std::uint32_t word : tail) hash = mixed(hash, word);
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = tag & mask;
  for (; slots_[at].number != 0; at = (at + 1) & mask) {
    if (slots_[at].hash != tag) continue;
    const std::uint32_t number = slots_[at].number - 1;
    const auto held = inputs(number);
    if (kind_of(number) == kind && held.size() == head.size() + tail.size() &&
        std::equal(head.begin(), head.end(), held.begin()) &&
        std::equal(tail.begin(), tail.end(), held.begin() + static_cast<std::ptrdiff_t>(head.size()))) {
      return number;
    }
  }
  if (size() >= std::numeric_limits<std::uint32_t>::max() - 1) {
    throw Error(ErrorKind::kFailure, "the machine has run out of numbers for states",
                "let programmed agents take fewer steps");
  }
  const auto number = static_cast<std::uint32_t>(size());
  words_.push_back(static_cast<std::uint32_t>(kind));
  words_.insert(words_.end(), head.begin(), head.end());
  words_.insert(words_.end(), tail.begin(), tail.end());
  first_.push_back(words_.size());
  slots_[at] = {tag, number + 1};
  if (2 * size() > slots_.size()) grow();
  return number;
}

void States::grow() {
  std::vector<Slot> old(4 * slots_.size());
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number == 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].number != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

NodeState States::feature(std::span<const std::uint32_t> features) {
  return {intern(StateKind::kFeature, features, {})};
}

NodeState States::marked(NodeState before, std::uint32_t time, std::span<AgentState> agents) {
  std::sort(agents.begin(), agents.end());
  sorted_.clear();
  for (const AgentState agent : agents) sorted_.push_back(agent.number);
  return {intern(StateKind::kMarked, std::array{before.number, time}, sorted_)};
}

NodeState States::looked(NodeState own, std::span<NodeState> neighbours) {
  std::sort(neighbours.begin(), neighbours.end());
  sorted_.clear();
  for (const NodeState neighbour : neighbours) sorted_.push_back(neighbour.number);
  return {intern(StateKind::kLooked, std::array{own.number}, sorted_)};
}

AgentState States::ready(std::uint32_t id) { return {intern(StateKind::kReady, std::array{id}, {})}; }

// The id comes along, so that reading it does not take the way back to the beginning.
AgentState States::visited(AgentState before, NodeState node) {
  return {intern(StateKind::kVisited, std::array{id(before), before.number, node.number}, {})};
}

std::uint32_t last_visit_of_marked(const States& states, NodeState node, std::uint32_t id) {
  while (states.kind(node) != StateKind::kFeature) {
    if (states.kind(node) == StateKind::kLooked) node = states.look(node).own;
    const States::Mark mark = states.mark(node);
    for (const std::uint32_t agent : mark.agents) {
      if (states.id({agent}) == id) return mark.time;
    }
    node = mark.before;
  }
  return kNever;
}

}  // namespace agentnet::theory
