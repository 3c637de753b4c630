// Intervals of scores by the bootstrap over graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "agentnet/metrics.h"
#include "core/random.h"

namespace agentnet {
namespace {

const Interval* find(const Bootstrap& bootstrap, const std::string& name) {
  for (const Interval& interval : bootstrap.intervals) {
    if (interval.name == name) return &interval;
  }
  return nullptr;
}

// Numbers whose errors are normal with this deviation; the true RMSE is `deviation`.
struct Numbers {
  Numbers(std::size_t graphs, double deviation, std::uint64_t seed) {
    RandomSequence random(seed, Purpose::kData);
    for (std::size_t g = 0; g < graphs; ++g) {
      truth.push_back(3 * random.normal());
      said.push_back(truth.back() + deviation * random.normal());
    }
  }
  [[nodiscard]] Bootstrap bootstrap(std::uint64_t seed = 0) const {
    return bootstrap_scores(Task::kRegression, 1, said, truth, truth.size(), seed);
  }
  std::vector<double> said, truth;
};

TEST(Bootstrap, IsTheSameForTheSameSeedAndHasEveryMetric) {
  const Numbers numbers(50, 1, 1);
  const Bootstrap one = numbers.bootstrap(), same = numbers.bootstrap(), other = numbers.bootstrap(1);
  EXPECT_EQ(one.samples, 1000U);
  EXPECT_EQ(one.coverage, 0.95);
  EXPECT_EQ(one.intervals, same.intervals);
  EXPECT_NE(one.intervals, other.intervals);
  ASSERT_EQ(one.intervals.size(), metrics_for(Task::kRegression).size());
  const Scores scores = all_scores(Task::kRegression, 1, numbers.said, numbers.truth, 50);
  for (std::size_t m = 0; m < scores.size(); ++m) {
    EXPECT_EQ(one.intervals[m].name, scores[m].name);
    EXPECT_LT(one.intervals[m].low, scores[m].value);
    EXPECT_GT(one.intervals[m].high, scores[m].value);
  }
}

TEST(Bootstrap, NarrowsWithTheRootOfTheNumberOfGraphs) {
  const auto width = [](std::size_t graphs) {
    const Bootstrap bootstrap = Numbers(graphs, 1, 2).bootstrap();
    return find(bootstrap, "rmse")->high - find(bootstrap, "rmse")->low;
  };
  EXPECT_NEAR(width(200) / width(3200), 4, 1);
}

// The promise: of many tests of the same kind, about 95 in 100 have an interval with the true value in it. Of as few as
// 100 graphs the bootstrap falls a little short of that: 93.
TEST(Bootstrap, CoversTheTruthAsOftenAsItSays) {
  int covered = 0;
  constexpr int kTests = 300;
  for (int test = 0; test < kTests; ++test) {
    const Bootstrap bootstrap = Numbers(100, 2, 1100 + static_cast<std::uint64_t>(test)).bootstrap();
    const Interval* rmse = find(bootstrap, "rmse");
    ASSERT_NE(rmse, nullptr);
    if (rmse->low <= 2 && 2 <= rmse->high) ++covered;
  }
  EXPECT_GT(covered, 0.89 * kTests);
  EXPECT_LT(covered, 0.98 * kTests);
}

TEST(Bootstrap, LeavesOutWhatIsSeldomDefined) {
  // Without the one "yes" among three graphs there is no ROC-AUC: in 30 % of the samples.
  const std::vector<double> said = {0.1, 0.9, 0.4, 0.6, 0.8, 0.2}, truth = {1, 0, 0};
  const Bootstrap bootstrap = bootstrap_scores(Task::kClassification, 2, said, truth, 3);
  EXPECT_EQ(find(bootstrap, "roc-auc"), nullptr);
  EXPECT_NE(find(bootstrap, "accuracy"), nullptr);
}

TEST(Bootstrap, BlanksTravelWithTheirGraphs) {
  constexpr double kBlank = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> said, truth;
  for (int g = 0; g < 40; ++g) {
    said.insert(said.end(), {0.25, 1});
    truth.insert(truth.end(), {g % 2 == 0 ? 0.0 : kBlank, 3});
  }
  const Bootstrap bootstrap = bootstrap_scores(Task::kRegression, 2, said, truth, 40);
  ASSERT_NE(find(bootstrap, "mae"), nullptr);
  EXPECT_EQ(find(bootstrap, "mae")->low, 1.125) << "all errors of a target are the same";
  EXPECT_EQ(find(bootstrap, "mae")->high, 1.125);
}

TEST(Bootstrap, OfNothingOrOfVeryMuchThereIsNone) {
  EXPECT_TRUE(
      bootstrap_scores(Task::kRegression, 1, std::vector<double>{1}, std::vector<double>{2}, 1).intervals.empty());
  EXPECT_TRUE(bootstrap_scores(Task::kNone, 1, {}, {}, 0).intervals.empty());
  const std::vector<double> many(200'000, 1);
  const Bootstrap none = bootstrap_scores(Task::kRegression, 1, many, many, many.size());
  EXPECT_EQ(none.samples, 0U);
  EXPECT_TRUE(none.intervals.empty());
  const Bootstrap fewer =
      bootstrap_scores(Task::kRegression, 1, std::span(many).first(50'000), std::span(many).first(50'000), 50'000);
  EXPECT_EQ(fewer.samples, 400U);
}

}  // namespace
}  // namespace agentnet
