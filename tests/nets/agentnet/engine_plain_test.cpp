// The engine against the plain oracle, on the same random numbers: every variant, on graphs with all that real data
// brings, and at sizes that leave remainders everywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "core/random.h"
#include "support/engine_run.h"
#include "support/graphs.h"
#include "support/model_variants.h"

namespace agentnet {
namespace {

using testing::IsEmpty;

constexpr LossKind kLosses[] = {LossKind::kCrossEntropy, LossKind::kBinaryCrossEntropy, LossKind::kSquaredError,
                                LossKind::kAbsoluteError};

std::vector<std::string> engine_errors(const Problem& problem, int threads = 1) {
  return differences(problem, run_engine<double>(problem, threads), run_plain(problem), kDoubleTolerance);
}

GraphParts with_features_of(const AgentNetConfig& config, GraphParts parts, std::uint64_t seed) {
  RandomSequence random(seed, Purpose::kTest, 6);
  return with_features(std::move(parts), random, features_of(config));
}

int between(int least, int most, RandomSequence& random) {
  return least + static_cast<int>(random.below(static_cast<std::uint64_t>(most - least + 1)));
}

// The variant with other sizes, on a few graphs.
Problem of_random_size(ModelVariant variant, std::uint64_t seed, RandomSequence& random) {
  variant.config.hidden = between(2, 11, random);
  if (variant.config.agents > 1) variant.config.agents = between(1, 7, random);
  variant.config.steps = between(0, 5, random);
  variant.config.outputs = between(1, 4, random);
  std::vector<GraphParts> graphs;
  for (int i = between(1, 3, random); i > 0; --i) {
    const auto n = static_cast<std::uint32_t>(between(1, 8, random));
    graphs.push_back(messy_graph(variant.config, n, random.next_u64()));
  }
  return make_problem(variant, graphs, seed, kLosses[seed % 4]);
}

class EngineVariant : public testing::TestWithParam<ModelVariant> {};

TEST_P(EngineVariant, AgreesWithTheOracleOnEveryKindOfGraph) {
  ModelVariant variant = GetParam();
  variant.config.steps = 4;
  for (std::uint64_t seed = 1; seed <= (kSanitized ? 1 : 2); ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = make_problem(variant, small_graphs(variant.config, seed), seed);
    EXPECT_THAT(engine_errors(problem), IsEmpty());
  }
}

TEST_P(EngineVariant, AgreesWithTheOracleAtAnySize) {
  for (std::uint64_t seed = 1; seed <= (kSanitized ? 2 : 8); ++seed) {
    SCOPED_TRACE(seed);
    RandomSequence random(seed, Purpose::kTest, 7);
    EXPECT_THAT(engine_errors(of_random_size(GetParam(), seed, random)), IsEmpty());
  }
}

// Any choice of options but dropout, valid or not.
AgentNetConfig random_options(RandomSequence& random) {
  const auto flip = [&] { return random.below(2) == 1; };
  AgentNetConfig c;
  c.width = between(1, 3, random);
  c.node_features = between(0, 3, random);
  if (flip()) c.node_categories = {2, 4};
  c.edge_features = between(0, 2, random);
  if (flip() && flip()) c.edge_categories = {3, 2};
  c.input_mlp = flip();
  c.edge_kernel = flip();
  c.node_update = flip();
  c.neighbourhood = static_cast<Neighbourhood>(random.below(3));
  c.merge = static_cast<Merge>(random.below(4));
  if (c.merge != Merge::kNone) {  // the only choices it is valid with
    c.node_update = true;
    c.neighbourhood = Neighbourhood::kOccupied;
  }
  c.reduce = static_cast<Reduce>(random.below(4));
  c.global_communication = flip();
  c.graph_size = flip();
  c.time_node = flip();
  c.time_neighbourhood = flip();
  c.time_agent = flip();
  c.time_readout = flip();
  c.time_table = static_cast<TimeTable>(random.below(2));
  c.moves = random.below(2) == 0 ? static_cast<MovePolicy>(random.below(5)) : MovePolicy::kLearned;
  c.start = random.below(2) == 0 ? static_cast<StartPolicy>(random.below(4)) : StartPolicy::kRandom;
  if (c.start == StartPolicy::kChosen) c.start_nodes = {0};
  c.attention = flip();
  c.attention_width = between(1, 3, random);
  c.exploration = static_cast<Exploration>(random.below(3));
  c.self_loops = flip();
  c.visited_decay = random.uniform();
  c.temperature = 0.2 + random.uniform();
  c.readout_mlp = flip();
  c.head_mlp = flip();
  c.window = flip() ? 0 : between(1, 4, random);
  c.window_moves = c.window > 0 && flip();
  c.slope = flip() ? 0.01 : random.uniform();
  c.edge_slope = flip() ? 0.0 : random.uniform();
  return c;
}

INSTANTIATE_TEST_SUITE_P(All, EngineVariant, testing::ValuesIn(model_variants()),
                         [](const auto& test) { return test.param.name; });

// Options meet that no variant brings together.
TEST(EngineAgainstPlain, AnyCombinationOfOptionsAgrees) {
  constexpr std::uint64_t kEnough = kSanitized ? 30 : 200;
  std::uint64_t valid = 0;
  for (std::uint64_t seed = 1; valid < kEnough; ++seed) {
    RandomSequence random(seed, Purpose::kTest, 9);
    ModelVariant variant{"random", random_options(random), random.below(5) == 0};
    try {
      validate(variant.config);
    } catch (const Error&) {
      continue;
    }
    ++valid;
    EXPECT_THAT(engine_errors(of_random_size(variant, seed, random)), IsEmpty()) << to_json(variant.config);
  }
}

TEST(EngineAgainstPlain, EveryLossHasItsGradientForAnyNumberOfOutputs) {
  for (const LossKind loss : kLosses) {
    for (const int outputs : {1, 2, 5}) {
      SCOPED_TRACE(testing::Message() << "loss " << static_cast<int>(loss) << ", outputs " << outputs);
      ModelVariant variant = variant_named("AgentNet");
      variant.config.outputs = outputs;
      EXPECT_THAT(engine_errors(make_problem(variant, small_graphs(variant.config, 3), 3, loss)), IsEmpty());
    }
  }
}

TEST(EngineAgainstPlain, AllTargetsBlankIsNoLossAndNoGradient) {
  const ModelVariant& variant = variant_named("AgentNet");
  Problem problem = make_problem(variant, small_graphs(variant.config, 3), 3, LossKind::kSquaredError);
  std::fill(problem.targets.begin(), problem.targets.end(), std::numeric_limits<double>::quiet_NaN());
  const Answer answer = run_engine<double>(problem);
  EXPECT_EQ(answer.loss, 0.0);
  EXPECT_THAT(answer.gradient, testing::Each(0.0));
}

// A shard holds about 160 agents: one graph, some graphs, many graphs in each of several shards.
TEST(EngineAgainstPlain, ShardsAddUpToTheBatch) {
  struct Case {
    int agents;
    std::size_t graphs;
  };
  std::vector<const char*> names = {"AgentNet", "EdgeKernel"};
  if (!kSanitized) names.insert(names.end(), {"DenseEdges", "GraphSize", "MergedAgent", "NeighbourhoodOfAll"});
  for (const char* name : names) {
    for (const Case& c : {Case{170, 2}, Case{70, 5}, Case{3, 130}}) {
      SCOPED_TRACE(testing::Message() << name << ", " << c.agents << " agents on " << c.graphs << " graphs");
      ModelVariant variant = variant_named(name);
      variant.config.agents = c.agents;
      variant.config.steps = 2;
      std::vector<GraphParts> graphs;
      for (std::size_t g = 0; g < c.graphs; ++g) {
        graphs.push_back(messy_graph(variant.config, 2 + static_cast<std::uint32_t>(g % 4), g));
      }
      EXPECT_THAT(engine_errors(make_problem(variant, graphs, 4), /*threads=*/2), IsEmpty());
    }
  }
}

// Long walks round a hub: what an agent remembers is found by halves in the list of its neighbours.
TEST(EngineAgainstPlain, LongTrailsAreFoundAmongTheNeighboursOfAHub) {
  for (const char* name : {"AgentNet", "PreferenceAlone", "Simplified", "NoSelfLoops", "DenseEdges"}) {
    SCOPED_TRACE(name);
    ModelVariant variant = variant_named(name);
    variant.config.steps = 12;
    variant.config.agents = 4;
    for (const std::uint32_t n : {16u, 17u, 18u, 40u}) {  // 15, 16, 17 and 39 neighbours
      GraphParts star = star_graph(n);
      for (std::uint32_t leaf = 1; leaf + 3 < n; leaf += 3) {  // some leaves have other ways than back
        star.from.push_back(leaf);
        star.to.push_back(leaf + 3);
      }
      const std::vector<GraphParts> graphs = {with_features_of(variant.config, star, n)};
      EXPECT_THAT(engine_errors(make_problem(variant, graphs, n)), IsEmpty()) << n;
    }
  }
}

TEST(EngineAgainstPlain, ManyAgentsOnOneNode) {
  for (const char* name : {"AgentNet", "SimplifiedWithAttention", "DenseEdges", "SumReduce", "MeanReduce"}) {
    SCOPED_TRACE(name);
    ModelVariant variant = variant_named(name);
    variant.config.agents = 40;
    variant.config.hidden = 8;
    const std::vector<GraphParts> graphs = {with_features_of(variant.config, path_graph(1), 1),
                                            with_features_of(variant.config, path_graph(2), 2),
                                            with_features_of(variant.config, star_graph(30), 3)};
    EXPECT_THAT(engine_errors(make_problem(variant, graphs, 5)), IsEmpty());
  }
}

TEST(EngineAgainstPlain, DirectedGraphsWithDeadEnds) {
  for (const char* name : {"AgentNet", "NoSelfLoops", "RandomWalkNoSelfLoops", "DenseEdgesNoSelfLoops"}) {
    SCOPED_TRACE(name);
    const ModelVariant& variant = variant_named(name);
    GraphParts one_way = path_graph(5);
    one_way.undirected = false;
    GraphParts ring = cycle_graph(5);
    ring.undirected = false;
    const std::vector<GraphParts> graphs = {with_features_of(variant.config, one_way, 1),
                                            with_features_of(variant.config, ring, 2)};
    for (const std::uint64_t seed : {1, 2, 3})
      EXPECT_THAT(engine_errors(make_problem(variant, graphs, seed)), IsEmpty());
  }
}

// A temperature of the rollout replaces the model's own: moves stay, their gradients change.
TEST(EngineAgainstPlain, TemperatureOfTheRolloutReplacesThatOfTheModel) {
  const ModelVariant& variant = variant_named("AgentNet");
  Problem problem = make_problem(variant, small_graphs(variant.config, 6), 6);
  ThreadPool pool(1);
  Engine<double> engine(problem.config, pool);
  engine.set_parameters(problem.parameters);
  SeededReplay replay(problem);
  const std::vector<GraphView> graphs = problem.views();
  const std::vector<std::uint64_t> ids(graphs.size(), 0);
  Answer hot;
  hot.gradient.resize(engine.layout().size());
  engine.gradients({graphs, ids}, {.temperature = 3.0, .replay = &replay},
                   make_loss<double>(problem.loss, problem.config.outputs, problem.targets, graphs.size()),
                   hot.gradient);
  const Answer before = run_plain(problem);
  problem.config.temperature = 3.0;
  const Answer expected = run_plain(problem);
  EXPECT_EQ(before.positions, expected.positions);
  EXPECT_NE(before.gradient, expected.gradient);
  Answer actual = expected;
  actual.gradient = hot.gradient;
  EXPECT_THAT(differences(problem, actual, expected, kDoubleTolerance), IsEmpty());
}

// Features and parameters that single precision holds exactly, so that only the arithmetic differs.
Problem single_precision_problem(const ModelVariant& variant, std::uint64_t seed) {
  std::vector<GraphParts> graphs = small_graphs(variant.config, seed);
  for (GraphParts& parts : graphs) {
    for (double& x : parts.node_dense64) x = static_cast<float>(x);
    for (double& x : parts.edge_dense64) x = static_cast<float>(x);
  }
  Problem problem = make_problem(variant, graphs, seed);
  for (double& p : problem.parameters) p = static_cast<float>(p);
  return problem;
}

// The smallest distance between the best and the second best of all noisy logits: below it, rounding decides.
double smallest_gap(const Problem& problem) {
  SeededReplay replay(problem);
  const PlainRun run = plain_run(problem, replay);
  double gap = std::numeric_limits<double>::infinity();
  for (const auto& moves : run.result().moves) {
    for (const PlainMove& move : moves) {
      for (std::size_t c = 0; c < move.probabilities.size(); ++c) {
        if (c == move.chosen) continue;
        const double ratio = std::log(move.probabilities[move.chosen] / move.probabilities[c]);
        gap = std::min(gap, ratio * problem.config.temperature);
      }
    }
  }
  return gap;
}

TEST(EngineAgainstPlain, SinglePrecisionAgreesToItsOwnPrecision) {
  constexpr Tolerance kFloatTolerance = {2e-5, 2e-4};
  int compared = 0;
  for (const char* name : {"AgentNet", "SimplifiedWithAttention", "RandomWalk", "DenseEdges", "Molecules", "EdgeKernel",
                           "MergedAgent", "MergedWalk", "NeighbourhoodOfAll", "BothMlps", "GraphSize"}) {
    ModelVariant variant = variant_named(name);
    variant.config.hidden = 16;  // narrow layer norms divide by variances near zero
    for (std::uint64_t seed = 1; seed <= (kSanitized ? 1 : 6); ++seed) {
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
      const Problem problem = single_precision_problem(variant, seed);
      if (smallest_gap(problem) < 1e-3) continue;
      ++compared;
      EXPECT_THAT(differences(problem, run_engine<float>(problem), run_plain(problem), kFloatTolerance), IsEmpty());
    }
  }
  EXPECT_GE(compared, kSanitized ? 5 : 30) << "too few walks are the same in both precisions";
}

}  // namespace
}  // namespace agentnet
