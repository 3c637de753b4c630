// Numbers are read through the scale of the weights, and gradients of inputs are those of the numbers that the data
// has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "nets/agentnet/engine.h"
#include "support/engine_run.h"
#include "support/model_variants.h"

namespace agentnet {
namespace {

std::vector<ColumnScale> some_scales(int columns) {
  std::vector<ColumnScale> scales;
  for (int c = 0; c < columns; ++c) scales.push_back({0.3 * c - 5, 40.0 / (1 + c)});
  return scales;
}

void scale_all(std::vector<double>& numbers, const std::vector<ColumnScale>& columns) {
  for (std::size_t at = 0; at < numbers.size(); at += columns.size()) scale_row(columns, numbers.data() + at);
}

struct Measured {
  double loss = 0;
  std::vector<double> gradient;
  std::vector<InputGradient<double>> inputs;
};

// Walks are drawn from the graph's size alone: moves are random.
Measured run_with(const Problem& problem, const InputScale& scale) {
  ThreadPool pool(1);
  Weights<double> weights(problem.config);
  weights.inputs = scale;
  weights.prepare(problem.parameters);
  Engine<double> engine(problem.config, pool);
  engine.use(weights);
  const std::vector<GraphView> graphs = problem.views();
  const std::vector<std::uint64_t> ids(graphs.size(), 0);
  SeededReplay replay(problem);
  const auto loss = make_loss<double>(problem.loss, problem.config.outputs, problem.targets, graphs.size());
  Measured run;
  run.gradient.resize(engine.layout().size());
  run.loss = engine.gradients({graphs, ids}, {.replay = &replay}, loss, run.gradient, {nullptr, {}, &run.inputs});
  return run;
}

class ScaledInputs : public testing::TestWithParam<std::string> {
 protected:
  ScaledInputs() : variant_(variant_named(GetParam())) {
    variant_.config.moves = MovePolicy::kRandom;
    scale_ = {some_scales(variant_.config.node_features), some_scales(variant_.config.edge_features)};
    parts_ = messy_graph(variant_.config, 5, 3);
  }
  [[nodiscard]] Problem problem(const GraphParts& parts) const {
    return make_problem(variant_, {parts}, 4, LossKind::kSquaredError);
  }

  ModelVariant variant_;
  InputScale scale_;
  GraphParts parts_;
};

TEST_P(ScaledInputs, AreReadAsIfTheDataHadBeenScaled) {
  GraphParts scaled = parts_;
  scale_all(scaled.node_dense64, scale_.nodes);
  scale_all(scaled.edge_dense64, scale_.edges);
  const Measured expected = run_with(problem(scaled), {}), found = run_with(problem(parts_), scale_);
  EXPECT_NEAR(found.loss, expected.loss, 1e-12 * (1 + std::abs(expected.loss)));
  for (std::size_t i = 0; i < found.gradient.size(); ++i) {
    ASSERT_NEAR(found.gradient[i], expected.gradient[i], 1e-10 * (1 + std::abs(expected.gradient[i]))) << i;
  }
  EXPECT_NE(run_with(problem(parts_), {}).loss, expected.loss) << "the scale matters";
}

TEST_P(ScaledInputs, HaveGradientsThatAreFiniteDifferencesOfTheRawNumbers) {
  const Measured run = run_with(problem(parts_), scale_);
  const auto check = [&](std::vector<double> GraphParts::*numbers, const std::vector<double>& gradient) {
    double largest = 0;
    for (std::size_t i = 0; i < (parts_.*numbers).size() && i < gradient.size(); ++i) {
      constexpr double kStep = 1e-4;  // of numbers whose spread is 10 or more
      GraphParts more = parts_, less = parts_;
      (more.*numbers)[i] += kStep;
      (less.*numbers)[i] -= kStep;
      const double slope = (run_with(problem(more), scale_).loss - run_with(problem(less), scale_).loss) / (2 * kStep);
      EXPECT_NEAR(gradient[i], slope, 1e-6 * (1 + std::abs(slope))) << i;
      largest = std::max(largest, std::abs(slope));
    }
    return largest;
  };
  double largest = check(&GraphParts::node_dense64, run.inputs[0].nodes);
  // A graph's edges are sorted, and rows of the list stand elsewhere in it: all numbers of a column at once.
  const std::size_t columns = scale_.edges.size();
  for (std::size_t c = 0; c < columns; ++c) {
    constexpr double kStep = 1e-4;
    GraphParts more = parts_, less = parts_;
    double sum = 0;
    for (std::size_t i = c; i < parts_.edge_dense64.size(); i += columns) {
      more.edge_dense64[i] += kStep;
      less.edge_dense64[i] -= kStep;
      sum += run.inputs[0].edges.at(i);
    }
    const double slope = (run_with(problem(more), scale_).loss - run_with(problem(less), scale_).loss) / (2 * kStep);
    EXPECT_NEAR(sum, slope, 1e-6 * (1 + std::abs(slope))) << "edges, column " << c;
    largest = std::max(largest, std::abs(slope));
  }
  EXPECT_GT(largest, 1e-6) << "something depends on the numbers";
}

INSTANTIATE_TEST_SUITE_P(Variants, ScaledInputs, testing::Values("AgentNet", "DenseEdges", "EdgeKernel"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace agentnet
