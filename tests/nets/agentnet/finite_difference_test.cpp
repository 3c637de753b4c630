// The engine's gradients are derivatives: for every variant and every parameter tensor.
//
// Straight-through gradients of learned moves are not derivatives of the sampled loss, which does not change at all
// when a logit does. They are derivatives of the oracle's frozen loss, which repeats the moves and lets the weights of
// the moves vary. Random moves have no gradient, so there the engine is its own judge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/thread_pool.h"
#include "nets/agentnet/engine.h"
#include "support/engine_run.h"
#include "support/finite_differences.h"
#include "support/model_variants.h"

namespace agentnet {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

// An isolated node, dead ends, double edges, self loops.
Problem small_problem(const ModelVariant& variant, std::uint64_t seed) {
  const bool classes = variant.config.outputs > 1;
  Problem problem = make_problem(variant, {messy_graph(variant.config, 5, seed)}, seed,
                                 classes ? LossKind::kCrossEntropy : LossKind::kSquaredError);
  problem.seed = 7;  // at which no variant starts all of its agents in dead ends
  return problem;
}

class DifferencesOfVariant : public testing::TestWithParam<ModelVariant> {};

TEST_P(DifferencesOfVariant, AreTheEnginesStraightThroughGradients) {
  Problem problem = small_problem(GetParam(), 1);
  const ParameterLayout layout = agentnet_layout(problem.config);
  SeededReplay replay(problem);
  const PlainRun base = plain_run(problem, replay);
  const Answer engine = run_engine<double>(problem);
  ASSERT_EQ(engine.positions, base.result().positions);

  // These two shift all logits of an agent alike, which the softmax does not see.
  std::vector<std::string> silent;
  if (layout.find("move.key.0.bias") != nullptr) silent = {"move.key.norm.bias", "move.key.0.bias"};
  EXPECT_THAT(silent_parameters(layout, engine.gradient), UnorderedElementsAreArray(silent));

  const std::vector<double> at = problem.parameters;
  const auto frozen_loss = [&](std::span<const double> parameters) {
    problem.parameters.assign(parameters.begin(), parameters.end());
    return plain_run(problem, replay, &base.result()).loss(plain_loss(problem.loss), problem.targets);
  };
  EXPECT_THAT(gradient_errors(layout, at, engine.gradient, kSanitized ? 0 : 2, frozen_loss), IsEmpty());
}

TEST_P(DifferencesOfVariant, AreTheEnginesOwnGradientsWhereMovesAreRandom) {
  ModelVariant variant = GetParam();
  variant.config.moves = MovePolicy::kRandom;
  const Problem problem = small_problem(variant, 2);
  const Answer answer = run_engine<double>(problem);
  const ParameterLayout layout = agentnet_layout(problem.config);
  EXPECT_THAT(silent_parameters(layout, answer.gradient), IsEmpty());

  ThreadPool pool(1);
  Engine<double> engine(problem.config, pool);
  const std::vector<GraphView> graphs = problem.views();
  const std::vector<std::uint64_t> ids(graphs.size(), 0);
  SeededReplay replay(problem);
  const auto loss = make_loss<double>(problem.loss, problem.config.outputs, problem.targets, graphs.size());
  const auto C = static_cast<Stride>(problem.config.outputs);
  std::vector<double> outputs(graphs.size() * static_cast<std::size_t>(C)), slopes(outputs.size());
  const auto engine_loss = [&](std::span<const double> parameters) {
    engine.set_parameters(parameters);
    engine.predict({graphs, ids}, {.replay = &replay}, outputs);
    return loss(0, graphs.size(), {outputs.data(), C}, {slopes.data(), C});
  };
  EXPECT_THAT(gradient_errors(layout, problem.parameters, answer.gradient, 16, engine_loss), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, DifferencesOfVariant, testing::ValuesIn(model_variants()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace agentnet
