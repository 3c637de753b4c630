// The oracle against itself: its straight-through gradients are the derivatives of its own loss, for every variant
// and every parameter tensor; and what the golden cases do not show, because the authors' code does not have it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/random.h"
#include "nets/agentnet/parameters.h"
#include "support/graphs.h"
#include "support/model_variants.h"
#include "support/plain_model.h"

namespace agentnet {
namespace {

constexpr double kBlank = std::numeric_limits<double>::quiet_NaN();

// A batch of two graphs: one with isolated nodes, dead ends, double edges and self loops, and a single node.
struct Problem {
  explicit Problem(const ModelVariant& variant, std::uint64_t seed = 1)
      : config(variant.config),
        greedy(variant.greedy),
        layout(agentnet_layout(config)),
        parameters(random_parameters(layout, seed)) {
    RandomSequence random(seed, Purpose::kTest, 2);
    parts = {messy_graph(config, 5, seed), with_features(path_graph(1), random, features_of(config))};
  }

  [[nodiscard]] std::vector<double> targets(PlainLoss loss) const {
    if (loss == PlainLoss::kCrossEntropy) return {0.0, static_cast<double>(config.outputs - 1)};
    std::vector<double> values(2 * static_cast<std::size_t>(config.outputs), 0.0);
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = 1.0;
    values[1] = kBlank;
    return values;
  }

  AgentNetConfig config;
  bool greedy;
  ParameterLayout layout;
  std::vector<double> parameters;
  std::vector<GraphParts> parts;
};

// Owns what a run needs, and the run.
class Attempt {
 public:
  explicit Attempt(const Problem& problem, const PlainResult* frozen = nullptr)
      : graphs_(problem.parts.begin(), problem.parts.end()),
        views_(views_of(graphs_)),
        noise_(7, views_, problem.config.moves != MovePolicy::kLearned),
        run_(
            problem.config, problem.layout, problem.parameters, views_,
            {.temperature = problem.config.temperature, .greedy = problem.greedy, .noise = &noise_, .frozen = frozen}) {
  }

  PlainRun& run() { return run_; }

