// What the engine refuses, and that it goes on after an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "core/thread_pool.h"
#include "nets/agentnet/engine.h"
#include "support/engine_run.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

// Runs a model on one graph and gives the error.
Error error_on(const AgentNetConfig& config, const GraphParts& parts) {
  ThreadPool pool(1);
  Engine<float> engine(config, pool);
  const std::vector<float> parameters(engine.layout().size(), 0.1f);
  engine.set_parameters(parameters);
  RandomSequence random(1, Purpose::kTest);
  const Graph fine(with_features(path_graph(2), random, features_of(config)));
  const Graph graph(parts);
  const std::vector<GraphView> graphs = {fine.view(), graph.view()};
  const std::vector<std::uint64_t> ids = {0, 1};
  std::vector<float> outputs(2 * static_cast<std::size_t>(config.outputs));
  try {
    engine.predict({graphs, ids}, {}, outputs);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorKind::kFailure, ""};
}

GraphParts pair_with(int node_dense, std::vector<int> node_categories, int edge_dense,
                     std::vector<int> edge_categories) {
  RandomSequence random(1, Purpose::kTest);
  return with_features(path_graph(2), random,
                       {.node_dense = node_dense,
                        .node_categories = std::move(node_categories),
                        .edge_dense = edge_dense,
                        .edge_categories = std::move(edge_categories)});
}

TEST(EngineErrors, FeaturesThatDoNotFitAreNamed) {
  AgentNetConfig config;
  config.hidden = 4;
  config.agents = 2;
  config.node_features = 2;
  config.node_categories = {3};
  config.edge_features = 1;
  config.edge_categories = {4, 4};
  struct Case {
    GraphParts parts;
    const char* message;
  };
  const std::vector<Case> cases = {
      {pair_with(3, {3}, 1, {4, 4}), "graph 1 has 3 dense node features, the model expects 2"},
      {pair_with(2, {}, 1, {4, 4}), "graph 1 has 0 categorical node features, the model expects 1"},
      {pair_with(2, {3}, 2, {4, 4}), "graph 1 has 2 dense edge features, the model expects 1"},
      {pair_with(2, {3}, 1, {4}), "graph 1 has 1 categorical edge features, the model expects 2"},
  };
  for (const Case& c : cases) {
    const Error error = error_on(config, c.parts);
    EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
    EXPECT_STREQ(error.what(), c.message);
    EXPECT_FALSE(error.hint().empty());
  }
}

TEST(EngineErrors, AGraphWithoutEdgesNeedsNoEdgeFeatures) {
  AgentNetConfig config;
  config.hidden = 4;
  config.edge_features = 3;
  ThreadPool pool(1);
  Engine<float> engine(config, pool);
  const std::vector<float> parameters(engine.layout().size(), 0.1f);
  engine.set_parameters(parameters);
  const Graph graph(path_graph(1));
  const std::vector<GraphView> graphs = {graph.view()};
  const std::vector<std::uint64_t> ids = {0};
  std::vector<float> outputs(2);
  EXPECT_NO_THROW(engine.predict({graphs, ids}, {}, outputs));
}

TEST(EngineErrors, ACategoryThatTheModelDoesNotKnowIsNamed) {
  AgentNetConfig nodes;
  nodes.hidden = 4;
  nodes.agents = 8;
  nodes.node_categories = {3, 3};
  GraphParts parts = pair_with(0, {3, 3}, 0, {});
  parts.node_categories = {0, 0, 0, 5};
  const Error of_node = error_on(nodes, parts);
  EXPECT_EQ(of_node.kind(), ErrorKind::kMismatch);
  EXPECT_STREQ(of_node.what(), "node 1 has category 5 in column 1, the model knows 3");

  AgentNetConfig edges = nodes;
  edges.node_categories = {};
  edges.edge_categories = {2};
  GraphParts joined = pair_with(0, {}, 0, {2});
  joined.edge_categories = {2};
  const Error of_edge = error_on(edges, joined);
  EXPECT_EQ(of_edge.kind(), ErrorKind::kMismatch);
  EXPECT_THAT(of_edge.what(), HasSubstr("has category 2 in column 0, the model knows 2"));
}

TEST(EngineErrors, AConfigThatIsNotValidMakesNoEngine) {
  ThreadPool pool(1);
  AgentNetConfig config;
  config.hidden = 0;
  EXPECT_THROW(Engine<float>(config, pool), Error);
}

// One shard fails while others wait for its turn in the sum: all must come to an end, and the engine must go on as if
// nothing had happened.
TEST(EngineErrors, AFailingShardEndsTheStepAndLeavesNoTrace) {
  ModelVariant variant = variant_named("AgentNet");
  variant.config.agents = 200;  // every graph is a shard of its own
  std::vector<GraphParts> parts;
  for (std::uint64_t g = 0; g < 12; ++g) parts.push_back(messy_graph(variant.config, 5, g));
  const Problem problem = make_problem(variant, parts, 1);
  const std::vector<GraphView> graphs = problem.views();
  const std::vector<std::uint64_t> ids(graphs.size(), 0);
  const auto loss = make_loss<double>(problem.loss, problem.config.outputs, problem.targets, graphs.size());
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    Engine<double> engine(problem.config, pool);
    engine.set_parameters(problem.parameters);
    std::vector<double> expected(engine.layout().size()), found(expected.size());
    const double before = engine.gradients({graphs, ids}, {}, loss, expected);
    for (const std::size_t failing : {0, 5, 11}) {
      const auto broken = [&](std::size_t first, std::size_t count, Matrix<const double> y, Matrix<double> dy) {
        if (first == failing) throw std::runtime_error("no loss");
        return loss(first, count, y, dy);
      };
      EXPECT_THROW(engine.gradients({graphs, ids}, {}, broken, found), std::runtime_error);
      EXPECT_EQ(engine.gradients({graphs, ids}, {}, loss, found), before);
      EXPECT_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace agentnet
