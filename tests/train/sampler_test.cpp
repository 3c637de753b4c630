#include "train/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "agentnet/error.h"

namespace agentnet {
namespace {

using testing::ElementsAreArray;
using testing::UnorderedElementsAreArray;

const std::vector<std::size_t> kGraphs = {3, 5, 8, 13, 21, 34, 55};

std::vector<std::size_t> taken(Sampler& sampler, std::uint64_t epoch) {
  std::vector<std::size_t> all;
  for (std::uint64_t s = 0; s < sampler.steps_per_epoch(); ++s) {
    const auto batch = sampler.batch(epoch, s);
    all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

TEST(Sampler, AnEpochShowsEveryGraphOnceInAnotherOrderEachTime) {
  TrainConfig config;
  config.batch = 3;
  Sampler sampler(kGraphs, config);
  EXPECT_EQ(sampler.steps_per_epoch(), 3U);
  const auto first = taken(sampler, 0), second = taken(sampler, 1);
  EXPECT_THAT(first, UnorderedElementsAreArray(kGraphs));
  EXPECT_THAT(second, UnorderedElementsAreArray(kGraphs));
  EXPECT_NE(first, second);
  EXPECT_EQ(sampler.batch(0, 2).size(), 1U) << "the last batch has what is left";
}

TEST(Sampler, ShortEpochsGoOnWhereTheLastOneEnded) {
  TrainConfig config;
  config.batch = 2;
  config.steps_per_epoch = 7;  // two passes over seven graphs
  Sampler sampler(kGraphs, config);
  const auto all = taken(sampler, 0);
  ASSERT_EQ(all.size(), 14U);
  EXPECT_THAT(std::vector<std::size_t>(all.begin(), all.begin() + 7), UnorderedElementsAreArray(kGraphs));
  EXPECT_THAT(std::vector<std::size_t>(all.begin() + 7, all.end()), UnorderedElementsAreArray(kGraphs));
}

TEST(Sampler, DrawsWithReplacementAreOfTheRightGraphsAndAllOfThem) {
  TrainConfig config;
  config.batch = 50;
  config.steps_per_epoch = 2;
  config.sampling = Sampling::kReplacement;
  Sampler sampler(kGraphs, config);
  const auto all = taken(sampler, 0);
  EXPECT_EQ(all.size(), 100U);
  EXPECT_EQ(std::set<std::size_t>(all.begin(), all.end()), std::set<std::size_t>(kGraphs.begin(), kGraphs.end()));
}

TEST(Sampler, ABatchDependsOnSeedEpochAndStepOnly) {
  for (const Sampling sampling : {Sampling::kShuffle, Sampling::kReplacement}) {
    TrainConfig config;
    config.batch = 3;
    config.sampling = sampling;
    Sampler walked(kGraphs, config), jumped(kGraphs, config);
    for (std::uint64_t e = 0; e < 3; ++e) taken(walked, e);
    const auto a = walked.batch(3, 1);
    const std::vector<std::size_t> expected(a.begin(), a.end());
    EXPECT_THAT(jumped.batch(3, 1), ElementsAreArray(expected));
    config.seed = 1;
    Sampler other(kGraphs, config);
    EXPECT_NE(taken(other, 3), taken(walked, 3));
  }
}

TEST(Sampler, BalancedBatchesHaveAsManyOfEachClass) {
  TrainConfig config;
  config.batch = 10;
  config.steps_per_epoch = 60;
  config.sampling = Sampling::kBalanced;
  const std::vector<std::size_t> classes = {0, 2, 2, 2, 5, 5, 2};  // of kGraphs; some classes have none
  Sampler sampler(kGraphs, config, classes);
  std::set<std::size_t> seen;
  std::size_t rare = 0;
  for (std::uint64_t s = 0; s < 60; ++s) {
    const auto batch = sampler.batch(0, s);
    ASSERT_EQ(batch.size(), 10U);
    const auto of_class_0 = std::count(batch.begin(), batch.end(), kGraphs[0]);
    EXPECT_TRUE(of_class_0 == 3 || of_class_0 == 4);
    rare += static_cast<std::size_t>(of_class_0);
    seen.insert(batch.begin(), batch.end());
  }
  EXPECT_EQ(seen.size(), kGraphs.size());
  EXPECT_GT(rare, 180U);
  EXPECT_LT(rare, 240U);
}

TEST(Sampler, BalancedBatchesNeedClasses) {
  TrainConfig config;
  config.sampling = Sampling::kBalanced;
  EXPECT_THROW(Sampler(kGraphs, config), Error);
}

}  // namespace
}  // namespace agentnet
