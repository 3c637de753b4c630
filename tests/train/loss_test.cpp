#include "train/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/random.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

constexpr double kBlank = std::numeric_limits<double>::quiet_NaN();

// Outputs of a batch, row by row with room between the rows, and the loss of all of it or of parts.
template <class S>
struct Outputs {
  std::size_t graphs;
  int outputs;
  Stride ld;
  std::vector<S> values, gradient;

  Outputs(std::size_t graph_count, int output_count)
      : graphs(graph_count),
        outputs(output_count),
        ld(output_count + 3),
        values(graphs * static_cast<std::size_t>(ld)) {
    RandomSequence random(1, Purpose::kTest);
    for (S& v : values) v = static_cast<S>(2 * random.normal());
    forget_gradient();
  }
  void forget_gradient() { gradient.assign(values.size(), S(777)); }
  S& at(std::size_t graph, int c) { return values[graph * static_cast<std::size_t>(ld) + static_cast<std::size_t>(c)]; }
  [[nodiscard]] S slope(std::size_t graph, int c) const {
    return gradient[graph * static_cast<std::size_t>(ld) + static_cast<std::size_t>(c)];
  }
  double loss(const LossFunction<S>& f, std::size_t first, std::size_t count) {
    const auto offset = static_cast<Stride>(first) * ld;
    return f(first, count, {values.data() + offset, ld}, {gradient.data() + offset, ld});
  }
  double loss(const LossFunction<S>& f) { return loss(f, 0, graphs); }
};

struct Kind {
  const char* name;
  LossKind kind;
  // The loss of one graph's outputs for its targets, from the textbook; a blank adds nothing.
  std::function<double(const std::vector<double>& x, const std::vector<double>& y)> plain;
};

double sum_over(const std::vector<double>& x, const std::vector<double>& y,
                const std::function<double(double, double)>& term) {
  double sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c) sum += std::isnan(y[c]) ? 0 : term(x[c], y[c]);
  return sum;
}

const Kind kKinds[] = {
    {"CrossEntropy", LossKind::kCrossEntropy,
     [](const std::vector<double>& x, const std::vector<double>& y) {
       if (std::isnan(y[0])) return 0.0;
       double sum = 0;
       for (const double v : x) sum += std::exp(v);
       return -std::log(std::exp(x[static_cast<std::size_t>(y[0])]) / sum);
     }},
    {"BinaryCrossEntropy", LossKind::kBinaryCrossEntropy,
     [](const std::vector<double>& x, const std::vector<double>& y) {
       return sum_over(x, y, [](double v, double target) {
         const double p = 1 / (1 + std::exp(-v));
         return -target * std::log(p) - (1 - target) * std::log(1 - p);
       });
     }},
    {"SquaredError", LossKind::kSquaredError,
     [](const std::vector<double>& x, const std::vector<double>& y) {
       return sum_over(x, y, [](double v, double target) { return (v - target) * (v - target); });
     }},
    {"AbsoluteError", LossKind::kAbsoluteError,
     [](const std::vector<double>& x, const std::vector<double>& y) {
       return sum_over(x, y, [](double v, double target) { return std::abs(v - target); });
     }},
};

class Loss : public testing::TestWithParam<Kind> {
 protected:
  static constexpr std::size_t kGraphs = 7;
  static constexpr int kOutputs = 3;

