#include "theory/claims/optimum.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "theory/claims/claims.h"
#include "theory/machine/machine.h"

namespace agentnet::theory {
namespace {

// The same optimum on the machine itself, step by step: an information state is an agent's state, a choice is a
// candidate's state (going anywhere, staying included), and every node in that state is as likely as the others.
struct Possible {
  std::size_t situation;
  Machine machine;
  Rational probability;
};

Rational plain_best(std::vector<Possible> possible, const std::vector<Rational>& prior, int steps) {
  std::vector<Rational> mass(prior.size());
  std::set<NodeState> choices;
  for (Possible& one : possible) {
    mass[one.situation] += one.probability * prior[one.situation];
    for (const Machine::Candidate& candidate : one.machine.candidates(0)) choices.insert(candidate.state);
  }
  Rational best;
  for (const Rational& value : mass) best = value > best ? value : best;
  if (steps == 0) return best;
  for (const NodeState choice : choices) {
    std::map<AgentState, std::vector<Possible>> groups;
    for (Possible& one : possible) {
      std::vector<std::uint64_t> nodes;
      for (const Machine::Candidate& candidate : one.machine.candidates(0)) {
        if (candidate.state == choice) nodes.push_back(candidate.node);
      }
      for (const std::uint64_t node : nodes) {
        Possible next = one;
        next.probability = one.probability / Rational(static_cast<std::int64_t>(nodes.size()));
        next.machine.place(0, node);
        next.machine.visit();
        groups[next.machine.agent(0)].push_back(std::move(next));
      }
    }
    Rational sum;
    for (auto& [state, group] : groups) sum += plain_best(std::move(group), prior, steps - 1);
    best = sum > best ? sum : best;
  }
  return best;
}

Rational plain_optimum(const std::vector<Situation>& situations, const std::vector<Rational>& prior, int steps) {
  States states;
  std::vector<Graph> graphs;
  std::vector<GraphView> views;
  for (const Situation& situation : situations) graphs.push_back(situation.graph.graph());
  for (const Graph& graph : graphs) views.push_back(graph.view());
  std::map<AgentState, std::vector<Possible>> groups;
  for (std::size_t i = 0; i < situations.size(); ++i) {
    for (const Situation::Start& start : situations[i].starts) {
      const std::uint64_t starts[] = {static_cast<std::uint64_t>(start.node)};
      Possible one{i, Machine(views[i], states, starts), start.probability};
      one.machine.visit();
      groups[one.machine.agent(0)].push_back(std::move(one));
    }
  }
  Rational sum;
  for (auto& [state, group] : groups) sum += plain_best(std::move(group), prior, steps);
  return sum;
}

TEST(Optimum, IsThatOfTheMachineOnTheAppendixsPair) {
  const std::vector<Situation> pair = {{paths_graph({}, true), {{0}}}, {paths_graph({}, false), {{0}}}};
  for (int steps = 0; steps <= 5; ++steps) {
    for (const auto& prior : {std::vector<Rational>{{1, 2}, {1, 2}}, {{1, 5}, {4, 5}}, {{2, 3}, {1, 3}}}) {
      EXPECT_EQ(best_guess(pair, prior, steps).value, plain_optimum(pair, prior, steps)) << steps;
    }
  }
  EXPECT_EQ(best_guess(pair, {{1, 2}, {1, 2}}, 4).value, Rational(5, 6));
  EXPECT_EQ(best_guess(pair, {{1, 2}, {1, 2}}, 5).value, Rational(1));
}

TEST(Optimum, IsThatOfTheMachineOnSmallPairsWithLabelsAndSeveralStarts) {
  const auto graphs = connected_graphs(4);
  for (const SmallGraph& g : graphs) {
    for (const SmallGraph& h : graphs) {
      SmallGraph labelled = h;
      labelled.labels[3] = 1;
      const std::vector<Situation> pair = {{g, {{0, {1, 3}}, {1, {2, 3}}}}, {labelled, {{0, {1, 2}}, {2, {1, 2}}}}};
      EXPECT_EQ(best_guess(pair, {{1, 2}, {1, 2}}, 3).value, plain_optimum(pair, {{1, 2}, {1, 2}}, 3));
    }
  }
}

TEST(Optimum, VerdictsAddUpToTheValue) {
  const std::vector<Situation> pair = {{paths_graph({}, true), {{0}}}, {paths_graph({}, false), {{0}}}};
  const std::vector<Rational> prior = {{1, 3}, {2, 3}};
  const Verdicts verdicts = best_guess(pair, prior, 3);
  EXPECT_EQ(verdicts.value, prior[0] * verdicts.success[0] + prior[1] * verdicts.success[1]);
}

// With 4 steps a triangle is found with probability 2/3; an agent that has found none says "triangle" with 1/4.
TEST(Minimax, IsWhatAMixtureGuarantees) {
  const Situation g1{paths_graph({}, true), {{0}}}, g2{paths_graph({}, false), {{0}}};
  EXPECT_EQ(minimax(g1, g2, 4), Rational(3, 4));
  EXPECT_EQ(minimax(g2, g1, 4), Rational(3, 4));
  EXPECT_EQ(minimax(g1, g2, 0), Rational(1, 2));
  EXPECT_EQ(minimax(g1, g2, 5), Rational(1));
  // No prior leaves less than that.
  for (int i = 0; i <= 12; ++i) {
    EXPECT_GE(best_guess({g1, g2}, {{i, 12}, {12 - i, 12}}, 4).value, Rational(3, 4));
  }
}

TEST(Reach, GoesTheShortestWayWhenItKnowsTheWay) {
  SmallGraph path = small_path(5);
  for (std::uint8_t i = 0; i < 5; ++i) path.labels[i] = i;
  EXPECT_EQ(best_reach({path, {{2}}}, 4, 2), Rational(1));
  EXPECT_EQ(best_reach({path, {{2}}}, 4, 1), Rational(0));
  EXPECT_EQ(best_reach({small_path(5), {{2}}}, 4, 2), Rational(1, 2));  // without labels it has to guess
  EXPECT_EQ(best_reach({small_path(5), {{2}}}, 4, 6), Rational(1));
}

}  // namespace
}  // namespace agentnet::theory
