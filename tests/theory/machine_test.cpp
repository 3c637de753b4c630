#include "theory/machine/machine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "agentnet/error.h"
#include "graph/set_file.h"
#include "support/graphs.h"
#include "support/temp_folder.h"
#include "theory/judges/small_graph.h"
#include "theory/machine/outcomes.h"
#include "theory/machine/policies.h"

namespace agentnet::theory {
namespace {

// A policy that prefers what it has never seen, by odd weights.
class OddWeights : public Policy {
 public:
  explicit OddWeights(const States& states) : states_(&states) {}
  std::uint32_t weight(AgentState agent, NodeState candidate) override {
    return last_visit(*states_, candidate, states_->id(agent)) == kNever ? 3 : 2;
  }

 private:
  const States* states_;
};

TEST(Machine, AVisitMarksTheNodeAndReadsItsNeighbours) {
  SmallGraph small = small_star(2);
  small.labels = {4, 5, 5};
  const Graph graph = small.graph();
  const GraphView view = graph.view();
  States states;
  const std::uint64_t starts[] = {0};
  Machine machine(view, states, starts);
  machine.visit();
  const States::Visit visit = states.visit(machine.agent(0));
  EXPECT_EQ(visit.before, states.ready(1));
  const States::Look look = states.look(visit.node);
  const std::uint32_t four[] = {4}, five[] = {5};
  EXPECT_EQ(states.mark(look.own).before, states.feature(four));
  EXPECT_EQ(states.mark(look.own).time, 0u);
  ASSERT_EQ(look.neighbours.size(), 2u);
  EXPECT_EQ(look.neighbours[0], states.feature(five).number);
  EXPECT_EQ(look.neighbours[0], look.neighbours[1]);  // nobody can tell the two leaves apart
  EXPECT_EQ(machine.nodes_touched(), 3u);
}

// Two agents on adjacent nodes: each sees the other's mark of the same moment, not its own look around.
TEST(Machine, NodesLookAroundAllAtOnce) {
  const Graph graph = small_path(2).graph();
  const GraphView view = graph.view();
  States states;
  const std::uint64_t starts[] = {0, 1};
  Machine machine(view, states, starts);
  machine.visit();
  for (const std::size_t a : {0u, 1u}) {
    const States::Look look = states.look(states.visit(machine.agent(a)).node);
    ASSERT_EQ(look.neighbours.size(), 1u);
    EXPECT_EQ(states.kind(NodeState{look.neighbours[0]}), StateKind::kMarked);
    EXPECT_EQ(last_visit(states, {look.neighbours[0]}, a == 0 ? 2 : 1), 0u);
  }
}

TEST(Machine, ASelfLoopIsNeitherANeighbourNorASecondCandidate) {
  GraphParts parts = path_graph(2);
  parts.from.push_back(0);
  parts.to.push_back(0);
  const Graph graph(std::move(parts));
  const GraphView view = graph.view();
  States states;
  const std::uint64_t starts[] = {0};
  Machine machine(view, states, starts);
  machine.visit();
  EXPECT_EQ(machine.candidates(0).size(), 2u);
  Sight sight;
  read_sight(states, machine.agent(0), sight);
  EXPECT_EQ(sight.degree(), 1u);
}

TEST(Machine, RefusesAStartThatIsNoNode) {
  const Graph graph = small_path(2).graph();
  const GraphView view = graph.view();
  States states;
  const std::uint64_t starts[] = {2};
  EXPECT_THROW(Machine(view, states, starts), Error);
}

// The probabilities of the enumeration are those of the sampling, for two agents at once.
TEST(Outcomes, AreWhatSamplingGives) {
  const Graph graph(cycle_graph(5));
  const GraphView view = graph.view();
  States states;
  OddWeights odd(states);
  UniformWalk uniform(states);
  Policy* const policies[] = {&odd, &uniform};
  const std::uint64_t starts[] = {0, 2};
  std::map<std::pair<std::uint64_t, std::uint64_t>, Rational> exact;
  Rational sum;
  for_each_outcome(Machine(view, states, starts), policies, 3, [&](const Machine& end, const Rational& p) {
    exact[{end.position(0), end.position(1)}] += p;
    sum += p;
  });
  EXPECT_EQ(sum, Rational(1));
  constexpr int kRuns = 20000;
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> seen;
  RandomSequence random(7, Purpose::kTest);
  for (int i = 0; i < kRuns; ++i) {
    States fresh;
    OddWeights a(fresh);
    UniformWalk b(fresh);
    Policy* const both[] = {&a, &b};
    Machine machine(view, fresh, starts);
    machine.run(both, 3, random);
    ++seen[{machine.position(0), machine.position(1)}];
  }
  for (const auto& [where, p] : exact) {
    const double expected = p.value() * kRuns;
    EXPECT_NEAR(seen[where], expected, 5 * std::sqrt(expected) + 1);
  }
}

TEST(Outcomes, EndsAtTheMostThatIsAllowed) {
  const Graph graph(complete_graph(4));
  const GraphView view = graph.view();
  States states;
  UniformWalk uniform(states);
  Policy* const policies[] = {&uniform};
  const std::uint64_t starts[] = {0};
  int told = 0;
  EXPECT_FALSE(for_each_outcome(
      Machine(view, states, starts), policies, 2, [&](const Machine&, const Rational&) { ++told; }, 8));
  EXPECT_EQ(told, 8);
  told = 0;
  EXPECT_TRUE(for_each_outcome(
      Machine(view, states, starts), policies, 2, [&](const Machine&, const Rational&) { ++told; }, 9));
  EXPECT_EQ(told, 9);
}

TEST(Machine, AMappedGraphGivesTheSameStates) {
  const TempFolder folder;
  RandomSequence random(3, Purpose::kTest);
  const Graph graph(with_features(random_graph(random, 60, 0.1), random, {.node_dense = 1, .node_categories = {3}}));
  GraphSet set;
  set.add(graph, {});
  write_set_file(folder / "graph.agentset", set, "{}");
  const SetFile file = open_set_file(folder / "graph.agentset");
  const GraphView in_memory = graph.view(), mapped = file.graphs.view(0);
  States states;
  OddWeights policy(states);
  Policy* const policies[] = {&policy, &policy};
  const std::uint64_t starts[] = {1, 40};
  Machine first(in_memory, states, starts), second(mapped, states, starts);
  RandomSequence one(9, Purpose::kTest), two(9, Purpose::kTest);
  first.run(policies, 200, one);
  second.run(policies, 200, two);
  EXPECT_EQ(first.agent(0), second.agent(0));
  EXPECT_EQ(first.agent(1), second.agent(1));
  EXPECT_EQ(first.nodes_touched(), second.nodes_touched());
}

TEST(Machine, WhatItTouchesDoesNotDependOnTheSizeOfTheGraph) {
  std::vector<std::size_t> touched;
  for (const std::uint32_t n : {1000u, 100000u}) {
    const Graph graph(cycle_graph(n));
    const GraphView view = graph.view();
    States states;
    UniformWalk policy(states);
    Policy* const policies[] = {&policy};
    const std::uint64_t starts[] = {n / 2};
    Machine machine(view, states, starts);
    RandomSequence random(2, Purpose::kTest);
    machine.run(policies, 300, random);
    touched.push_back(machine.nodes_touched());
  }
  EXPECT_EQ(touched[0], touched[1]);
  EXPECT_LE(touched[0], 303u);
}

}  // namespace
}  // namespace agentnet::theory
