#include "graph/shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace agentnet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::vector<std::uint32_t>> shards_of(const std::vector<std::uint64_t>& cost, std::uint64_t target) {
  std::vector<std::vector<std::uint32_t>> members;
  for (const Shard& shard : make_shards(cost, target)) members.push_back(shard.members);
  return members;
}

std::vector<std::uint64_t> costs_of(const std::vector<std::uint64_t>& cost, std::uint64_t target) {
  std::vector<std::uint64_t> sums;
  for (const auto& members : shards_of(cost, target)) {
    std::uint64_t sum = 0;
    for (const std::uint32_t i : members) sum += cost[i];
    sums.push_back(sum);
  }
  return sums;
}

TEST(Shards, OfAnEmptyBatchAreNone) { EXPECT_THAT(shards_of({}, 10), IsEmpty()); }

TEST(Shards, SmallBatchIsOneShard) { EXPECT_THAT(shards_of({1, 2, 3}, 10), ElementsAre(ElementsAre(0, 1, 2))); }

TEST(Shards, AreEvenInsteadOfFilledUpInTurn) {
  // Filling up to 10 would give 10, 10 and 2.
  EXPECT_THAT(costs_of(std::vector<std::uint64_t>(22, 1), 10), ElementsAre(7, 7, 8));
}

TEST(Shards, GraphAboveTheTargetIsAlone) {
  EXPECT_THAT(shards_of({1, 1, 50, 1, 60, 70, 1}, 10), ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3),
                                                                   ElementsAre(4), ElementsAre(5), ElementsAre(6)));
}

TEST(Shards, GraphsWithoutCostComeAlong) {
  EXPECT_THAT(shards_of({0, 0, 0}, 10), ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_THAT(shards_of({10, 0, 10}, 10), ElementsAre(ElementsAre(0), ElementsAre(1, 2)));
}

TEST(Shards, TargetOfZeroCountsAsOne) { EXPECT_EQ(shards_of({1, 1, 0, 3}, 0), shards_of({1, 1, 0, 3}, 1)); }

TEST(Shards, CostsMayBeHuge) {
  const std::uint64_t huge = std::uint64_t{1} << 60;
  EXPECT_THAT(costs_of({huge, huge, huge, huge}, 2 * huge), ElementsAre(2 * huge, 2 * huge));
}

rc::Gen<std::vector<std::uint64_t>> some_costs() {
  return rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 200));
}

RC_GTEST_PROP(Shards, HoldEveryGraphOnceAndInOrder, ()) {
  const auto cost = *some_costs();
  const auto target = *rc::gen::inRange<std::uint64_t>(1, 300);
  std::vector<std::uint32_t> all;
  for (const auto& members : shards_of(cost, target)) {
    RC_ASSERT(!members.empty());
    all.insert(all.end(), members.begin(), members.end());
  }
  std::vector<std::uint32_t> expected(cost.size());
  std::iota(expected.begin(), expected.end(), 0u);
  RC_ASSERT(all == expected);
}

RC_GTEST_PROP(Shards, StayNearTheTarget, ()) {
  const auto cost = *some_costs();
  const auto target = *rc::gen::inRange<std::uint64_t>(1, 300);
  for (const auto& members : shards_of(cost, target)) {
    std::uint64_t sum = 0;
    for (const std::uint32_t i : members) sum += cost[i];
    const bool too_large_alone = members.size() == 1 && cost[members[0]] > target;
    // Half of the first and half of the last graph may stand out on either side.
    RC_ASSERT(too_large_alone || sum <= 2 * target);
    if (members.size() > 1) {
      for (const std::uint32_t i : members) RC_ASSERT(cost[i] <= target);
    }
  }
}

RC_GTEST_PROP(Shards, EqualGraphsGiveShardsThatDifferByAtMostOne, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 200);
  const auto cost = *rc::gen::inRange<std::uint64_t>(1, 50);
  const auto target = *rc::gen::inRange<std::uint64_t>(50, 500);
  std::vector<std::size_t> sizes;
  for (const auto& members : shards_of(std::vector<std::uint64_t>(n, cost), target)) sizes.push_back(members.size());
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  RC_ASSERT(*most - *least <= 1u);
}

}  // namespace
}  // namespace agentnet