  [[nodiscard]] static bool classes() { return GetParam().kind == LossKind::kCrossEntropy; }
  [[nodiscard]] static std::size_t per_graph() { return classes() ? 1 : kOutputs; }
  // Targets that fit the kind; every third is blank if asked for.
  [[nodiscard]] static std::vector<double> targets(bool blanks) {
    RandomSequence random(2, Purpose::kTest);
    std::vector<double> all(kGraphs * per_graph());
    for (double& y : all) {
      y = classes() ? static_cast<double>(random.below(kOutputs)) : random.uniform();
      if (blanks && random.below(3) == 0) y = kBlank;
    }
    return all;
  }
  template <class S>
  [[nodiscard]] static double plain_mean(Outputs<S>& batch, const std::vector<double>& all) {
    double sum = 0, labelled = 0;
    for (std::size_t g = 0; g < kGraphs; ++g) {
      std::vector<double> x;
      for (int c = 0; c < kOutputs; ++c) x.push_back(static_cast<double>(batch.at(g, c)));
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(g * per_graph());
      const std::vector<double> y(from, from + static_cast<std::ptrdiff_t>(per_graph()));
      sum += GetParam().plain(x, y);
      labelled += static_cast<double>(std::count_if(y.begin(), y.end(), [](double v) { return !std::isnan(v); }));
    }
    return sum / labelled;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Loss, testing::ValuesIn(kKinds), [](const auto& test) { return test.param.name; });

TEST_P(Loss, IsTheMeanOfThePlainFormulaOverWhatIsLabelled) {
  for (const bool blanks : {false, true}) {
    const std::vector<double> all = targets(blanks);
    Outputs<double> in_double(kGraphs, kOutputs);
    Outputs<float> in_float(kGraphs, kOutputs);
    EXPECT_NEAR(in_double.loss(make_loss<double>(GetParam().kind, kOutputs, all, kGraphs)), plain_mean(in_double, all),
                1e-14);
    EXPECT_NEAR(in_float.loss(make_loss<float>(GetParam().kind, kOutputs, all, kGraphs)), plain_mean(in_float, all),
                1e-14);
  }
}

TEST_P(Loss, WeightsOfGraphsMakeAWeightedMean) {
  const std::vector<double> all = targets(/*blanks=*/true);
  Outputs<double> batch(kGraphs, kOutputs);
  // A weight of 2 is the graph once more, a weight of 0 is none of it.
  std::vector<double> weights(kGraphs, 1);
  weights[1] = 2;
  weights[4] = 0;
  const double weighted = batch.loss(make_loss<double>(GetParam().kind, kOutputs, all, kGraphs, {}, weights));
  double sum = 0, labelled = 0;
  for (const std::size_t g : std::vector<std::size_t>{0, 1, 1, 2, 3, 5, 6}) {
    std::vector<double> x;
    for (int c = 0; c < kOutputs; ++c) x.push_back(batch.at(g, c));
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(g * per_graph());
    const std::vector<double> y(from, from + static_cast<std::ptrdiff_t>(per_graph()));
    sum += GetParam().plain(x, y);
    labelled += static_cast<double>(std::count_if(y.begin(), y.end(), [](double v) { return !std::isnan(v); }));
  }
  EXPECT_NEAR(weighted, sum / labelled, 1e-14);
  for (int c = 0; c < kOutputs; ++c) EXPECT_EQ(batch.slope(4, c), 0);
}

TEST_P(Loss, HasTheSlopesOfFiniteDifferences) {
  const std::vector<double> all = targets(/*blanks=*/true);
  const auto f = make_loss<double>(GetParam().kind, kOutputs, all, kGraphs);
  Outputs<double> batch(kGraphs, kOutputs), nudged = batch;
  batch.loss(f);
  for (std::size_t g = 0; g < kGraphs; ++g) {
    for (int c = 0; c < kOutputs; ++c) {
      constexpr double kStep = 1e-5;
      double& x = nudged.at(g, c);
      const double before = x;
      x = before + kStep;
      const double above = nudged.loss(f);
      x = before - kStep;
      const double below = nudged.loss(f);
      x = before;
      EXPECT_NEAR(batch.slope(g, c), (above - below) / (2 * kStep), 1e-9) << "graph " << g << ", output " << c;
    }
  }
}

TEST_P(Loss, InFloatHasTheSlopesOfDouble) {
  const std::vector<double> all = targets(/*blanks=*/true);
  Outputs<float> in_float(kGraphs, kOutputs);
  Outputs<double> in_double(kGraphs, kOutputs);
  std::copy(in_float.values.begin(), in_float.values.end(), in_double.values.begin());
  in_float.loss(make_loss<float>(GetParam().kind, kOutputs, all, kGraphs));
  in_double.loss(make_loss<double>(GetParam().kind, kOutputs, all, kGraphs));
  for (std::size_t g = 0; g < kGraphs; ++g) {
    for (int c = 0; c < kOutputs; ++c) {
      EXPECT_EQ(in_float.slope(g, c), static_cast<float>(in_double.slope(g, c))) << g << ", " << c;
    }
  }
}

// Workers ask for their shards in any order; the mean is over the whole batch all the same.
TEST_P(Loss, OfShardsAddsUpToThatOfTheBatch) {
  const std::vector<double> all = targets(/*blanks=*/true);
  const auto f = make_loss<double>(GetParam().kind, kOutputs, all, kGraphs);
  Outputs<double> whole(kGraphs, kOutputs), parts = whole;
  const double expected = whole.loss(f);
  const double last = parts.loss(f, 5, 2), first = parts.loss(f, 0, 1), middle = parts.loss(f, 1, 4);
  EXPECT_NEAR(first + middle + last, expected, 1e-15);
  EXPECT_EQ(parts.gradient, whole.gradient);
}

TEST_P(Loss, WritesNothingBetweenTheRows) {
  const std::vector<double> all = targets(/*blanks=*/true);
  Outputs<double> batch(kGraphs, kOutputs);
  batch.loss(make_loss<double>(GetParam().kind, kOutputs, all, kGraphs));
  for (std::size_t g = 0; g < kGraphs; ++g) {
    for (int c = kOutputs; c < batch.ld; ++c) EXPECT_EQ(batch.slope(g, c), 777.0);
  }
}

TEST_P(Loss, IsZeroWithoutSlopesWhereEverythingIsBlank) {
  const std::vector<double> all(kGraphs * per_graph(), kBlank);
  Outputs<double> batch(kGraphs, kOutputs);
  EXPECT_EQ(batch.loss(make_loss<double>(GetParam().kind, kOutputs, all, kGraphs)), 0.0);
  for (std::size_t g = 0; g < kGraphs; ++g) {
    for (int c = 0; c < kOutputs; ++c) EXPECT_EQ(batch.slope(g, c), 0.0);
  }
}

TEST_P(Loss, OfNoGraphsIsZero) {
  Outputs<double> batch(0, kOutputs);
  EXPECT_EQ(batch.loss(make_loss<double>(GetParam().kind, kOutputs, {}, 0)), 0.0);
}

TEST_P(Loss, RefusesTheWrongNumberOfTargets) {
  const std::vector<double> all(kGraphs * per_graph() + 1, 0.0);
  try {
    static_cast<void>(make_loss<float>(GetParam().kind, kOutputs, all, kGraphs));
    FAIL() << "accepted " << all.size() << " targets";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
    EXPECT_EQ(std::string(error.what()), "the batch has " + std::to_string(all.size()) +
                                             " targets, the model's outputs need " + std::to_string(all.size() - 1));
    EXPECT_THAT(error.hint(), HasSubstr("one class per graph"));
  }
}

class WrongClass : public testing::TestWithParam<std::pair<double, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Classes, WrongClass,
                         testing::Values(std::pair(3.0, "class 3,"), std::pair(-1.0, "class -1,"),
                                         std::pair(0.5, "class 0.500000,"),
                                         std::pair(std::numeric_limits<double>::infinity(), "class inf,")));

