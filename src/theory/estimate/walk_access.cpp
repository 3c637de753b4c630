#include "theory/estimate/walk_access.h"

#include <algorithm>

namespace agentnet::theory {

AgentWalk::AgentWalk(Machine& machine, const States& states)
    : machine_(&machine), recollection_(states, {}), walk_(states), return_(states) {
  arrive();
}

void AgentWalk::arrive() {
  machine_->visit();
  here_ = journal().here();
}

void AgentWalk::step(RandomSequence& random) {
  Policy* const policies[] = {&walk_};
  machine_->move(policies, random);
  arrive();
}

// The shortest way through known places, hop by hop: every hop is a move of the machine by a policy.
void AgentWalk::go(std::uint64_t name) {
  std::vector<std::uint32_t> towards(journal().places.size(), kNever);  // the next place on the way to `name`
  std::vector<std::uint32_t> queue{static_cast<std::uint32_t>(name)};
  towards[name] = static_cast<std::uint32_t>(name);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t next : journal().places[queue[i]].next) {
      if (towards[next] != kNever) continue;
      towards[next] = queue[i];
      queue.push_back(next);
    }
  }
  RandomSequence unused(0, Purpose::kMove);  // one candidate has all the weight
  Policy* const policies[] = {&return_};
  while (here_ != name) {
    return_.time = journal().places[towards[here_]].last;
    machine_->move(policies, unused);
    arrive();
  }
}

bool AgentWalk::adjacent(std::uint64_t a, std::uint64_t b) {
  const std::vector<std::uint32_t>& next = journal().places[a].next;
  return std::find(next.begin(), next.end(), b) != next.end();
}

bool AgentWalk::explored() {
  const std::vector<Journal::Place>& places = journal().places;
  return std::all_of(places.begin(), places.end(), [](const Journal::Place& place) { return place.fresh == 0; });
}

}  // namespace agentnet::theory
