#include "train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "agentnet/error.h"

namespace agentnet {
namespace {

TrainConfig config(Schedule schedule) {
  TrainConfig c;
  c.epochs = 100;
  c.learning_rate = 0.5;
  c.schedule = schedule;
  return c;
}

double rate(const TrainConfig& config, std::uint64_t epoch, std::uint64_t step, std::uint64_t steps_per_epoch) {
  return scheduled_rate(config, stages_of(config), epoch, step, steps_per_epoch);
}

TEST(Schedule, QuarterCosineFallsEpochByEpochToATinyShare) {
  const TrainConfig c = config(Schedule::kQuarterCosine);
  EXPECT_DOUBLE_EQ(rate(c, 0, 0, 10), 0.5);
  EXPECT_DOUBLE_EQ(rate(c, 50, 0, 10), 0.5 * std::cos(std::numbers::pi / 4));
  EXPECT_DOUBLE_EQ(rate(c, 50, 9, 10), rate(c, 50, 0, 10)) << "the same within an epoch";
  EXPECT_DOUBLE_EQ(rate(c, 100, 0, 10), 0.5 * 1e-7);
}

TEST(Schedule, CosineFallsStepByStep) {
  const TrainConfig c = config(Schedule::kCosine);
  EXPECT_DOUBLE_EQ(rate(c, 0, 0, 10), 0.5);
  EXPECT_DOUBLE_EQ(rate(c, 50, 0, 10), 0.25);
  EXPECT_LT(rate(c, 50, 9, 10), rate(c, 50, 0, 10));
  EXPECT_LT(rate(c, 99, 9, 10), 1e-5);
}

TEST(Schedule, ConstantAndPlateauStayWhereTheyAre) {
  for (const Schedule schedule : {Schedule::kConstant, Schedule::kPlateau}) {
    EXPECT_DOUBLE_EQ(rate(config(schedule), 99, 9, 10), 0.5);
  }
}

TEST(Schedule, WarmUpRisesLinearlyAndEnds) {
  TrainConfig c = config(Schedule::kConstant);
  c.warmup = 20;
  EXPECT_DOUBLE_EQ(rate(c, 0, 0, 10), 0.5 / 20);
  EXPECT_DOUBLE_EQ(rate(c, 0, 9, 10), 0.25);
  EXPECT_DOUBLE_EQ(rate(c, 1, 9, 10), 0.5);
  EXPECT_DOUBLE_EQ(rate(c, 2, 0, 10), 0.5);
}

// 20 epochs of 30, then on to 60: from there on it is as if there had been 60 from the beginning.
TEST(Schedule, OfARunThatWasExtendedIsTheOneOfEachStage) {
  TrainConfig first = config(Schedule::kQuarterCosine), second = first, extended = first;
  first.epochs = 30;
  second.epochs = extended.epochs = 60;
  extended.extended = {"20/30"};
  for (const std::uint64_t epoch : {0, 7, 19}) EXPECT_EQ(rate(extended, epoch, 3, 10), rate(first, epoch, 3, 10));
  for (const std::uint64_t epoch : {20, 21, 59}) EXPECT_EQ(rate(extended, epoch, 3, 10), rate(second, epoch, 3, 10));
  extended.extended = {"20/30", "40/50"};
  second.epochs = 50;
  EXPECT_EQ(rate(extended, 39, 0, 10), rate(second, 39, 0, 10));
}

TEST(Schedule, StagesThatCannotBeAreRefused) {
  for (const std::string entry : {"", "20", "20/", "/30", "30/20", "0/20", "60/60", "-1/3", "20/30/40", "x/y"}) {
    TrainConfig c = config(Schedule::kCosine);
    c.epochs = 60;
    c.extended = {entry};
    EXPECT_THROW(validate(c), Error) << entry;
  }
  TrainConfig c = config(Schedule::kCosine);
  c.extended = {"20/30", "20/40"};
  EXPECT_THROW(validate(c), Error) << "does not ascend";
  c.extended = {"20/30", "21/40"};
  EXPECT_NO_THROW(validate(c));
}

}  // namespace
}  // namespace agentnet