TEST_P(WrongClass, IsRefusedWithTheGraphAndTheRange) {
  const std::vector<double> targets = {0, 2, GetParam().first, 1};
  try {
    static_cast<void>(make_loss<float>(LossKind::kCrossEntropy, 3, targets, 4));
    FAIL() << "accepted class " << GetParam().first;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
    EXPECT_THAT(error.what(), HasSubstr("graph 2"));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().second));
    EXPECT_THAT(error.what(), HasSubstr("0 to 2"));
    EXPECT_EQ(error.hint(), "number the classes from 0");
  }
}

// What the textbook formula would make infinite or 0/0.
TEST(LossOfLargeOutputs, StaysFinite) {
  Outputs<double> batch(2, 2);
  batch.at(0, 0) = 1e4;
  batch.at(0, 1) = -1e4;
  batch.at(1, 0) = -1e4;
  batch.at(1, 1) = 1e4;
  const std::vector<double> classes = {1, 1}, answers = {0, 0, 0, 1};
  EXPECT_DOUBLE_EQ(batch.loss(make_loss<double>(LossKind::kCrossEntropy, 2, classes, 2)), 2e4 / 2);
  EXPECT_DOUBLE_EQ(batch.slope(0, 0), 0.5);
  EXPECT_DOUBLE_EQ(batch.slope(0, 1), -0.5);
  EXPECT_DOUBLE_EQ(batch.slope(1, 0), 0.0);
  EXPECT_DOUBLE_EQ(batch.loss(make_loss<double>(LossKind::kBinaryCrossEntropy, 2, answers, 2)), 1e4 / 4);
  EXPECT_DOUBLE_EQ(batch.slope(0, 0), 0.25);
  EXPECT_DOUBLE_EQ(batch.slope(1, 1), 0.0);
}

TEST(LossOfAnAbsoluteError, HasNoSlopeWhereItIsZero) {
  Outputs<double> batch(1, 1);
  const std::vector<double> target = {batch.at(0, 0)};
  EXPECT_EQ(batch.loss(make_loss<double>(LossKind::kAbsoluteError, 1, target, 1)), 0.0);
  EXPECT_EQ(batch.slope(0, 0), 0.0);
}

TEST(ChanceLoss, IsThatOfTheBestAnswerThatIsTheSameForAll) {
  const double nan = std::nan("");
  const std::vector<double> classes = {0, 0, 0, 1, nan};
  const double entropy = -0.75 * std::log(0.75) - 0.25 * std::log(0.25);
  EXPECT_DOUBLE_EQ(chance_loss(LossKind::kCrossEntropy, 3, classes), entropy);
  EXPECT_DOUBLE_EQ(chance_loss(LossKind::kCrossEntropy, 3, classes, {}, true), std::log(2)) << "two classes are drawn";
  EXPECT_DOUBLE_EQ(chance_loss(LossKind::kCrossEntropy, 3, classes, std::vector<double>{1, 3, 1}), std::log(2));
  const std::vector<double> answers = {1, 0, 0, nan, 0, 1, 0, nan};  // two questions
  EXPECT_DOUBLE_EQ(chance_loss(LossKind::kBinaryCrossEntropy, 2, answers),
                   (4 * (-0.25 * std::log(0.25) - 0.75 * std::log(0.75)) + 2 * std::log(2)) / 6);
  const std::vector<double> numbers = {1, 2, 9};
  EXPECT_DOUBLE_EQ(chance_loss(LossKind::kAbsoluteError, 1, numbers), 8.0 / 3);
  EXPECT_DOUBLE_EQ(chance_loss(LossKind::kSquaredError, 1, numbers), 38.0 / 3);
  EXPECT_TRUE(std::isnan(chance_loss(LossKind::kCrossEntropy, 2, std::vector<double>{nan})));
  EXPECT_TRUE(std::isnan(chance_loss(LossKind::kSquaredError, 2, std::vector<double>{nan, nan})));
}

}  // namespace
}  // namespace agentnet
