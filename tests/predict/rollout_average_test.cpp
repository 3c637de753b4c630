#include "predict/rollout_average.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "agentnet/error.h"

namespace agentnet {
namespace {

TEST(RolloutAverage, ClassesBecomeProbabilitiesThatSumToOne) {
  RolloutAverage average(Task::kClassification, 3, 2);
  average.add(std::vector<float>{0, 0, std::log(2.0F), 1000, 0, -1000});
  EXPECT_NEAR(average.mean()[0], 0.25, 1e-7);
  EXPECT_NEAR(average.mean()[2], 0.5, 1e-7);
  EXPECT_EQ(average.mean()[3], 1);
  EXPECT_EQ(average.mean()[5], 0);
  EXPECT_EQ(average.walk_spread(), std::vector<double>(6, 0));
}

TEST(RolloutAverage, QuestionsBecomeProbabilitiesOfYes) {
  RolloutAverage average(Task::kMultilabel, 4, 1);
  average.add(std::vector<float>{0, 1e4F, -1e4F, std::log(3.0F)});
  EXPECT_EQ(average.mean()[0], 0.5);
  EXPECT_EQ(average.mean()[1], 1);
  EXPECT_EQ(average.mean()[2], 0);
  EXPECT_NEAR(average.mean()[3], 0.75, 1e-7);
}

TEST(RolloutAverage, NumbersStayAsTheyAre) {
  RolloutAverage average(Task::kRegression, 1, 2);
  average.add(std::vector<float>{1, -7});
  average.add(std::vector<float>{3, -7});
  EXPECT_EQ(average.mean(), (std::vector<double>{2, -7}));
  EXPECT_EQ(average.walk_spread(), (std::vector<double>{std::sqrt(2.0), 0}));
}

TEST(RolloutAverage, AgreesWithTheDefinitionFarFromZero) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(1e5F, 1);
  std::vector<double> values;
  RolloutAverage average(Task::kRegression, 1, 1);
  for (int r = 0; r < 200; ++r) {
    const float value = normal(random);
    values.push_back(value);
    average.add({&value, 1});
  }
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 200;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  EXPECT_EQ(average.rollouts(), std::vector<int>{200});
  EXPECT_NEAR(average.mean()[0], mean, 1e-9 * mean);
  EXPECT_NEAR(average.walk_spread()[0], std::sqrt(squares / 199), 1e-9);
}

TEST(RolloutAverage, AnotherNumberOfOutputsIsRefused) {
  RolloutAverage average(Task::kRegression, 2, 2);
  EXPECT_THROW(average.add(std::vector<float>{1, 2, 3}), Error);
}

}  // namespace
}  // namespace agentnet
