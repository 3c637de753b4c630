// What an agent remembers: functions of its state, computed visit by visit.
//
// An agent's state holds all of its visits, nested. Whatever a policy derives from it is a function of the state, but
// reading it from the beginning at every step would take quadratic time. Recollection keeps what the state before led
// to and goes on from there; asked about an unrelated state it begins at that agent's beginning. Either way the answer
// depends on the state alone.
#pragma once

#include <cstdint>
#include <vector>

#include "theory/machine/states.h"

namespace agentnet::theory {

// What one visit tells the agent about its node. Who its neighbours are, a node tells at the first visit; at later ones
// `fresh` and `known` are empty, since reading them again is most of the work of a search and tells nothing new.
struct Sight {
  std::uint32_t time = 0;
  std::uint32_t before = kNever;     // when it was here last
  NodeState feature;                 // the node's features
  std::uint32_t fresh = 0;           // neighbours that it has never visited
  std::vector<std::uint32_t> known;  // when it was last on each of the other neighbours

  [[nodiscard]] std::uint32_t degree() const { return fresh + static_cast<std::uint32_t>(known.size()); }
};

// Reads the last visit of an agent's state. A neighbour that is the node itself (a self loop) is left out.
void read_sight(const States& states, AgentState agent, Sight& sight);

// Memory: default-constructed through `fresh`, told every visit by visit(const Sight&).
template <class Memory>
class Recollection {
 public:
  Recollection(const States& states, Memory fresh) : states_(&states), fresh_(fresh), memory_(fresh) {}

  [[nodiscard]] const Memory& of(AgentState agent) {
    if (known_ && agent == state_) return memory_;
    missing_.clear();
    AgentState at = agent;
    while (states_->kind(at) == StateKind::kVisited && !(known_ && at == state_)) {
      missing_.push_back(at);
      at = states_->visit(at).before;
    }
    if (states_->kind(at) != StateKind::kVisited) memory_ = fresh_;
    for (auto visit = missing_.rbegin(); visit != missing_.rend(); ++visit) {
      read_sight(*states_, *visit, sight_);
      memory_.visit(sight_);
    }
    known_ = true;
    state_ = agent;
    return memory_;
  }

 private:
  const States* states_;
  Memory fresh_, memory_;
  bool known_ = false;
  AgentState state_;  // whose memory memory_ is
  Sight sight_;
  std::vector<AgentState> missing_;
};

// The map that an agent draws: the places it visited, in the order of the first visits, and which of them are adjacent.
struct Journal {
  struct Place {
    NodeState feature;
    std::uint32_t first = 0, last = 0;  // times of visits
    std::uint32_t degree = 0;           // in the graph
    std::uint32_t fresh = 0;            // neighbours not yet visited
    std::vector<std::uint32_t> next;    // adjacent places
  };
  std::vector<Place> places;
  std::vector<std::uint32_t> way;  // the place of every visit, by time

  void visit(const Sight& sight);
  [[nodiscard]] std::uint32_t here() const { return way.back(); }
};

// The journal of a single state.
[[nodiscard]] Journal journal_of(const States& states, AgentState agent);

}  // namespace agentnet::theory
