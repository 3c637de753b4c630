// The same bytes out for the same seed: whatever the number of threads, the order in which shards are picked up, what
// else is in the batch, and what the engine did before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/thread_pool.h"
#include "nets/agentnet/engine.h"
#include "support/engine_run.h"

namespace agentnet {
namespace {

// All that a training step gives.
template <class S>
struct Outcome {
  double loss = 0;
  std::vector<S> outputs, gradient;
  Trace<S> trace;
  std::vector<InputGradient<S>> inputs;
};

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class S>
bool same_trace(const Trace<S>& a, const Trace<S>& b) {
  return a.positions == b.positions && same_bytes(a.step_outputs, b.step_outputs) &&
         same_bytes(a.agent_states, b.agent_states);
}

// What differs, by name; empty for the same bytes everywhere.
template <class S>
std::string different(const Outcome<S>& a, const Outcome<S>& b) {
  std::string names;
  if (std::memcmp(&a.loss, &b.loss, sizeof(double)) != 0) names += "loss ";
  if (!same_bytes(a.outputs, b.outputs)) names += "outputs ";
  if (!same_bytes(a.gradient, b.gradient)) names += "gradient ";
  if (!same_trace(a.trace, b.trace)) names += "trace ";
  if (a.inputs.size() != b.inputs.size()) return names + "inputs";
  for (std::size_t g = 0; g < a.inputs.size(); ++g) {
    if (!same_bytes(a.inputs[g].nodes, b.inputs[g].nodes)) names += "node features of graph " + std::to_string(g) + " ";
    if (!same_bytes(a.inputs[g].edges, b.inputs[g].edges)) names += "edge features of graph " + std::to_string(g) + " ";
  }
  return names;
}

// Graphs of a set with a model for them; `members` select a batch.
template <class S>
class Setting {
 public:
  explicit Setting(const ModelVariant& variant, std::size_t graphs) : greedy_(variant.greedy), config(variant.config) {
    std::vector<GraphParts> parts;
    for (std::uint64_t seed = 1; parts.size() < graphs; ++seed) {
      for (GraphParts& p : small_graphs(config, seed)) parts.push_back(std::move(p));
    }
    parts.resize(graphs);
    owned_ = std::vector<Graph>(parts.begin(), parts.end());
    targets_ = random_targets(config, graphs, LossKind::kSquaredError, 1);
    const std::vector<double> values = random_parameters(agentnet_layout(config), 1);
    parameters.assign(values.begin(), values.end());
  }

