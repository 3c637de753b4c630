#include "theory/machine/outcomes.h"

namespace agentnet::theory {

namespace {

struct Choice {
  std::uint64_t node = 0;
  std::uint32_t weight = 0;
};

class Enumeration {
 public:
  Enumeration(std::span<Policy* const> policies, const TellOutcome& tell, std::uint64_t most)
      : policies_(policies), tell_(tell), left_(most) {}

  bool after_visit(Machine& machine, std::size_t moves, const Rational& probability) {
    if (moves == 0) {
      if (left_ == 0) return false;
      --left_;
      tell_(machine, probability);
      return true;
    }
    // Every agent chooses in the situation before anybody moves.
    std::vector<std::vector<Choice>> choices(machine.agents());
    for (std::size_t a = 0; a < machine.agents(); ++a) choices[a] = choices_of(machine, a);
    return choose(machine, 0, choices, moves, probability);
  }

 private:
  std::vector<Choice> choices_of(Machine& machine, std::size_t agent) {
    std::vector<Choice> choices;
    for (const Machine::Candidate& candidate : machine.candidates(agent)) {
      const std::uint32_t weight = policies_[agent]->weight(machine.agent(agent), candidate.state);
      if (weight > 0) choices.push_back({candidate.node, weight});
    }
    if (choices.empty()) choices.push_back({machine.position(agent), 1});
    return choices;
  }

  bool choose(Machine& machine, std::size_t agent, const std::vector<std::vector<Choice>>& choices, std::size_t moves,
              const Rational& probability) {
    if (agent == machine.agents()) {
      machine.visit();
      return after_visit(machine, moves - 1, probability);
    }
    std::int64_t sum = 0;
    for (const Choice& choice : choices[agent]) sum += choice.weight;
    for (std::size_t c = 0; c + 1 < choices[agent].size(); ++c) {
      Machine next = machine;
      if (!take(next, agent, choices, c, sum, moves, probability)) return false;
    }
    return take(machine, agent, choices, choices[agent].size() - 1, sum, moves, probability);  // needs no copy
  }

  bool take(Machine& machine, std::size_t agent, const std::vector<std::vector<Choice>>& choices, std::size_t chosen,
            std::int64_t sum, std::size_t moves, const Rational& probability) {
    const Choice& choice = choices[agent][chosen];
    machine.place(agent, choice.node);
    return choose(machine, agent + 1, choices, moves, probability * Rational(choice.weight, sum));
  }

  std::span<Policy* const> policies_;
  const TellOutcome& tell_;
  std::uint64_t left_;
};

}  // namespace

bool for_each_outcome(const Machine& machine, std::span<Policy* const> policies, std::size_t moves,
                      const TellOutcome& tell, std::uint64_t most) {
  Machine begin = machine;
  if (begin.visits() == 0) begin.visit();
  return Enumeration(policies, tell, most).after_visit(begin, moves, 1);
}

}  // namespace agentnet::theory
