#include "classic/learners/linear_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.h"

namespace agentnet {
namespace {

// Random rows, whose columns are related.
FeatureRows random_rows(std::size_t count, std::size_t width) {
  RandomSequence random(3, Purpose::kTest);
  FeatureRows x{count, width, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const double common = random.normal();
    for (std::size_t j = 0; j < width; ++j) x.values.push_back(static_cast<float>(common + random.normal()));
  }
  return x;
}

Labelled all_rows(std::vector<double> targets) {
  Labelled labelled{{}, std::move(targets)};
  for (std::size_t i = 0; i < labelled.targets.size(); ++i) labelled.rows.push_back(i);
  return labelled;
}

// The objective has one minimum, and there its slope is zero. For logistic regression the slope along the weight of
// feature j and class k is sum over rows of (p_k - [y = k]) x_j, plus the weight itself; the weights are read off the
// log-odds of unit rows.
TEST(LinearModel, OfClassesIsAtTheMinimum) {
  constexpr std::size_t kWidth = 11, kRows = 150, kClasses = 3;
  const FeatureRows x = random_rows(kRows, kWidth);
  RandomSequence random(4, Purpose::kTest);
  std::vector<double> y;
  for (std::size_t i = 0; i < kRows; ++i) {
    y.push_back(x.row(i)[0] > 1 ? 2 : (x.row(i)[1] + random.normal() > 0 ? 1 : 0));
  }
  const LinearModel model = LinearModel::of_classes(x, gram_matrix(x), all_rows(y), kClasses);

  std::vector<double> p, at_zero;
  model.probabilities(std::vector<float>(kWidth, 0.0F).data(), at_zero);
  for (std::size_t k = 0; k < kClasses; ++k) {
    double sum_p = 0, sum_y = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      model.probabilities(x.row(i), p);
      sum_p += p[k];
      sum_y += y[i] == static_cast<double>(k) ? 1 : 0;
    }
    EXPECT_NEAR(sum_p, sum_y, 1e-3) << "intercept of class " << k;
  }
  for (std::size_t j = 0; j < kWidth; ++j) {
    std::vector<float> unit(kWidth, 0.0F);
    unit[j] = 1;
    model.probabilities(unit.data(), p);
    // Weights of all classes add up to zero, so that log-odds give them.
    std::vector<double> weights;
    double mean = 0;
    for (std::size_t k = 0; k < kClasses; ++k) {
      weights.push_back(std::log(p[k]) - std::log(at_zero[k]));
      mean += weights[k] / kClasses;
    }
    for (std::size_t k = 0; k < kClasses; ++k) {
      double slope = weights[k] - mean;
      for (std::size_t i = 0; i < kRows; ++i) {
        model.probabilities(x.row(i), p);
        slope += (p[k] - (y[i] == static_cast<double>(k) ? 1 : 0)) * static_cast<double>(x.row(i)[j]);
      }
      EXPECT_NEAR(slope, 0, 2e-3) << "feature " << j << ", class " << k;
    }
  }
}

TEST(LinearModel, OfClassesThatCanBeSeparatedStaysFinite) {
  FeatureRows x{40, 1, {}};
  std::vector<double> y;
  for (int i = 0; i < 40; ++i) {
    x.values.push_back(i < 20 ? -1.0F : 1.0F);
    y.push_back(i < 20 ? 0 : 1);
  }
  const LinearModel model = LinearModel::of_classes(x, gram_matrix(x), all_rows(y), 2);
  const float right = 1;
  std::vector<double> p;
  model.probabilities(&right, p);
  // With w on class 1 and -w on class 0: 40 * (1 - p) = w, where p = 1 / (1 + exp(-2 w)).
  const double w = std::log(p[1] / p[0]) / 2;
  EXPECT_NEAR(40 * (1 - p[1]), 2 * w / 2, 1e-4);
  EXPECT_GT(p[1], 0.9);
  EXPECT_LT(p[1], 0.99);
}

TEST(LinearModel, OfNumbersIsRidgeRegression) {
  FeatureRows x{3, 1, {-1, 0, 1}};
  const LinearModel model = LinearModel::of_numbers(x, gram_matrix(x), all_rows({-2, 1, 4}));
  // w = sum x y / (sum x^2 + 1) = 6 / 3; the intercept, not held back, is the mean.
  const float two = 2;
  EXPECT_NEAR(model.number(&two), 1 + 2 * 2, 1e-6);
}

TEST(LinearModel, OfNumbersSolvesTheNormalEquations) {
  constexpr std::size_t kWidth = 20, kRows = 100;
  const FeatureRows x = random_rows(kRows, kWidth);
  RandomSequence random(5, Purpose::kTest);
  std::vector<double> y;
  for (std::size_t i = 0; i < kRows; ++i) y.push_back(static_cast<double>(x.row(i)[3]) + random.normal());
  Labelled labelled = all_rows(y);
  labelled.rows.erase(labelled.rows.begin(), labelled.rows.begin() + 30);  // fewer rows than the Gram matrix has
  labelled.targets.erase(labelled.targets.begin(), labelled.targets.begin() + 30);
  const LinearModel model = LinearModel::of_numbers(x, gram_matrix(x), labelled);
  std::vector<float> unit(kWidth, 0.0F);
  const double intercept = model.number(unit.data());
  for (std::size_t j = 0; j < kWidth; ++j) {
    unit.assign(kWidth, 0.0F);
    unit[j] = 1;
    double slope = model.number(unit.data()) - intercept;
    for (const std::size_t i : labelled.rows)
      slope += (model.number(x.row(i)) - y[i]) * static_cast<double>(x.row(i)[j]);
    EXPECT_NEAR(slope, 0, 2e-3);
  }
}

// Columns that repeat each other, or that are all zero, have no unique weights without the penalty.
TEST(LinearModel, TakesColumnsThatDependOnEachOther) {
  FeatureRows x{50, 4, {}};
  std::vector<double> y;
  RandomSequence random(6, Purpose::kTest);
  for (int i = 0; i < 50; ++i) {
    const auto a = static_cast<float>(random.normal());
    x.values.insert(x.values.end(), {a, a, 0.0F, -a});
    y.push_back(a > 0 ? 1 : 0);
  }
  const LinearModel model = LinearModel::of_classes(x, gram_matrix(x), all_rows(y), 2);
  std::vector<double> p;
  for (std::size_t i = 0; i < 50; ++i) {
    model.probabilities(x.row(i), p);
    if (std::abs(x.row(i)[0]) > 0.2F) {
      EXPECT_EQ(p[1] > 0.5, y[i] == 1);
    }
  }
}

}  // namespace
}  // namespace agentnet
