#include "core/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/statistics.h"

namespace agentnet {
namespace {

using testing::ElementsAre;

// All seeds below are fixed: correct code passes always, and 1e-4 leaves room for an unlucky seed.
constexpr double kUnlikely = 1e-4;

TEST(Philox, GivesThePublishedKnownAnswers) {
  // Random123's kat_vectors, "philox4x32 10".
  EXPECT_THAT(philox({0, 0, 0, 0}, {0, 0}), ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  constexpr std::uint32_t kOnes = 0xffffffffu;
  EXPECT_THAT(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
              ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
  EXPECT_THAT(philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}),
              ElementsAre(0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u));
}

TEST(RandomCounter, HoldsEveryPartInItsOwnBits) {
  const RandomCounter counter = random_counter(0xABCD'1234'5678u, 0x9ABCDEF0u, 0xFEDCu, 0x0F0F0F0Fu);
  EXPECT_EQ(counter, (RandomCounter{0x0F0F0F0Fu, 0x9ABCDEF0u, 0x12345678u, 0xABCDFEDCu}));
}

TEST(RandomKey, DiffersForEverySeedPurposeAndEpoch) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> keys;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const Purpose purpose : {Purpose::kInit, Purpose::kStart, Purpose::kMove, Purpose::kDropout, Purpose::kShuffle,
                                  Purpose::kData, Purpose::kTest}) {
      for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
        const RandomKey key = random_key(seed, purpose, epoch);
        keys.emplace(key.k0, key.k1);
      }
    }
  }
  EXPECT_EQ(keys.size(), 20u * 7u * 20u);
}

// Saved models and published results depend on the streams: this must never change.
TEST(RandomKey, StaysWhatItWas) {
  EXPECT_EQ(random_key(1, Purpose::kMove, 3), (RandomKey{0xfde362b3u, 0xd0734750u}));
  RandomSequence random(7, Purpose::kInit, 1, 2, 3);
  EXPECT_EQ(random.next_u32(), 0xdf691ebau);
  EXPECT_EQ(random.next_u64(), 0xba3b20ffd7c8b140u);
}

TEST(ToUnitDouble, NeverReachesZeroOrOne) {
  EXPECT_EQ(to_unit_double(0), 0x1p-33);
  EXPECT_EQ(to_unit_double(0xFFFFFFFFu), 1.0 - 0x1p-33);
}

TEST(RandomSequence, HandsOutTheWordsOfConsecutiveBlocks) {
  const RandomKey key = random_key(5, Purpose::kTest, 6);
  RandomSequence random(5, Purpose::kTest, 6, 7, 8);
  for (std::uint32_t block = 0; block < 3; ++block) {
    for (const std::uint32_t word : philox(random_counter(7, 8, 0, block), key)) EXPECT_EQ(random.next_u32(), word);
  }
}

TEST(RandomSequence, IsTheSameWhateverElseIsDrawn) {
  RandomSequence alone(1, Purpose::kTest), first(1, Purpose::kTest), other(2, Purpose::kTest);
  for (int i = 0; i < 20; ++i) {
    static_cast<void>(other.next_u64());
    EXPECT_EQ(alone.next_u32(), first.next_u32());
  }
}

std::vector<std::uint64_t> histogram(std::size_t cells, std::size_t draws, const std::function<std::uint64_t()>& draw) {
  std::vector<std::uint64_t> counts(cells);
  for (std::size_t i = 0; i < draws; ++i) ++counts.at(static_cast<std::size_t>(draw()));
  return counts;
}

