// Dropout: the oracle has none, so the masks are checked one by one, and the gradients by differences of the engine's
// own loss. Masks are functions of the seed, hence the loss is one of the parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/thread_pool.h"
#include "nets/agentnet/engine.h"
#include "nets/agentnet/walk.h"
#include "support/engine_run.h"
#include "support/finite_differences.h"
#include "support/statistics.h"

namespace agentnet {
namespace {

using testing::IsEmpty;

constexpr double kUnlikely = 1e-4;  // all seeds are fixed, see moves_test.cpp

// A batch on which an engine runs with dropout and replayed walks.
template <class S>
class Training {
 public:
  explicit Training(const Problem& problem)
      : problem_(problem), engine_(problem.config, pool_), replay_(problem), graphs_(problem.views()) {
    for (std::size_t g = 0; g < graphs_.size(); ++g) ids_.push_back(g);
    parameters_.assign(problem.parameters.begin(), problem.parameters.end());
    engine_.set_parameters(parameters_);
  }

  [[nodiscard]] RolloutOptions options(std::uint64_t epoch, bool dropout) {
    return {.seed = 3, .epoch = epoch, .dropout = dropout, .replay = &replay_};
  }
  Trace<S> predict(std::uint64_t epoch, bool dropout = true) {
    Trace<S> trace;
    outputs_.resize(graphs_.size() * static_cast<std::size_t>(problem_.config.outputs));
    engine_.predict({graphs_, ids_}, options(epoch, dropout), outputs_, &trace);
    return trace;
  }
  std::vector<S> gradient(bool dropout = true) {
    std::vector<S> gradient(engine_.layout().size());
    engine_.gradients({graphs_, ids_}, options(0, dropout), loss_, gradient);
    return gradient;
  }
  double loss_at(std::span<const S> parameters) {
    engine_.set_parameters(parameters);
    predict(0);
    const auto C = static_cast<Stride>(problem_.config.outputs);
    std::vector<S> slopes(outputs_.size());
    return loss_(0, graphs_.size(), {outputs_.data(), C}, {slopes.data(), C});
  }
  [[nodiscard]] const ParameterLayout& layout() const { return engine_.layout(); }
  [[nodiscard]] const std::vector<S>& outputs() const { return outputs_; }

 private:
  const Problem& problem_;
  ThreadPool pool_{1};
  Engine<S> engine_;
  SeededReplay replay_;
  std::vector<GraphView> graphs_;
  std::vector<std::uint64_t> ids_;
  std::vector<S> parameters_, outputs_;
  LossFunction<S> loss_ =
      make_loss<S>(problem_.loss, problem_.config.outputs, problem_.targets, problem_.graphs.size());
};

Problem problem_with_dropout(ModelVariant variant, double dropout, std::uint64_t seed) {
  variant.config.dropout = dropout;
  const std::vector<GraphParts> graphs = {messy_graph(variant.config, 8, seed),
                                          messy_graph(variant.config, 2, seed + 1)};
  return make_problem(variant, graphs, seed, LossKind::kSquaredError);
}

class DropoutInVariant : public testing::TestWithParam<ModelVariant> {};

TEST_P(DropoutInVariant, HasTheGradientsOfItsDifferences) {
  ModelVariant variant = GetParam();
  variant.config.moves = MovePolicy::kRandom;  // no straight-through gradients, see finite_difference_test.cpp
  const Problem problem = problem_with_dropout(variant, 0.3, 1);
  Training<double> training(problem);
  const std::vector<double> gradient = training.gradient();
  EXPECT_THAT(silent_parameters(training.layout(), gradient), IsEmpty());
  const auto loss = [&](std::span<const double> parameters) { return training.loss_at(parameters); };
  EXPECT_THAT(gradient_errors(training.layout(), problem.parameters, gradient, 8, loss), IsEmpty());
}

TEST_P(DropoutInVariant, IsNothingWhereTheRolloutDoesNotAskForIt) {
  const Problem with = problem_with_dropout(GetParam(), 0.5, 2);
  const Problem without = problem_with_dropout(GetParam(), 0.0, 2);
  Training<float> dropping(with), plain(without);
  EXPECT_EQ(dropping.gradient(/*dropout=*/false), plain.gradient());
  EXPECT_NE(dropping.gradient(), plain.gradient());
  dropping.predict(0, /*dropout=*/false);
  plain.predict(0);
  EXPECT_EQ(dropping.outputs(), plain.outputs());
}

INSTANTIATE_TEST_SUITE_P(All, DropoutInVariant, testing::ValuesIn(model_variants()),
                         [](const auto& test) { return test.param.name; });

// Zeros in the trace: an output that the head dropped, an agent's entry that its update left as it was.
TEST(Dropout, DropsTheShareThatTheModelNames) {
  ModelVariant variant = variant_named("RandomWalk");
  variant.config.outputs = 8;
  variant.config.hidden = 8;
  const double p = 0.3;
  const Problem problem = problem_with_dropout(variant, p, 3);
  Training<float> training(problem);
  std::vector<std::uint64_t> outputs(2, 0), updates(2, 0);  // kept, dropped
  for (std::uint64_t epoch = 0; epoch < 200; ++epoch) {
    const Trace<float> trace = training.predict(epoch);
    for (const float y : trace.step_outputs) ++outputs[y == 0.0f ? 1 : 0];
    const std::size_t visit = trace.agent_states.size() / trace.positions.size();
    for (std::size_t i = visit; i < trace.agent_states.size(); ++i) {
      ++updates[trace.agent_states[i] == trace.agent_states[i - visit] ? 1 : 0];
    }
  }
  const std::vector<double> expected = {1 - p, p};
  EXPECT_GT(chi_square_p_value(outputs, expected), kUnlikely);
  EXPECT_GT(chi_square_p_value(updates, expected), kUnlikely);
}

// Mean and variance of numbers that come one by one.
struct Moments {
  std::uint64_t count = 0;
  double mean = 0, squares = 0;
  void add(double x) {
    const double delta = x - mean;
    mean += delta / static_cast<double>(++count);
    squares += delta * (x - mean);
  }
  // How many standard errors the mean is off.
  [[nodiscard]] double off_by(double expected) const {
    const auto n = static_cast<double>(count);
    return std::abs(mean - expected) / (std::sqrt(squares / (n - 1) / n) + 1e-12);
  }
};

// With a slope of one, first layers that see nothing but their bias, and no maximum, the model behind each dropout is
// linear: its mean over many masks is what it is without any.
TEST(Dropout, KeepsTheMeanOfWhatIsLinearBehindIt) {
  ModelVariant variant = variant_named("BothMlps");
  variant.config.slope = 1;
  variant.config.moves = MovePolicy::kRandom;
  Problem problem = problem_with_dropout(variant, 0.4, 4);
  const ParameterLayout layout = agentnet_layout(problem.config);
  for (const char* name : {"readout.0.weight", "agent_update.0.weight"}) {
    const Parameter& p = layout.at(name);
    std::fill_n(problem.parameters.begin() + static_cast<std::ptrdiff_t>(p.offset), p.size, 0.0);
  }
  const Parameter& head = layout.at("head.0.weight");  // its columns: maxima, then means
  const auto columns = static_cast<std::size_t>(head.shape[1]);
  for (std::size_t i = 0; i < head.size; ++i) {
    if (i % columns < columns / 2) problem.parameters[head.offset + i] = 0;
  }

  Training<double> training(problem);
  const std::vector<double> agents = training.predict(0, /*dropout=*/false).agent_states;
  const std::vector<double> outputs = training.outputs();
  const std::size_t first_visit = agents.size() / static_cast<std::size_t>(problem.config.steps + 1);
  std::vector<Moments> agent_moments(first_visit), output_moments(outputs.size());
  for (std::uint64_t epoch = 0; epoch < 3000; ++epoch) {
    const Trace<double> trace = training.predict(epoch);
    for (std::size_t i = 0; i < agent_moments.size(); ++i) agent_moments[i].add(trace.agent_states[i]);
    for (std::size_t i = 0; i < output_moments.size(); ++i) output_moments[i].add(training.outputs()[i]);
  }
  constexpr double kMostErrors = 4.5;
  for (std::size_t i = 0; i < first_visit; ++i) {
    EXPECT_LT(agent_moments[i].off_by(agents[i]), kMostErrors) << "agent entry " << i;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_LT(output_moments[i].off_by(outputs[i]), kMostErrors) << "output " << i;
  }
}

// The mask of one call: true where an entry of ones was dropped.
struct Mask {
  DropoutSite site = DropoutSite::kNodeUpdateHidden;
  int step = 1;
  std::uint64_t graph_id = 5, seed = 1, epoch = 1;
  std::uint32_t key = 2;

