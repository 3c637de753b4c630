#include "theory/machine/policies.h"

namespace agentnet::theory {

std::uint32_t UniformWalk::weight(AgentState agent, NodeState candidate) {
  return candidate == states_->visit(agent).node ? 0 : 1;
}

std::uint32_t Stay::weight(AgentState agent, NodeState candidate) {
  return candidate == states_->visit(agent).node ? 1 : 0;
}

void DepthFirst::visit(const Sight& sight) {
  journal.visit(sight);
  const Journal::Place& here = journal.places[journal.here()];
  if (sight.before == kNever) {
    // This node is no longer a fresh neighbour of those that it is next to.
    for (const std::uint32_t other : here.next) fresh_places_ -= journal.places[other].fresh == 0 ? 1 : 0;
    fresh_places_ += here.fresh > 0 ? 1 : 0;
  }
  if (fresh_places_ == 0) {
    wish = {};
  } else if (here.fresh > 0) {
    wish = {Wish::Kind::kUnvisited, 0};
  } else {
    // Its first visit came from its parent. There is one: the start has no fresh neighbours only when all is done.
    wish = {Wish::Kind::kBack, journal.places[journal.way[here.first - 1]].last};
  }
}

bool Deepening::all_seen() const {
  for (std::size_t place = 0; place < journal.places.size(); ++place) {
    if (distance[place] < radius && journal.places[place].fresh > 0) return false;
  }
  return true;
}

bool Deepening::has_unvisited(std::uint32_t place) const {
  if (journal.places[place].fresh > 0) return true;
  for (const std::uint32_t other : journal.places[place].next) {
    if (visited_in_[other] != iteration_) return true;
  }
  return false;
}

void Deepening::visit(const Sight& sight) {
  journal.visit(sight);
  const std::uint32_t here = journal.here();
  if (sight.before == kNever) {
    distance.push_back(here == 0 ? 0 : iteration_);
    visited_in_.push_back(0);
    parent_.push_back(0);
  }
  if (visited_in_[here] != iteration_) {
    visited_in_[here] = iteration_;
    parent_[here] = here == 0 ? 0 : journal.way[journal.way.size() - 2];
  }
  choose();
}

void Deepening::choose() {
  const std::uint32_t here = journal.here();
  if (all_seen()) {
    wish = {};
    return;
  }
  while (true) {
    if (distance[here] < iteration_ && has_unvisited(here)) {
      wish = {Wish::Kind::kUnvisited, began_};
      return;
    }
    if (here != 0) {
      wish = {Wish::Kind::kBack, journal.places[parent_[here]].last};
      return;
    }
    ++iteration_;  // at the start, with nothing left in this iteration
    began_ = journal.places[0].last;
    visited_in_[0] = iteration_;
  }
}

}  // namespace agentnet::theory
