#include "train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace agentnet {
namespace {

TrainConfig config(Schedule schedule) {
  TrainConfig c;
  c.epochs = 100;
  c.learning_rate = 0.5;
  c.schedule = schedule;
  return c;
}

TEST(Schedule, QuarterCosineFallsEpochByEpochToATinyShare) {
  const TrainConfig c = config(Schedule::kQuarterCosine);
  EXPECT_DOUBLE_EQ(scheduled_rate(c, 0, 0, 10), 0.5);
  EXPECT_DOUBLE_EQ(scheduled_rate(c, 50, 0, 10), 0.5 * std::cos(std::numbers::pi / 4));
  EXPECT_DOUBLE_EQ(scheduled_rate(c, 50, 9, 10), scheduled_rate(c, 50, 0, 10)) << "the same within an epoch";
  EXPECT_DOUBLE_EQ(scheduled_rate(c, 100, 0, 10), 0.5 * 1e-7);
}

TEST(Schedule, CosineFallsStepByStep) {
  const TrainConfig c = config(Schedule::kCosine);
  EXPECT_DOUBLE_EQ(scheduled_rate(c, 0, 0, 10), 0.5);
  EXPECT_DOUBLE_EQ(scheduled_rate(c, 50, 0, 10), 0.25);
  EXPECT_LT(scheduled_rate(c, 50, 9, 10), scheduled_rate(c, 50, 0, 10));
  EXPECT_LT(scheduled_rate(c, 99, 9, 10), 1e-5);
}

TEST(Schedule, ConstantAndPlateauStayWhereTheyAre) {
  for (const Schedule schedule : {Schedule::kConstant, Schedule::kPlateau}) {
    EXPECT_DOUBLE_EQ(scheduled_rate(config(schedule), 99, 9, 10), 0.5);
  }
}

TEST(Schedule, WarmUpRisesLinearlyAndEnds) {
  TrainConfig c = config(Schedule::kConstant);
  c.warmup = 20;
  EXPECT_DOUBLE_EQ(scheduled_rate(c, 0, 0, 10), 0.5 / 20);
  EXPECT_DOUBLE_EQ(scheduled_rate(c, 0, 9, 10), 0.25);
  EXPECT_DOUBLE_EQ(scheduled_rate(c, 1, 9, 10), 0.5);
  EXPECT_DOUBLE_EQ(scheduled_rate(c, 2, 0, 10), 0.5);
}

}  // namespace
}  // namespace agentnet