 private:
  static std::vector<GraphView> views_of(const std::vector<Graph>& graphs) {
    std::vector<GraphView> views;
    views.reserve(graphs.size());
    for (const Graph& graph : graphs) views.push_back(graph.view());
    return views;
  }
  std::vector<Graph> graphs_;
  std::vector<GraphView> views_;
  SeededNoise noise_;
  PlainRun run_;
};

double loss_of(const Problem& problem, PlainLoss loss, const PlainResult& frozen) {
  return Attempt(problem, &frozen).run().loss(loss, problem.targets(loss));
}

// Checks a gradient of values[first ...], which are some of the numbers in `problem`, along a random direction: an
// error in any entry shows.
void check_tensor(Problem& problem, PlainLoss loss, const PlainResult& frozen, std::vector<double>& values,
                  std::size_t first, const std::vector<double>& gradient, RandomSequence& random) {
  std::vector<double> direction;
  double expected = 0;
  for (const double g : gradient) {
    direction.push_back(random.normal());
    expected += direction.back() * g;
  }
  const std::vector<double> at = values;
  const auto loss_at = [&](double distance) {
    for (std::size_t i = 0; i < direction.size(); ++i) values[first + i] = at[first + i] + distance * direction[i];
    const double value = loss_of(problem, loss, frozen);
    values = at;
    return value;
  };
  // A kink of a LeakyReLU or of the max may lie within the long step, hardly within the short one too.
  double difference = 0;
  for (const double step : {1e-5, 1e-7}) {
    difference = (loss_at(step) - loss_at(-step)) / (2 * step);
    if (std::abs(difference - expected) <= 1e-7 * (1.0 + std::abs(expected))) return;
  }
  ADD_FAILURE() << "gradient " << expected << ", difference " << difference;
}

class PlainVariant : public testing::TestWithParam<ModelVariant> {};

TEST_P(PlainVariant, GradientsAreTheDerivativesOfTheLoss) {
  Problem problem(GetParam());
  const PlainLoss loss = problem.config.outputs > 1 ? PlainLoss::kCrossEntropy : PlainLoss::kSquaredError;
  Attempt base(problem);
  base.run().backward(loss, problem.targets(loss));
  const PlainResult& moves = base.run().result();
  const std::vector<double> gradient = base.run().gradient();
  RandomSequence random(3, Purpose::kTest);
  for (const Parameter& p : problem.layout.all()) {
    SCOPED_TRACE(p.name);
    const auto begin = gradient.begin() + static_cast<std::ptrdiff_t>(p.offset);
    const std::vector<double> part(begin, begin + static_cast<std::ptrdiff_t>(p.size));
    const bool silent = std::all_of(part.begin(), part.end(), [](double g) { return std::abs(g) < 1e-12; });
    // These shift all logits of an agent alike, which the softmax does not see.
    const bool cancels = p.name == "move.key.norm.bias" || p.name == "move.key.0.bias";
    EXPECT_EQ(silent, cancels || !p.trainable) << "a parameter that does nothing would be checked in vain";
    if (p.trainable) check_tensor(problem, loss, moves, problem.parameters, p.offset, part, random);
  }
}

TEST_P(PlainVariant, GradientsOfFeaturesAreTheDerivativesOfTheLoss) {
  Problem problem(GetParam());
  const PlainLoss loss = problem.config.outputs > 1 ? PlainLoss::kCrossEntropy : PlainLoss::kSquaredError;
  // Sorted, so that row r of the edge features is edge r of the list.
  GraphParts& parts = problem.parts[0];
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::size_t e = 0; e < parts.from.size(); ++e) edges.emplace_back(parts.from[e], parts.to[e]);
  std::sort(edges.begin(), edges.end());
  for (std::size_t e = 0; e < edges.size(); ++e) std::tie(parts.from[e], parts.to[e]) = edges[e];