  [[nodiscard]] std::vector<double> draw(double dropout, Index width) const {
    AgentNetConfig config;
    config.dropout = dropout;
    const Weights<double> weights(config);
    Walk<double> walk;
    walk.weights = &weights;
    walk.options.seed = seed;
    walk.options.epoch = epoch;
    const std::vector<std::uint64_t> ids = {graph_id};
    walk.graph_ids = ids;
    const Index graph = 0;
    std::vector<double> row(static_cast<std::size_t>(width), 1.0);
    apply_dropout(walk, site, step, 1, width, {&graph, &key}, Matrix<double>{row.data(), width});
    return row;
  }
};

TEST(DropoutMask, KeepsTheMeanOfWhatItScales) {
  for (const double p : {0.1, 0.5, 0.9}) {
    constexpr Index kWidth = 20000;
    std::vector<std::uint64_t> counts(2, 0);
    for (const double x : Mask().draw(p, kWidth)) {
      EXPECT_DOUBLE_EQ(x, x == 0 ? 0 : 1 / (1 - p));
      ++counts[x == 0 ? 1 : 0];
    }
    EXPECT_GT(chi_square_p_value(counts, std::vector<double>{1 - p, p}), kUnlikely) << p;
  }
}

TEST(DropoutMask, IsTheSameForTheSameRowAndIndependentForAnyOther) {
  constexpr Index kWidth = 2001;  // not a multiple of the four that a draw gives
  const Mask base;
  const std::vector<double> expected = base.draw(0.5, kWidth);
  EXPECT_EQ(base.draw(0.5, kWidth), expected);

  const std::vector<std::pair<std::string, Mask>> others = {
      {"site", {.site = DropoutSite::kNodeUpdateOut}},
      {"step", {.step = 2}},
      {"graph", {.graph_id = 6}},
      {"seed", {.seed = 2}},
      {"epoch", {.epoch = 2}},
      {"row", {.key = 3}},
  };
  for (const auto& [name, mask] : others) {
    const std::vector<double> other = mask.draw(0.5, kWidth);
    std::vector<std::uint64_t> pairs(4, 0);
    for (std::size_t i = 0; i < other.size(); ++i) ++pairs[(other[i] == 0 ? 2 : 0) + (expected[i] == 0 ? 1 : 0)];
    EXPECT_GT(uniform_p_value(pairs), kUnlikely) << name;
  }
}

}  // namespace
}  // namespace agentnet
