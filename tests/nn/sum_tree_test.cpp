#include "nn/sum_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

namespace agentnet {
namespace {

constexpr std::size_t kWidth = 3;

// Numbers whose sum depends on the order of the additions.
float term(std::size_t shard, std::size_t column) {
  return std::sin(static_cast<float>(7 * shard + column)) * std::pow(10.0F, static_cast<float>(shard % 5));
}
double loss_of(std::size_t shard) { return std::cos(static_cast<double>(shard)) * 1e-3; }

// The plain version: the sum of shards [first, last) of a node of this level.
double plain(std::size_t first, std::size_t last, std::size_t level, const std::function<double(std::size_t)>& of,
             bool rounded) {
  if (level == 0) return of(first);
  const std::size_t middle = first + (std::size_t{1} << (level - 1));
  if (middle >= last) return plain(first, last, level - 1, of, rounded);
  const double sum = plain(first, middle, level - 1, of, rounded) + plain(middle, last, level - 1, of, rounded);
  return rounded ? static_cast<double>(static_cast<float>(sum)) : sum;
}

std::size_t levels(std::size_t shards) {
  std::size_t level = 0;
  while (std::size_t{1} << level < shards) ++level;
  return level;
}

void add_shard(SumTree<float>& tree, std::size_t shard) {
  auto buffer = tree.begin();
  for (std::size_t c = 0; c < kWidth; ++c) (*buffer)[c] += term(shard, c);
  tree.finish(shard, std::move(buffer), loss_of(shard));
}

void expect_plain(const SumTree<float>::Total& total, std::size_t shards) {
  for (std::size_t c = 0; c < kWidth; ++c) {
    const auto expected = plain(
        0, shards, levels(shards), [&](std::size_t s) { return term(s, c); }, true);
    EXPECT_EQ((*total.values)[c], static_cast<float>(expected)) << shards << " shards, column " << c;
  }
  EXPECT_EQ(total.loss, plain(0, shards, levels(shards), loss_of, false));
}

TEST(SumTree, AddsInTheOrderOfTheTreeWhoeverComesFirst) {
  BufferPool<float> pool;
  for (std::size_t shards = 1; shards <= 9; ++shards) {
    std::vector<std::size_t> order(shards);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int repeat = 0; repeat < 3; ++repeat) {
      SumTree<float> tree(shards, kWidth, pool);
      for (const std::size_t shard : order) add_shard(tree, shard);
      expect_plain(tree.total(), shards);
      std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shards / 2), order.end());
      if (repeat == 1) std::reverse(order.begin(), order.end());
    }
  }
}

RC_GTEST_PROP(SumTree, AnyPartCanBeSummedElsewhere, ()) {
  const auto shards = *rc::gen::inRange<std::size_t>(1, 40);
  const auto processes = *rc::gen::inRange<std::size_t>(1, 5);
  BufferPool<float> pool, far_pool;
  SumTree<float> here(shards, kWidth, pool);
  for (std::size_t p = 0; p < processes; ++p) {
    SumTree<float> there(shards, kWidth, far_pool);
    for (std::size_t s = shards * p / processes; s < shards * (p + 1) / processes; ++s) add_shard(there, s);
    for (SumTree<float>::Partial& partial : there.take()) here.add(std::move(partial));
  }
  expect_plain(here.total(), shards);
}

TEST(SumTree, ManyThreadsGiveTheSameBytes) {
  constexpr std::size_t kShards = 64;
  BufferPool<float> pool;
  SumTree<float> tree(kShards, kWidth, pool);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t s = t; s < kShards; s += 4) add_shard(tree, s);
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect_plain(tree.total(), kShards);
}

TEST(SumTree, KeepsAFewBuffersAlive) {
  BufferPool<float> pool;
  {
    SumTree<float> tree(1000, kWidth, pool);
    for (std::size_t s = 0; s < 1000; ++s) add_shard(tree, s);
    pool.give_back(std::move(tree.total().values));
  }
  // One per level of the tree, and the one being added: 1000 shards make 10 levels.
  EXPECT_LE(pool.memory(), 11 * kWidth * sizeof(float));
}

TEST(SumTree, SaysWhenAShardIsMissingOrComesTwice) {
  BufferPool<float> pool;
  SumTree<float> tree(3, kWidth, pool);
  add_shard(tree, 1);
  add_shard(tree, 2);
  EXPECT_THROW(static_cast<void>(tree.total()), std::logic_error);
  SumTree<float> again(3, kWidth, pool);
  add_shard(again, 2);
  EXPECT_THROW(add_shard(again, 2), std::logic_error);
}

TEST(SumTree, OfNoShardsIsZero) {
  BufferPool<float> pool;
  const auto total = SumTree<float>(0, kWidth, pool).total();
  EXPECT_THAT(*total.values, testing::Each(0.0F));
  EXPECT_EQ(total.loss, 0);
}

}  // namespace
}  // namespace agentnet
