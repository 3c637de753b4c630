// Where agents start and how they move when the model does not learn it (docs/spec.md, sections 1 and 2), and the claim
// that still agents are a message-passing network (docs/theory.md), on the engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/thread_pool.h"
#include "nets/agentnet/engine.h"
#include "support/engine_run.h"
#include "theory/judges/judges.h"

namespace agentnet {
namespace {

using testing::HasSubstr;
using theory::SmallGraph;
using NodeList = std::vector<std::uint64_t>;

AgentNetConfig small_model(StartPolicy start, MovePolicy moves, int agents, int steps) {
  AgentNetConfig config;
  config.hidden = 8;
  config.agents = agents;
  config.steps = steps;
  config.start = start;
  config.moves = moves;
  if (start == StartPolicy::kChosen) config.start_nodes = {0};
  return config;
}

struct Ran {
  Trace<double> trace;
  std::vector<double> outputs;  // [B, C]
  RolloutWork work;

  // The walk of an agent of the batch.
  [[nodiscard]] NodeList walk(std::size_t agent) const {
    NodeList nodes;
    for (const auto& at : trace.positions) nodes.push_back(at[agent]);
    return nodes;
  }
};

Ran run(const AgentNetConfig& config, const std::vector<Graph>& graphs, std::uint64_t seed = 0) {
  ThreadPool pool(1);
  Engine<double> engine(config, pool);
  std::vector<double> parameters(engine.layout().size());
  initialise_agentnet<double>(engine.layout(), config, 1, parameters);
  engine.set_parameters(parameters);
  std::vector<GraphView> views;
  std::vector<std::uint64_t> ids;
  for (const Graph& graph : graphs) {
    ids.push_back(views.size());
    views.push_back(graph.view());
  }
  Ran ran;
  ran.outputs.resize(graphs.size() * static_cast<std::size_t>(config.outputs));
  engine.predict({views, ids}, {.seed = seed}, ran.outputs, &ran.trace);
  ran.work = engine.work();
  return ran;
}

std::vector<Graph> one(const GraphParts& parts) {
  std::vector<Graph> graphs;
  graphs.emplace_back(parts);
  return graphs;
}

TEST(StartPolicies, EveryNodeHasItsAgentsInOrder) {
  std::vector<Graph> graphs = one(path_graph(3));
  graphs.emplace_back(cycle_graph(4));
  const Ran ran = run(small_model(StartPolicy::kEveryNode, MovePolicy::kStay, 2, 1), graphs);
  EXPECT_EQ(ran.trace.first_agent, (std::vector<std::size_t>{0, 6, 14}));
  EXPECT_EQ(ran.trace.positions[0], (NodeList{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(ran.trace.positions[1], ran.trace.positions[0]);
}

TEST(StartPolicies, OneNodeIsWhereTheFirstAgentWouldHaveStarted) {
  const std::vector<Graph> graphs = one(cycle_graph(50));
  std::set<std::uint64_t> starts;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const NodeList together =
        run(small_model(StartPolicy::kOneNode, MovePolicy::kRandom, 5, 1), graphs, seed).trace.positions[0];
    const NodeList apart =
        run(small_model(StartPolicy::kRandom, MovePolicy::kRandom, 5, 1), graphs, seed).trace.positions[0];
    EXPECT_EQ(together, NodeList(5, apart[0]));
    starts.insert(together[0]);
  }
  EXPECT_GT(starts.size(), 10u);
}

TEST(StartPolicies, ChosenNodesAreTakenInTurn) {
  AgentNetConfig config = small_model(StartPolicy::kChosen, MovePolicy::kRandom, 5, 1);
  config.start_nodes = {7, 3};
  EXPECT_EQ(run(config, one(cycle_graph(9))).trace.positions[0], (NodeList{7, 3, 7, 3, 7}));
  try {
    run(config, one(cycle_graph(7)));
    ADD_FAILURE() << "node 7 of 7 nodes was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
    EXPECT_THAT(error.what(), HasSubstr("the model's agents start on node 7, but the graph has 7 nodes"));
  }
}

TEST(MovePolicies, NonBacktrackingTurnsBackAtDeadEndsOnly) {
  const AgentNetConfig config = small_model(StartPolicy::kRandom, MovePolicy::kNonBacktracking, 20, 30);
  std::vector<Graph> graphs = one(cycle_graph(7));
  graphs.emplace_back(path_graph(6));
  const Ran ran = run(config, graphs);
  for (std::size_t agent = 0; agent < 40; ++agent) {
    const NodeList walk = ran.walk(agent);
    for (std::size_t t = 1; t < walk.size(); ++t) EXPECT_NE(walk[t], walk[t - 1]) << "nobody stays";
    for (std::size_t t = 2; t < walk.size(); ++t) {
      const bool end = agent >= 20 && (walk[t - 1] == 0 || walk[t - 1] == 5);
      EXPECT_EQ(walk[t] == walk[t - 2], end) << "agent " << agent << ", time " << t;
    }
  }
}

// The paper's depth-first search: a component of n nodes in 2 n - 3 steps (appendix A).
TEST(MovePolicies, DepthFirstVisitsAComponentInTwiceItsNodesMinusThree) {
  for (const bool self_loops : {true, false}) {
    for (int n = 2; n <= 6; ++n) {
      std::vector<Graph> graphs;
      for (const SmallGraph& graph : theory::connected_graphs(n)) graphs.push_back(graph.graph());
      AgentNetConfig config = small_model(StartPolicy::kEveryNode, MovePolicy::kDepthFirst, 1, 2 * n - 3);
      config.node_categories = {1};
      config.self_loops = self_loops;
      const Ran ran = run(config, graphs);
      for (std::size_t agent = 0; agent < ran.trace.positions[0].size(); ++agent) {
        const NodeList walk = ran.walk(agent);
        EXPECT_EQ(std::set(walk.begin(), walk.end()).size(), static_cast<std::size_t>(n)) << "agent " << agent;
      }
    }
  }
}

TEST(MovePolicies, ASearchThatIsDoneWaitsWhereItBegan) {
  const Ran ran = run(small_model(StartPolicy::kChosen, MovePolicy::kDepthFirst, 1, 12), one(path_graph(4)));
  EXPECT_EQ(ran.walk(0), (NodeList{0, 1, 2, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(MovePolicies, CostDoesNotGrowWithTheGraph) {
  for (const MovePolicy moves : {MovePolicy::kStay, MovePolicy::kNonBacktracking, MovePolicy::kDepthFirst}) {
    for (const StartPolicy start : {StartPolicy::kRandom, StartPolicy::kOneNode, StartPolicy::kChosen}) {
      const AgentNetConfig config = small_model(start, moves, 3, 6);
      const auto touched = [&](std::uint32_t n) { return run(config, one(cycle_graph(n))).work.nodes_touched; };
      EXPECT_LE(touched(100'000), 3u * (6 + 3));
    }
  }
}

// What 1-WL sees of a graph, as a key.
std::vector<std::uint32_t> histogram(std::vector<std::uint32_t> colours) {
  std::sort(colours.begin(), colours.end());
  return colours;
}

double largest_difference(const double* a, const double* b, std::size_t count) {
  double most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

// All pairs: close if they have the same key, apart if not.
template <class Key>
void expect_function_of(const std::vector<Key>& keys, const double* values, std::size_t width) {
  double same = 0, different = 1e300;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double gap = largest_difference(values + i * width, values + j * width, width);
      if (keys[i] == keys[j]) same = std::max(same, gap);
      if (keys[i] != keys[j]) different = std::min(different, gap);
    }
  }
  EXPECT_LT(same, 1e-11) << "the last bits of rounding";
  EXPECT_GT(different, 1e-9) << "told apart by 1-WL, but not by the network";
}

// n agents that never move are a message-passing network (section 4.2): what comes out is a function of the colours of
// 1-WL, and tells apart what they tell apart.
class StillAgents : public testing::TestWithParam<bool> {};

TEST_P(StillAgents, AreAMessagePassingNetwork) {
  std::vector<SmallGraph> small;
  for (int n = 2; n <= 6; ++n) {
    for (const SmallGraph& graph : theory::connected_graphs(n)) small.push_back(graph);
  }
  // Two triangles and a ring of six are not connected alike, and 1-WL does not see it.
  SmallGraph triangles;
  triangles.nodes = 6;
  for (const int first : {0, 3}) {
    for (int i = 0; i < 3; ++i) triangles.join(first + i, first + (i + 1) % 3);
  }
  small.push_back(triangles);
  std::vector<Graph> graphs;
  for (const SmallGraph& graph : small) graphs.push_back(graph.graph());

  // f_n reads the neighbours in each of the 6 visits: 6 rounds of refinement, after which no graph of 6 nodes changes.
  AgentNetConfig config = small_model(StartPolicy::kEveryNode, MovePolicy::kStay, 1, 5);
  config.node_categories = {1};
  config.self_loops = GetParam();
  config.global_communication = false;
  const Ran ran = run(config, graphs);
  const auto colours = theory::refine_colours(small, 6);

  std::vector<std::vector<std::uint32_t>> of_graph;
  std::vector<std::uint32_t> of_agent;
  for (const auto& nodes : colours) {
    of_graph.push_back(histogram(nodes));
    of_agent.insert(of_agent.end(), nodes.begin(), nodes.end());
  }
  const auto h = static_cast<std::size_t>(config.hidden), C = static_cast<std::size_t>(config.outputs);
  ASSERT_EQ(ran.trace.first_agent.back(), of_agent.size());
  expect_function_of(of_agent, ran.trace.agent_states.data() + 5 * of_agent.size() * h, h);
  // The readout is a mean and a maximum over agents, so that graphs of different sizes may look alike: rings do.
  for (std::size_t first = 0, last = 0; first < small.size(); first = last) {
    while (last < small.size() && small[last].nodes == small[first].nodes) ++last;
    const auto keys = std::vector(of_graph.begin() + static_cast<std::ptrdiff_t>(first),
                                  of_graph.begin() + static_cast<std::ptrdiff_t>(last));
    expect_function_of(keys, ran.outputs.data() + first * C, C);
  }
}

INSTANTIATE_TEST_SUITE_P(Engine, StillAgents, testing::Bool(),
                         [](const auto& test) { return test.param ? "ByTheLoop" : "WithoutLoops"; });

// Agents that move are more: two triangles and a ring of six get different answers.
TEST(MovingAgents, TellApartWhatStillAgentsDoNot) {
  std::vector<Graph> graphs = one(cycle_graph(6));
  GraphParts triangles = cycle_graph(3);
  triangles.num_nodes = 6;
  for (std::uint32_t i = 0; i < 3; ++i) {
    triangles.from.push_back(3 + i);
    triangles.to.push_back(3 + (i + 1) % 3);
  }
  graphs.emplace_back(triangles);
  const auto gap = [&](MovePolicy moves) {
    const std::vector<double> y = run(small_model(StartPolicy::kEveryNode, moves, 1, 5), graphs).outputs;
    return largest_difference(y.data(), y.data() + 2, 2);
  };
  EXPECT_LT(gap(MovePolicy::kStay), 1e-12);
  EXPECT_GT(gap(MovePolicy::kDepthFirst), 1e-6);
}

}  // namespace
}  // namespace agentnet
