#include "theory/machine/recollection.h"

#include <algorithm>

namespace agentnet::theory {

void read_sight(const States& states, AgentState agent, Sight& sight) {
  const std::uint32_t id = states.id(agent);
  const States::Look look = states.look(states.visit(agent).node);
  const States::Mark mark = states.mark(look.own);
  sight.time = mark.time;
  sight.before = last_visit(states, mark.before, id);
  sight.feature = first_state(states, mark.before);
  sight.fresh = 0;
  sight.known.clear();
  if (sight.before != kNever) return;
  for (const std::uint32_t neighbour : look.neighbours) {
    if (neighbour == look.own.number) continue;
    const std::uint32_t time = last_visit(states, {neighbour}, id);
    if (time == kNever) {
      ++sight.fresh;
    } else {
      sight.known.push_back(time);
    }
  }
}

void Journal::visit(const Sight& sight) {
  const bool first = sight.before == kNever;
  const std::uint32_t here = first ? static_cast<std::uint32_t>(places.size()) : way[sight.before];
  way.push_back(here);
  if (first) {
    places.push_back({sight.feature, sight.time, sight.time, sight.degree(), sight.fresh, {}});
    places[here].next.reserve(std::min<std::size_t>(sight.degree(), 16));  // a hub may have few that were visited
    for (const std::uint32_t time : sight.known) {
      const std::uint32_t other = way[time];
      places[here].next.push_back(other);
      places[other].next.push_back(here);
      --places[other].fresh;
    }
  }
  places[here].last = sight.time;
}

Journal journal_of(const States& states, AgentState agent) { return Recollection<Journal>(states, {}).of(agent); }

}  // namespace agentnet::theory
