// What a rollout costs depends on agents, steps and degree, not on the number of nodes (docs/spec.md, section 4).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/thread_pool.h"
#include "nets/agentnet/engine.h"
#include "support/engine_run.h"

namespace agentnet {
namespace {

constexpr std::uint32_t kDegree = 6;

AgentNetConfig model_of(int agents, int steps) {
  AgentNetConfig config;
  config.hidden = 16;
  config.agents = agents;
  config.steps = steps;
  config.node_features = 2;
  return config;
}

Graph large_graph(std::uint32_t n, const AgentNetConfig& config) {
  RandomSequence random(n, Purpose::kTest);
  return Graph(with_features(regular_graph(n, kDegree, n), random, features_of(config)));
}

struct Cost {
  RolloutWork work;  // of all rollouts
  std::size_t memory = 0;
};

constexpr std::uint64_t kRollouts = 100;

// Rollouts of one graph, with or without the way back.
Cost cost_of(const AgentNetConfig& config, const Graph& graph, bool training) {
  ThreadPool pool(1);
  Engine<float> engine(config, pool);
  std::vector<float> parameters(engine.layout().size());
  initialise_agentnet<float>(engine.layout(), config, 1, parameters);
  engine.set_parameters(parameters);
  const std::vector<GraphView> graphs = {graph.view()};
  const std::vector<std::uint64_t> ids = {0};
  const std::vector<double> targets = {1.0};
  const auto loss = make_loss<float>(LossKind::kCrossEntropy, config.outputs, targets, 1);
  std::vector<float> outputs(static_cast<std::size_t>(config.outputs)), gradient(engine.layout().size());
  Cost cost;
  for (std::uint64_t epoch = 0; epoch < kRollouts; ++epoch) {
    if (training) {
      engine.gradients({graphs, ids}, {.epoch = epoch}, loss, gradient);
    } else {
      engine.predict({graphs, ids}, {.epoch = epoch}, outputs);
    }
    cost.work += engine.work();
  }
  cost.memory = engine.memory();
  return cost;
}

double ratio(std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

class SublinearCost : public testing::TestWithParam<bool> {};

TEST_P(SublinearCost, DoesNotGrowWithTheGraph) {
  const AgentNetConfig config = model_of(4, 8);
  const Cost small = cost_of(config, large_graph(1000, config), GetParam());
  const Cost medium = cost_of(config, large_graph(10000, config), GetParam());
  const Cost large = cost_of(config, large_graph(100000, config), GetParam());

  // A visit observes its node and the neighbours; in a small graph the agents meet each other's.
  const auto visits = static_cast<std::uint64_t>(config.agents) * static_cast<std::uint64_t>(config.steps + 1);
  EXPECT_LE(large.work.nodes_touched, kRollouts * visits * (kDegree + 1));
  EXPECT_LT(small.work.nodes_touched, medium.work.nodes_touched);
  EXPECT_NEAR(ratio(large.work.nodes_touched, medium.work.nodes_touched), 1, 0.03);
  EXPECT_NEAR(ratio(large.work.occupied, medium.work.occupied), 1, 0.03);
  EXPECT_NEAR(ratio(large.work.edges_summed, medium.work.edges_summed), 1, 0.03);
  EXPECT_EQ(large.work.candidates, medium.work.candidates);

  EXPECT_NEAR(ratio(large.memory, medium.memory), 1, 0.1);
  EXPECT_LT(large.memory, 100000 * 16 * sizeof(float)) << "less than the states of all nodes";
}

INSTANTIATE_TEST_SUITE_P(Sublinear, SublinearCost, testing::Values(false, true),
                         [](const auto& test) { return test.param ? "InTraining" : "InPrediction"; });

TEST(RolloutWork, CountsWhatAWalkOnARingDoes) {
  AgentNetConfig config = model_of(1, 3);
  config.moves = MovePolicy::kRandom;
  config.self_loops = false;
  RandomSequence random(1, Purpose::kTest);
  const Graph ring(with_features(cycle_graph(50), random, features_of(config)));
  const RolloutWork work = cost_of(config, ring, false).work;
  EXPECT_EQ(work.occupied, kRollouts * 4);
  EXPECT_EQ(work.looking, kRollouts * 4);
  EXPECT_EQ(work.edges_summed, kRollouts * 4 * 2);
  EXPECT_EQ(work.candidates, kRollouts * 3 * 2);
  // The start and its two neighbours, and one more for every move to a new node.
  EXPECT_GT(work.nodes_touched, kRollouts * 4);
  EXPECT_LE(work.nodes_touched, kRollouts * 6);
}

TEST(RolloutWork, IsThatOfAllNodesOnlyInTheAblationThatUpdatesAll) {
  AgentNetConfig config = model_of(2, 2);
  RandomSequence random(1, Purpose::kTest);
  const Graph ring(with_features(cycle_graph(500), random, features_of(config)));
  EXPECT_LT(cost_of(config, ring, false).work.nodes_touched, kRollouts * 20);
  config.neighbourhood = Neighbourhood::kAll;
  const RolloutWork work = cost_of(config, ring, false).work;
  EXPECT_EQ(work.nodes_touched, kRollouts * 500);
  EXPECT_EQ(work.looking, kRollouts * 3 * 500);
}

// Agents that walk one component do not notice how many nodes there are elsewhere; the engine keeps its rows in an
// array for the small graph, and in a hash table for the large one.
TEST(Sublinear, NodesThatNobodySeesChangeNothing) {
  constexpr std::uint64_t kElsewhere = 50000;
  for (const char* name : {"AgentNet", "DenseEdges", "EdgeKernel", "Molecules"}) {
    const ModelVariant& variant = variant_named(name);
    const GraphParts small = messy_graph(variant.config, 9, 1);
    GraphParts large = small;
    large.num_nodes += kElsewhere;
    large.node_dense64.resize(large.num_nodes * static_cast<std::uint64_t>(variant.config.node_features), 0.5);
    large.node_categories.resize(large.num_nodes * variant.config.node_categories.size(), 1);

    const Problem here = make_problem(variant, {small}, 1);
    const Problem everywhere = make_problem(variant, {large}, 1);
    const Answer expected = run_engine<double>(here);
    SeededReplay replay(here);  // draws starts for the small graph in both

    ThreadPool pool(1);
    Engine<double> engine(everywhere.config, pool);
    engine.set_parameters(everywhere.parameters);
    const std::vector<GraphView> graphs = everywhere.views();
    const std::vector<std::uint64_t> ids = {0};
    std::vector<double> gradient(engine.layout().size());
    const auto loss = make_loss<double>(everywhere.loss, everywhere.config.outputs, everywhere.targets, 1);
    Trace<double> trace;
    std::vector<InputGradient<double>> inputs;
    const double found = engine.gradients({graphs, ids}, {.replay = &replay}, loss, gradient, {&trace, {}, &inputs});
    EXPECT_EQ(found, expected.loss) << name;
    EXPECT_EQ(trace.positions, expected.positions) << name;
    EXPECT_EQ(trace.agent_states, expected.agent_states) << name;
    EXPECT_EQ(gradient, expected.gradient) << name;
    std::vector<double> padded = expected.node_gradients[0];
    padded.resize(inputs[0].nodes.size(), 0.0);
    EXPECT_EQ(inputs[0].nodes, padded) << name;
    EXPECT_EQ(inputs[0].edges, expected.edge_gradients[0]) << name;
  }
}

}  // namespace
}  // namespace agentnet
