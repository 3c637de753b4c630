#include "eval/resampled_t.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace agentnet {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

// Values of published tables of Student's t (two-sided 5 %, 1 %).
TEST(ResampledT, ProbabilitiesAreThoseOfTheTables) {
  EXPECT_NEAR(two_sided_p(12.706, 1), 0.05, 1e-5);
  EXPECT_NEAR(two_sided_p(2.262, 9), 0.05, 1e-4);
  EXPECT_NEAR(two_sided_p(3.250, 9), 0.01, 1e-4);
  EXPECT_NEAR(two_sided_p(-2.045, 29), 0.05, 1e-4);
  EXPECT_NEAR(two_sided_p(1.959964, 1e7), 0.05, 1e-6);
  EXPECT_EQ(two_sided_p(0, 9), 1);
}

TEST(ResampledT, CorrectsForTrainingPartsThatOverlap) {
  // d = 1, 2, 3: mean 2, variance 1. t = 2 / sqrt(1/3 + 1/9).
  const std::vector<double> a = {2, 4, 6}, b = {1, 2, 3};
  const PairedTest test = corrected_resampled_t(a, b, 1.0 / 9);
  EXPECT_EQ(test.folds, 3U);
  EXPECT_DOUBLE_EQ(test.difference, 2);
  EXPECT_DOUBLE_EQ(test.error, std::sqrt(1.0 / 3 + 1.0 / 9));
  EXPECT_DOUBLE_EQ(test.t, 2 / std::sqrt(1.0 / 3 + 1.0 / 9));
  EXPECT_GT(test.p, corrected_resampled_t(a, b, 0).p);  // the plain paired test is bolder
}

TEST(ResampledT, SaysNothingWhereNothingCanBeSaid) {
  const std::vector<double> one = {0.5}, other = {0.7}, same = {0.5, 0.6}, blank = {std::nan(""), 0.6};
  EXPECT_EQ(corrected_resampled_t(one, other, 0.1).p, 1);
  EXPECT_EQ(corrected_resampled_t(same, same, 0.1).p, 1);
  EXPECT_EQ(corrected_resampled_t(blank, same, 0.1).folds, 1U);
}

TEST(ResampledT, HolmEnlargesInOrder) {
  const std::vector<double> p = {0.01, 0.04, 0.03};
  EXPECT_THAT(holm(p), ElementsAre(DoubleNear(0.03, 1e-12), DoubleNear(0.06, 1e-12), DoubleNear(0.06, 1e-12)));
}

}  // namespace
}  // namespace agentnet