  [[nodiscard]] std::vector<std::size_t> everyone() const {
    std::vector<std::size_t> all(owned_.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  [[nodiscard]] Engine<S> engine(ThreadPool& pool) const {
    Engine<S> made(config, pool);
    made.set_parameters(parameters);
    return made;
  }

  Outcome<S> train(Engine<S>& engine, const std::vector<std::size_t>& members, std::uint64_t epoch = 0,
                   std::uint64_t seed = 11) const {
    const Selected batch = select(members);
    Outcome<S> out;
    out.outputs.resize(members.size() * outputs());
    out.gradient.resize(engine.layout().size());
    const auto loss = make_loss<S>(LossKind::kSquaredError, config.outputs, batch.targets, members.size());
    out.loss = engine.gradients({batch.graphs, batch.ids}, options(epoch, seed), loss, out.gradient,
                                {&out.trace, out.outputs, &out.inputs});
    return out;
  }

  // Outputs and trace only.
  Outcome<S> predict(Engine<S>& engine, const std::vector<std::size_t>& members, std::uint64_t epoch = 0,
                     std::uint64_t seed = 11) const {
    const Selected batch = select(members);
    Outcome<S> out;
    out.outputs.resize(members.size() * outputs());
    engine.predict({batch.graphs, batch.ids}, options(epoch, seed), out.outputs, &out.trace);
    return out;
  }

  [[nodiscard]] std::size_t outputs() const { return static_cast<std::size_t>(config.outputs); }

 private:
  struct Selected {
    std::vector<GraphView> graphs;
    std::vector<std::uint64_t> ids;
    std::vector<double> targets;
  };
  [[nodiscard]] Selected select(const std::vector<std::size_t>& members) const {
    Selected batch;
    for (const std::size_t m : members) {
      batch.graphs.push_back(owned_.at(m).view());
      batch.ids.push_back(1000 + m);
      for (std::size_t c = 0; c < outputs(); ++c) batch.targets.push_back(targets_[m * outputs() + c]);
    }
    return batch;
  }
  [[nodiscard]] RolloutOptions options(std::uint64_t epoch, std::uint64_t seed) const {
    return {.seed = seed, .epoch = epoch, .greedy = greedy_, .dropout = config.dropout > 0};
  }

  std::vector<Graph> owned_;
  std::vector<double> targets_;
  bool greedy_;

 public:
  AgentNetConfig config;
  std::vector<S> parameters;
};

ModelVariant enlarged(ModelVariant variant, int agents, double dropout = 0) {
  variant.config.agents = agents;
  variant.config.hidden = 6;
  variant.config.dropout = dropout;
  return variant;
}

class DeterminismOfVariant : public testing::TestWithParam<ModelVariant> {};

TEST_P(DeterminismOfVariant, SameBytesForAnyNumberOfThreads) {
  const Setting<float> setting(enlarged(GetParam(), 30, 0.2), 29);
  ThreadPool alone(1);
  Engine<float> engine = setting.engine(alone);
  const Outcome<float> expected = setting.train(engine, setting.everyone());
  for (const int threads : {2, 3, 8}) {
    ThreadPool pool(threads);
    Engine<float> other = setting.engine(pool);
    EXPECT_EQ(different(setting.train(other, setting.everyone()), expected), "") << threads << " threads";
  }
}

TEST_P(DeterminismOfVariant, PredictionIsTheForwardPassOfTraining) {
  const Setting<float> setting(enlarged(GetParam(), 30), 13);
  ThreadPool pool(1);
  Engine<float> engine = setting.engine(pool);
  const Outcome<float> training = setting.train(engine, setting.everyone());
  const Outcome<float> prediction = setting.predict(engine, setting.everyone());
  EXPECT_TRUE(same_bytes(prediction.outputs, training.outputs));
  EXPECT_TRUE(same_trace(prediction.trace, training.trace));
}

TEST_P(DeterminismOfVariant, AGraphsOutputDoesNotDependOnItsBatch) {
  const Setting<float> setting(enlarged(GetParam(), 7), 16);
  ThreadPool pool(1);
  Engine<float> engine = setting.engine(pool);
  const Outcome<float> together = setting.predict(engine, setting.everyone());
  std::vector<std::size_t> reversed = setting.everyone();
  std::reverse(reversed.begin(), reversed.end());
  const Outcome<float> backwards = setting.predict(engine, reversed);
  for (std::size_t g = 0; g < 16; ++g) {
    const Outcome<float> alone = setting.predict(engine, {g});
    for (std::size_t c = 0; c < setting.outputs(); ++c) {
      EXPECT_EQ(alone.outputs[c], together.outputs[g * setting.outputs() + c]) << "graph " << g;
      EXPECT_EQ(alone.outputs[c], backwards.outputs[(15 - g) * setting.outputs() + c]) << "graph " << g;
    }
  }
}

TEST_P(DeterminismOfVariant, NothingOfEarlierBatchesStays) {
  const Setting<float> setting(enlarged(GetParam(), 20, 0.2), 24);
  ThreadPool pool(1);
  Engine<float> fresh = setting.engine(pool), used = setting.engine(pool);
  const std::vector<std::size_t> few = {3, 17};
  const Outcome<float> expected = setting.train(fresh, few);
  setting.train(used, setting.everyone());
  setting.predict(used, {5});
  setting.train(used, {});
  EXPECT_EQ(different(setting.train(used, few), expected), "");
  EXPECT_EQ(different(setting.train(used, few), expected), "") << "once more";
}

INSTANTIATE_TEST_SUITE_P(All, DeterminismOfVariant, testing::ValuesIn(model_variants()),
                         [](const auto& test) { return test.param.name; });

template <class S>
class Determinism : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Determinism, Scalars, );

TYPED_TEST(Determinism, SameBytesForAnyOrderOfShards) {
  // So many agents that every graph is a shard of its own.
  const Setting<TypeParam> setting(enlarged(variant_named("DenseEdges"), 1000), 9);
  ThreadPool pool(3);
  Engine<TypeParam> engine = setting.engine(pool);
  const Outcome<TypeParam> expected = setting.train(engine, setting.everyone());
  std::vector<std::size_t> order = setting.everyone();
  std::reverse(order.begin(), order.end());
  RandomSequence random(1, Purpose::kTest);
  for (int i = 0; i < 6; ++i) {
    engine.pickup_order = order;
    EXPECT_EQ(different(setting.train(engine, setting.everyone()), expected), "") << testing::PrintToString(order);
    random.shuffle(order);
  }
}

// Widths at which the kernels take different paths for few and many rows.
TYPED_TEST(Determinism, OutputsDoNotDependOnTheBatchAtAnyWidth) {
  for (const int hidden : {1, 7, 16, 33, 64}) {
    ModelVariant variant = variant_named("AgentNet");
    variant.config.agents = 5;
    variant.config.hidden = hidden;
    const Setting<TypeParam> setting(variant, 40);
    ThreadPool pool(1);
    Engine<TypeParam> engine = setting.engine(pool);
    const Outcome<TypeParam> together = setting.predict(engine, setting.everyone());
    for (const std::size_t g : {0, 13, 39}) {
      const Outcome<TypeParam> alone = setting.predict(engine, {g});
      for (std::size_t c = 0; c < setting.outputs(); ++c) {
        EXPECT_EQ(alone.outputs[c], together.outputs[g * setting.outputs() + c]) << "graph " << g << ", h = " << hidden;
      }
    }
  }
}

TYPED_TEST(Determinism, EpochsAndSeedsGiveOtherWalks) {
  const Setting<TypeParam> setting(enlarged(variant_named("AgentNet"), 5), 8);
  ThreadPool pool(1);
  Engine<TypeParam> engine = setting.engine(pool);
  const auto walks = [&](std::uint64_t epoch, std::uint64_t seed) {
    return setting.predict(engine, setting.everyone(), epoch, seed).trace.positions;
  };
  EXPECT_EQ(walks(3, 4), walks(3, 4));
  EXPECT_NE(walks(3, 4), walks(4, 4));
  EXPECT_NE(walks(3, 4), walks(3, 3));
}

TYPED_TEST(Determinism, GraphsAreToldApartByTheirIds) {
  const Setting<TypeParam> setting(enlarged(variant_named("AgentNet"), 5), 1);
  ThreadPool pool(1);
  Engine<TypeParam> engine = setting.engine(pool);
  const Problem problem = make_problem(variant_named("AgentNet"), {small_graphs(setting.config, 1)[0]}, 1);
  const std::vector<GraphView> twice(2, problem.graphs[0].view());
  std::vector<TypeParam> outputs(2 * setting.outputs());
  const auto differ = [&](const std::vector<std::uint64_t>& ids) {
    engine.predict({twice, ids}, {}, outputs);
    return !std::equal(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(setting.outputs()),
                       outputs.begin() + static_cast<std::ptrdiff_t>(setting.outputs()));
  };
  EXPECT_FALSE(differ({7, 7}));
  EXPECT_TRUE(differ({7, 8}));
  EXPECT_TRUE(differ({7, 7 + (std::uint64_t{1} << 40)}));
}

}  // namespace
}  // namespace agentnet