  Attempt base(problem);
  base.run().backward(loss, problem.targets(loss));
  RandomSequence random(4, Purpose::kTest);
  const auto check = [&](const char* what, std::vector<double>& features, const std::vector<double>& gradient) {
    SCOPED_TRACE(what);
    ASSERT_EQ(gradient.size(), features.size());
    if (!features.empty()) check_tensor(problem, loss, base.run().result(), features, 0, gradient, random);
  };
  check("nodes", parts.node_dense64, base.run().node_feature_gradient(0));
  check("edges", parts.edge_dense64, base.run().edge_feature_gradient(0));
}

INSTANTIATE_TEST_SUITE_P(All, PlainVariant, testing::ValuesIn(model_variants()),
                         [](const auto& test) { return test.param.name; });

// A variant on one graph of our choice, with given starts and hand-made noise.
struct HandMade : PlainNoise {
  std::uint64_t start(std::size_t, int agent) override { return starts.at(static_cast<std::size_t>(agent)); }
  double noise(std::size_t, int, int step, std::uint64_t node) override {
    return steps_to.at(static_cast<std::size_t>(step) - 1) == node ? 1e6 : 0.0;
  }
  std::vector<std::uint64_t> starts;
  std::vector<std::uint64_t> steps_to;  // where all agents go in move 1, 2, ...
};

GraphParts path(std::uint32_t nodes, const AgentNetConfig& config) {
  RandomSequence random(5, Purpose::kTest);
  return with_features(path_graph(nodes), random, features_of(config));
}

PlainResult run_on(const AgentNetConfig& config, const Graph& graph, PlainNoise& noise, bool greedy = false,
                   const std::function<void(const ParameterLayout&, std::vector<double>&)>& change = {}) {
  const ParameterLayout layout = agentnet_layout(config);
  std::vector<double> parameters = random_parameters(layout, 1);
  if (change) change(layout, parameters);
  const std::vector<GraphView> views = {graph.view()};
  return PlainRun(config, layout, parameters, views,
                  {.temperature = config.temperature, .greedy = greedy, .noise = &noise})
      .result();
}

TEST(PlainModel, EveryLossHasTheGradientOfItsDifferences) {
  for (const PlainLoss loss : {PlainLoss::kCrossEntropy, PlainLoss::kBinaryCrossEntropy, PlainLoss::kSquaredError,
                               PlainLoss::kAbsoluteError}) {
    SCOPED_TRACE(static_cast<int>(loss));
    Problem problem(variant_named("AgentNet"));
    Attempt base(problem);
    base.run().backward(loss, problem.targets(loss));
    RandomSequence random(3, Purpose::kTest);
    const Parameter& agents = problem.layout.at("agents.weight");
    std::vector<double> gradient = base.run().gradient();
    gradient = {gradient.begin() + static_cast<std::ptrdiff_t>(agents.offset),
                gradient.begin() + static_cast<std::ptrdiff_t>(agents.offset + agents.size)};
    check_tensor(problem, loss, base.run().result(), problem.parameters, agents.offset, gradient, random);
  }
}

TEST(PlainModel, LossesAreMeansOverWhatIsNotBlank) {
  const Problem problem(variant_named("AgentNet"));
  Attempt base(problem);
  const auto& y = base.run().result().outputs;
  const auto log_softmax_at = [&](std::size_t graph, std::size_t c) {
    return y[graph][c] - std::log(std::exp(y[graph][0]) + std::exp(y[graph][1]));
  };
  EXPECT_NEAR(base.run().backward(PlainLoss::kCrossEntropy, std::vector<double>{1.0, 0.0}),
              -(log_softmax_at(0, 1) + log_softmax_at(1, 0)) / 2, 1e-14);
  const auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  const std::vector<double> blanks = {1.0, kBlank, 0.0, kBlank};
  EXPECT_NEAR(base.run().backward(PlainLoss::kBinaryCrossEntropy, blanks),
              -(std::log(sigmoid(y[0][0])) + std::log(1.0 - sigmoid(y[1][0]))) / 2, 1e-14);
  const std::vector<double> numbers = {0.5, -1.0, kBlank, 2.0};
  EXPECT_NEAR(base.run().backward(PlainLoss::kAbsoluteError, numbers),
              (std::abs(y[0][0] - 0.5) + std::abs(y[0][1] + 1.0) + std::abs(y[1][1] - 2.0)) / 3, 1e-14);
  EXPECT_NEAR(base.run().backward(PlainLoss::kSquaredError, numbers),
              (std::pow(y[0][0] - 0.5, 2) + std::pow(y[0][1] + 1.0, 2) + std::pow(y[1][1] - 2.0, 2)) / 3, 1e-14);
  EXPECT_EQ(base.run().backward(PlainLoss::kSquaredError, std::vector<double>(4, kBlank)), 0.0);
}

TEST(PlainModel, AnAgentWithoutCandidatesStaysAndTakesNoEdge) {
  AgentNetConfig config = variant_named("DenseEdgesNoSelfLoops").config;
  config.agents = 1;
  HandMade noise;
  noise.starts = {0};
  const Graph graph(path(1, config));
  const PlainResult result = run_on(config, graph, noise);
  for (const auto& positions : result.positions) EXPECT_EQ(positions, std::vector<std::uint64_t>{0});
  for (const auto& moves : result.moves) EXPECT_TRUE(moves[0].candidates.empty());
  // With a loop to stay by, the state of that edge (ones) reaches the agent.
  config.self_loops = true;
  noise.steps_to = {0, 0, 0};
  const PlainResult looped = run_on(config, graph, noise);
  EXPECT_EQ(looped.agent_states[0], result.agent_states[0]);
  EXPECT_NE(looped.agent_states[1], result.agent_states[1]);
}

TEST(PlainModel, ExplorationFollowsTheTrail) {
  AgentNetConfig config = variant_named("PreferenceAlone").config;
  config.agents = 1;
  config.steps = 4;
  HandMade noise;
  noise.starts = {1};
  noise.steps_to = {2, 2, 1, 0};
  constexpr double kExplored = 10, kUnexplored = 20, kStay = 1000, kBack = 10000;
  const PlainResult result =
      run_on(config, Graph(path(4, config)), noise, false, [&](const ParameterLayout& layout, std::vector<double>& p) {
        std::size_t at = layout.at("move.preference.weight").offset;
        for (const double value : {kExplored, kUnexplored, kStay, kBack}) p[at++] = value;
      });
  // On 1, fresh: no "previous" in the first move.
  EXPECT_EQ(result.moves[0][0].logits, (std::vector<double>{kUnexplored, kStay, kUnexplored}));
  // On 2, from 1.
  EXPECT_EQ(result.moves[1][0].logits, (std::vector<double>{kExplored + kBack, kStay, kUnexplored}));
  // Stayed on 2: it is its own previous node, and 1 was left two moves ago.
  EXPECT_EQ(result.moves[2][0].logits,
            (std::vector<double>{0.9 * kExplored + (1 - 0.9) * kUnexplored, kStay + kBack, kUnexplored}));
  // On 1 again, from 2; 0 and never 3.
  EXPECT_EQ(result.moves[3][0].logits, (std::vector<double>{kUnexplored, kStay, kExplored + kBack}));
}

TEST(PlainModel, ASelfLoopOfTheDataIsNoStayBesideAttention) {
  for (const bool attention : {true, false}) {
    AgentNetConfig config = variant_named("NoSelfLoops").config;
    config.agents = 1;
    config.attention = attention;
    GraphParts parts = path(2, config);
    parts.from.push_back(0);
    parts.to.push_back(0);
    HandMade noise;
    noise.starts = {0};
    noise.steps_to = {0, 0, 0};
    const auto without_query = [&](const ParameterLayout& layout, std::vector<double>& p) {
      for (const char* name : {"move.query.0.weight", "move.query.0.bias"}) {
        const Parameter* query = layout.find(name);
        if (query != nullptr) std::fill_n(p.begin() + static_cast<std::ptrdiff_t>(query->offset), query->size, 0.0);
      }
      std::size_t at = layout.at("move.preference.weight").offset;
      for (const double value : {1.0, 2.0, 4.0, 8.0}) p[at++] = value;
    };
    const PlainResult result = run_on(config, Graph(parts), noise, false, without_query);
    const double stay = attention ? 0.0 : 4.0;
    EXPECT_EQ(result.moves[0][0].logits, (std::vector<double>{stay, 2.0}));
    EXPECT_EQ(result.moves[1][0].logits, (std::vector<double>{stay + 8.0, 2.0}));
  }
}

TEST(PlainModel, GreedyMovesToTheLargestLogitAndTheLowestNodeAmongEquals) {
  AgentNetConfig config = variant_named("PreferenceAlone").config;
  config.agents = 1;
  HandMade noise;
  noise.starts = {1};  // and no steps: greedy must not ask for noise
  const PlainResult result =
      run_on(config, Graph(path(4, config)), noise, true, [](const ParameterLayout& layout, std::vector<double>& p) {
        std::size_t at = layout.at("move.preference.weight").offset;
        for (const double value : {0.0, 5.0, -1.0, 0.0}) p[at++] = value;
      });
  std::vector<std::uint64_t> walk;
  for (const auto& positions : result.positions) walk.push_back(positions[0]);
  // 0 and 2 are equally new, then nothing is new beside 0, then 2 is.
  EXPECT_EQ(walk, (std::vector<std::uint64_t>{1, 0, 1, 2}));
}

TEST(PlainModel, OnlyTheNodesThatAVariantUpdatesChange) {
  struct Expected {
    const char* variant;
    std::vector<bool> changed;  // of the nodes 0..3 of a path with all agents on 1
  };
  for (const Expected& expected :
       {Expected{"AgentNet", {false, true, false, false}}, Expected{"NoNodeUpdate", {false, true, false, false}},
        Expected{"NoNeighbourhood", {false, true, false, false}},
        Expected{"NoUpdateOfNodes", {false, false, false, false}},
        Expected{"NeighbourhoodOfAll", {true, true, true, true}}, Expected{"MergedNode", {false, true, false, false}},
        Expected{"MergedAgent", {false, true, false, false}}}) {
    SCOPED_TRACE(expected.variant);
    AgentNetConfig config = variant_named(expected.variant).config;
    config.steps = 1;
    HandMade noise;
    noise.starts = {1, 1, 1};
    noise.steps_to = {1};
    const PlainResult result = run_on(config, Graph(path(4, config)), noise);
    for (std::size_t node = 0; node < 4; ++node) {
      EXPECT_EQ(result.node_states[0][0][node] != result.node_states[1][0][node], expected.changed[node]) << node;
    }
  }
}

// Whether the state of node 1 after the first visit, all agents on it, depends on a feature of its neighbour 0.
bool reads_neighbours(const AgentNetConfig& config) {
  std::vector<std::vector<double>> states;
  for (const double feature : {0.0, 1.0}) {
    HandMade noise;
    noise.starts = {1, 1, 1};
    noise.steps_to = {1, 1, 1};
    GraphParts parts = path(3, config);
    parts.node_dense64[0] = feature;
    states.push_back(run_on(config, Graph(parts), noise).node_states[0][0][1]);
  }
  return states[0] != states[1];
}

TEST(PlainModel, MergedUpdatesReadTheNeighbours) {
  EXPECT_TRUE(reads_neighbours(variant_named("AgentNet").config));
  EXPECT_TRUE(reads_neighbours(variant_named("MergedNode").config));
  EXPECT_TRUE(reads_neighbours(variant_named("MergedAgent").config));
  EXPECT_FALSE(reads_neighbours(variant_named("NoNeighbourhood").config));
}

TEST(PlainModel, SizeMattersOnlyWhereItIsGiven) {
  for (const char* name : {"AgentNet", "GraphSize"}) {
    AgentNetConfig config = variant_named(name).config;
    HandMade noise;
    noise.starts = {0, 1, 2};
    noise.steps_to = {1, 1, 1};
    GraphParts larger = path(3, config);
    const PlainResult before = run_on(config, Graph(larger), noise);
    larger.num_nodes = 4;
    larger.node_dense64.resize(12, 1.0);
    const PlainResult after = run_on(config, Graph(larger), noise);
    EXPECT_EQ(before.outputs == after.outputs, !config.graph_size);
  }
}

TEST(PlainModel, AGraphsResultDoesNotDependOnItsBatch) {
  const Problem problem(variant_named("DenseEdges"));
  Attempt both(problem);
  Problem first = problem;
  first.parts.pop_back();
  Attempt alone(first);
  EXPECT_EQ(alone.run().result().outputs[0], both.run().result().outputs[0]);
}

TEST(PlainModel, WithoutStraightThroughMovesHaveNoGradient) {
  const Problem problem(variant_named("AgentNet"));
  const Graph graph(problem.parts[0]);
  const std::vector<GraphView> views = {graph.view()};
  SeededNoise noise(7, views, false);
  PlainRun run(problem.config, problem.layout, problem.parameters, views, {.noise = &noise, .straight_through = false});
  run.backward(PlainLoss::kCrossEntropy, std::vector<double>{0.0});
  const Parameter& p = problem.layout.at("move.query.0.weight");
  const std::vector<double> gradient = run.gradient();
  for (std::size_t i = 0; i < p.size; ++i) EXPECT_EQ(gradient[p.offset + i], 0.0);
}

}  // namespace
}  // namespace agentnet