TEST(RandomSequence, UniformFillsItsRangeEvenly) {
  RandomSequence random(11, Purpose::kTest);
  const auto counts =
      histogram(64, 200'000, [&] { return static_cast<std::uint64_t>(std::floor(random.uniform() * 64)); });
  EXPECT_GT(uniform_p_value(counts), kUnlikely);
}

TEST(RandomSequence, NormalHasTheBellCurvesShape) {
  RandomSequence random(12, Purpose::kTest);
  // The normal distribution function turns normal draws into uniform ones.
  const auto counts = histogram(
      50, 200'000, [&] { return static_cast<std::uint64_t>(50 * 0.5 * std::erfc(-random.normal() / std::sqrt(2.0))); });
  EXPECT_GT(uniform_p_value(counts), kUnlikely);
}

TEST(RandomSequence, NormalReachesItsTails) {
  RandomSequence random(13, Purpose::kTest);
  std::vector<std::uint64_t> counts(2);
  for (int i = 0; i < 400'000; ++i) ++counts[std::abs(random.normal()) > 3 ? 1 : 0];
  const double tail = std::erfc(3 / std::sqrt(2.0));
  EXPECT_GT(chi_square_p_value(counts, std::vector<double>{1 - tail, tail}), kUnlikely);
}

class Below : public testing::TestWithParam<std::uint64_t> {};

// Ranges that do not divide the range of the generator: 3 * 2^30 and 3 * 2^62 would show a plain
// remainder's bias as a first third twice as full as the others.
INSTANTIATE_TEST_SUITE_P(Ranges, Below,
                         testing::Values(2, 3, 7, 48, 1000, std::uint64_t{3} << 30, (std::uint64_t{1} << 32) - 1,
                                         std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1, std::uint64_t{3} << 62,
                                         ~std::uint64_t{0}));

TEST_P(Below, IsEvenOverItsRange) {
  const std::uint64_t n = GetParam();
  RandomSequence random(14, Purpose::kTest, n);
  // Whole numbers in up to 48 slices of equal width; the last, a little short, gets its own probability.
  const std::uint64_t cells = std::min<std::uint64_t>(n, 48);
  const std::uint64_t width = n / cells + (n % cells != 0 ? 1 : 0);
  std::vector<double> probabilities(cells);
  for (std::uint64_t c = 0; c < cells; ++c) {
    const std::uint64_t begin = std::min(n, c * width), end = n - begin < width ? n : begin + width;
    probabilities[c] = static_cast<double>(end - begin) / static_cast<double>(n);
  }
  const auto counts = histogram(cells, 200'000, [&] { return random.below(n) / width; });
  EXPECT_GT(chi_square_p_value(counts, probabilities), kUnlikely);
}

TEST_P(Below, StaysBelow) {
  RandomSequence random(15, Purpose::kTest);
  for (int i = 0; i < 1000; ++i) ASSERT_LT(random.below(GetParam()), GetParam());
}

TEST(RandomSequence, BelowOneIsZeroAndBelowZeroIsRefused) {
  RandomSequence random(16, Purpose::kTest);
  EXPECT_EQ(random.below(1), 0u);
  EXPECT_THROW(static_cast<void>(random.below(0)), std::invalid_argument);
}

TEST(RandomSequence, ShuffleMakesEveryOrderEquallyLikely) {
  RandomSequence random(17, Purpose::kTest);
  std::map<std::vector<int>, std::uint64_t> orders;
  for (int i = 0; i < 48'000; ++i) {
    std::vector<int> items = {0, 1, 2, 3};
    random.shuffle(items);
    ++orders[items];
  }
  ASSERT_EQ(orders.size(), 24u);
  std::vector<std::uint64_t> counts;
  counts.reserve(orders.size());
  for (const auto& [order, count] : orders) counts.push_back(count);
  EXPECT_GT(uniform_p_value(counts), kUnlikely);
}

TEST(RandomSequence, ShuffleLeavesEmptyAndSingleRangesAlone) {
  RandomSequence random(18, Purpose::kTest);
  std::vector<int> none, one = {4};
  random.shuffle(none);
  random.shuffle(one);
  EXPECT_THAT(none, ElementsAre());
  EXPECT_THAT(one, ElementsAre(4));
}

// Draws that differ in one part of their key must be as good as independent: the pair (draw i, draw i + 1)
// is spread evenly over the square, whichever part i counts.
class NeighbouringKeys : public testing::TestWithParam<const char*> {
 protected:
  static std::uint32_t draw(const std::string& part, std::uint32_t i) {
    const auto of = [&](const char* name) { return part == name ? i : 3u; };
    const RandomKey key = random_key(of("seed"), Purpose::kMove, of("epoch"));
    return philox(random_counter(of("graph"), of("agent"), of("step"), of("block")), key)[0];
  }
};

INSTANTIATE_TEST_SUITE_P(Parts, NeighbouringKeys, testing::Values("seed", "epoch", "graph", "agent", "step", "block"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(NeighbouringKeys, GiveIndependentDraws) {
  const std::string part = GetParam();
  std::vector<std::uint64_t> pairs(256);
  for (std::uint32_t i = 0; i < 60'000; ++i) ++pairs[(draw(part, i) >> 28) * 16 + (draw(part, i + 1) >> 28)];
  EXPECT_GT(uniform_p_value(pairs), kUnlikely);
}

TEST(Statistics, ChiSquareKnowsItsTable) {
  // Statistic (2 * 31^2) / 500 = 3.844 with 1 degree of freedom: the 5 % quantile is 3.841.
  EXPECT_NEAR(uniform_p_value(std::vector<std::uint64_t>{531, 469}), 0.04992, 1e-4);
  std::vector<std::uint64_t> counts(11, 100);
  counts[0] += 30;
  counts[1] -= 30;
  // statistic 2 * 30^2 / 100 = 18; P(X > 18) with 10 degrees of freedom is 0.05496
  EXPECT_NEAR(uniform_p_value(counts), 0.05496, 1e-4);
}

TEST(Statistics, ChiSquareRejectsWhatCannotHappen) {
  EXPECT_EQ(chi_square_p_value(std::vector<std::uint64_t>{99, 1}, std::vector<double>{1.0, 0.0}), 0.0);
  EXPECT_LT(uniform_p_value(std::vector<std::uint64_t>{600, 400}), 1e-6);
}

}  // namespace
}  // namespace agentnet
