#include "predict/decision_test.h"

#include <gtest/gtest.h>

#include <random>

#include "agentnet/error.h"

namespace agentnet {
namespace {

using Values = std::vector<double>;

// Rollouts until the decision is settled, at most `most`; 0: it never was.
template <class F>
int rollouts_needed(DecisionTest test, int most, const F& draw) {
  for (int r = 1; r <= most; ++r) {
    test.add(draw());
    if (test.settled()) return r;
  }
  return 0;
}

TEST(DecisionTest, CertainRolloutsSettleItSoonAndStrictnessCosts) {
  const auto certain = [] { return Values{1, 0}; };
  const int loose = rollouts_needed({Task::kClassification, 2, 0.9}, 100, certain);
  const int strict = rollouts_needed({Task::kClassification, 2, 0.99}, 100, certain);
  const int many_classes = rollouts_needed({Task::kClassification, 10, 0.99}, 100, [] {
    Values row(10, 0.0);
    row[3] = 1;
    return row;
  });
  EXPECT_EQ(loose, 5);  // the mean over stakes of (1 + stake)^5 is the first above 1 / (1 - 0.9)
  EXPECT_GT(strict, loose);
  EXPECT_LE(strict, 11);
  EXPECT_GT(many_classes, strict);
}

TEST(DecisionTest, WithoutADifferenceItIsRarelySettled) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  int settled = 0;
  for (int run = 0; run < 400; ++run) {
    const int needed = rollouts_needed({Task::kClassification, 2, 0.9}, 500, [&] {
      const double p = uniform(random);
      return Values{p, 1 - p};
    });
    settled += needed > 0 ? 1 : 0;
  }
  // Either class would be a wrong decision here, so the test has twice the share of a true one.
  EXPECT_LT(settled, 400 * 0.2);
}

TEST(DecisionTest, IsWrongLessOftenThanItPromises) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(0, 1);
  int wrong = 0, settled = 0;
  for (int run = 0; run < 400; ++run) {
    DecisionTest test(Task::kClassification, 3, 0.9);
    double sums[3] = {};
    for (int r = 0; r < 400 && !test.settled(); ++r) {  // class 1 is ahead of class 0 by a little
      const double p = uniform(random);
      const Values row = {0.45 * p, 0.45 * (1 - p) + 0.03, 1 - 0.48};
      const Values shuffled = {row[0] + 0.2, row[1] + 0.2, row[2] - 0.4};
      test.add(shuffled);
      for (int c = 0; c < 3; ++c) sums[c] += shuffled[static_cast<std::size_t>(c)];
    }
    if (!test.settled()) continue;
    ++settled;
    if (!(sums[1] > sums[0] && sums[1] > sums[2])) ++wrong;
  }
  EXPECT_GT(settled, 40);
  EXPECT_LE(wrong, 40);
}

TEST(DecisionTest, AnswersOfQuestionsAreSettledTogether) {
  const auto draw = [] { return Values{0.9, 0.1, 0.95}; };
  EXPECT_GT(rollouts_needed({Task::kMultilabel, 3, 0.99}, 200, draw), 5);
  EXPECT_EQ(rollouts_needed({Task::kMultilabel, 3, 0.99}, 200, [] { return Values{0.9, 0.5, 0.95}; }), 0);
}

TEST(DecisionTest, AChangeOfTheLeaderStartsTheBetAnew) {
  DecisionTest test(Task::kClassification, 2, 0.9);
  for (int r = 0; r < 4; ++r) test.add(Values{0.9, 0.1});
  EXPECT_FALSE(test.settled());
  for (int r = 0; r < 6; ++r) test.add(Values{0.1, 0.9});
  EXPECT_FALSE(test.settled()) << "four against six";
}

TEST(DecisionTest, RefusesNumbersAndImpossibleConfidences) {
  EXPECT_THROW(DecisionTest(Task::kRegression, 1, 0.9), Error);
  EXPECT_THROW(DecisionTest(Task::kClassification, 2, 1), Error);
  EXPECT_THROW(DecisionTest(Task::kClassification, 2, 0), Error);
}

}  // namespace
}  // namespace agentnet
