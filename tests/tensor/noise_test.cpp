// Gumbel noise from Philox words, and the softmax over candidates.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/random.h"
#include "kernel_sets.h"
#include "plain_kernels.h"
#include "tables.h"

namespace agentnet {
namespace {

constexpr RandomKey kKey = {0x12345678u, 0x9ABCDEF0u};
constexpr std::array<std::uint32_t, 2> kKeyWords = {kKey.k0, kKey.k1};

using Counters = std::array<std::vector<std::uint32_t>, 4>;

template <class S>
std::vector<S> gumbel(const Kernels<S>& k, const Counters& counters) {
  std::vector<S> out(4 * counters[0].size() + 1, S(777));
  const std::uint32_t* columns[4] = {counters[0].data(), counters[1].data(), counters[2].data(), counters[3].data()};
  k.gumbel(static_cast<Index>(counters[0].size()), columns, kKeyWords.data(), out.data());
  EXPECT_EQ(out.back(), S(777)) << "written beyond the last value";
  out.pop_back();
  return out;
}

template <class S>
void expect_plain_gumbel(const Kernels<S>& k, const Counters& counters) {
  const std::vector<S> noise = gumbel(k, counters), expected = gumbel(Plain<S>::all(), counters);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const double scale = std::max(1.0, std::abs(static_cast<double>(expected[i])));
    ASSERT_NEAR(noise[i], expected[i], 8 * std::numeric_limits<S>::epsilon() * scale) << i;
  }
}

template <class Set>
class Noise : public KernelTest<Set> {
 protected:
  static constexpr double kUlp = std::numeric_limits<typename Set::Scalar>::epsilon();
};
TYPED_TEST_SUITE(Noise, EverySet, SetName);

Counters some_counters(std::size_t n) {
  RandomSequence random(n, Purpose::kTest);
  Counters counters;
  for (auto& column : counters) {
    for (std::size_t i = 0; i < n; ++i) column.push_back(random.next_u32());
  }
  return counters;
}

TYPED_TEST(Noise, IsTheGumbelOfThePlainPhiloxWords) {
  for (const std::size_t n : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 63u, 64u, 65u, 100u, 1000u}) {
    SCOPED_TRACE(n);
    expect_plain_gumbel(TestFixture::fast(), some_counters(n));
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Philox backwards: the counter whose words these are. Every step of a round is a bijection.
RandomCounter counter_of(std::array<std::uint32_t, 4> words, RandomKey key) {
  constexpr std::uint32_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
  const auto inverse = [](std::uint32_t m) {  // of an odd number modulo 2^32, by Newton's method
    std::uint32_t x = m;
    for (int i = 0; i < 5; ++i) x *= 2 - m * x;
    return x;
  };
  const auto high = [](std::uint32_t m, std::uint32_t x) {
    return static_cast<std::uint32_t>((std::uint64_t{m} * x) >> 32);
  };
  for (std::uint32_t round = 10; round-- > 0;) {
    const std::uint32_t k0 = key.k0 + round * 0x9E3779B9u, k1 = key.k1 + round * 0xBB67AE85u;
    const std::uint32_t c0 = words[3] * inverse(kMultiplier0), c2 = words[1] * inverse(kMultiplier1);
    words = {c0, words[0] ^ high(kMultiplier1, c2) ^ k0, c2, words[2] ^ high(kMultiplier0, c0) ^ k1};
  }
  return {words[0], words[1], words[2], words[3]};
}

// The largest noise comes from words near 2^32, where a float's distance from 1 has no digits left.
TYPED_TEST(Noise, KeepsItsDigitsAtBothEndsOfTheUnitInterval) {
  std::vector<std::uint32_t> words;
  for (int bit = 0; bit < 32; ++bit) {
    const std::uint32_t power = std::uint32_t{1} << bit;
    for (const std::uint32_t word : {power - 1, power, ~power, ~(power - 1)}) words.push_back(word);
  }
  for (const std::uint32_t word : {0xFFFFFF00u, 0xFFFFFFFFu, 0xB504F333u, 0xB504F334u}) words.push_back(word);
  Counters counters;
  for (std::size_t i = 0; i < words.size(); i += 4) {
    const std::array<std::uint32_t, 4> wanted = {words[i], words[i + 1], words[i + 2], words[i + 3]};
    const RandomCounter c = counter_of(wanted, kKey);
    ASSERT_EQ(philox(c, kKey), wanted);
    counters[0].push_back(c.c0);
    counters[1].push_back(c.c1);
    counters[2].push_back(c.c2);
    counters[3].push_back(c.c3);
  }
  expect_plain_gumbel(TestFixture::fast(), counters);
}

TYPED_TEST(Noise, IsTheSameWhereverTheCounterStands) {
  using S = typename TypeParam::Scalar;
  constexpr std::size_t kCount = 77;
  const auto counters = some_counters(kCount);
  const std::vector<S> all = gumbel(TestFixture::fast(), counters);
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::vector<S> one =
        gumbel(TestFixture::fast(), {{{counters[0][i]}, {counters[1][i]}, {counters[2][i]}, {counters[3][i]}}});
    for (std::size_t w = 0; w < 4; ++w) ASSERT_EQ(one[w], all[4 * i + w]) << i;
  }
}

// Segments of all lengths one after another; every third entry takes no part, but the first.
template <class S>
struct Segmented {
  std::vector<std::int64_t> first = {0};
  std::vector<S> z;
  std::vector<Index> best;

  explicit Segmented(double spread) {
    Maker<S> maker(9, Values::kReal);
    for (Index count = 1; count <= 70; ++count) {
      for (Index c = 0; c < count; ++c) {
        const bool absent = c > 0 && maker.below(3) == 0;
        z.push_back(absent ? -std::numeric_limits<S>::infinity() : static_cast<S>(spread) * maker.value());
      }
      first.push_back(static_cast<std::int64_t>(z.size()));
    }
    best.assign(first.size() - 1, -1);
  }
  void run(const Kernels<S>& k, double temperature) {
    k.softmax_segments(static_cast<Index>(best.size()), first.data(), static_cast<S>(temperature), z.data(),
                       best.data());
  }
};

TYPED_TEST(Noise, SoftmaxOfSegmentsIsThePlainOne) {
  using S = typename TypeParam::Scalar;
  for (const double spread : {1.0, 30.0, 1000.0}) {
    for (const double temperature : {2.0 / 3.0, 1.0, 0.1}) {
      SCOPED_TRACE(testing::Message() << "spread " << spread << ", temperature " << temperature);
      Segmented<S> fast(spread), plain = fast;
      const std::vector<S> z = fast.z;
      fast.run(TestFixture::fast(), temperature);
      plain.run(Plain<S>::all(), temperature);
      EXPECT_EQ(fast.best, plain.best);
      for (std::size_t i = 0; i < z.size(); ++i) {
        ASSERT_NEAR(fast.z[i], plain.z[i], 8 * TestFixture::kUlp) << i;
        if (std::isinf(z[i])) {
          ASSERT_EQ(fast.z[i], S(0)) << i;
        }
      }
      for (std::size_t s = 0; s + 1 < fast.first.size(); ++s) {
        const double sum = std::accumulate(fast.z.begin() + fast.first[s], fast.z.begin() + fast.first[s + 1], 0.0);
        ASSERT_NEAR(sum, 1.0, 16 * TestFixture::kUlp) << s;
      }
    }
  }
}

TYPED_TEST(Noise, SoftmaxHoldsTheDigitsOfSmallProbabilities) {
  using S = typename TypeParam::Scalar;
  std::vector<S> z;
  for (int i = 0; i <= 80; ++i) z.push_back(static_cast<S>(-i));
  const std::int64_t first[2] = {0, static_cast<std::int64_t>(z.size())};
  std::vector<S> expected = z;
  Index best = -1;
  TestFixture::fast().softmax_segments(1, first, S(1), z.data(), &best);
  Plain<S>::softmax_segments(1, first, S(1), expected.data(), &best);
  for (std::size_t i = 0; i < z.size(); ++i) {
    EXPECT_NEAR(z[i] / expected[i], 1.0, 16 * TestFixture::kUlp) << "exp(-" << i << ")";
  }
}

TYPED_TEST(Noise, TheFirstOfSeveralLargestIsChosen) {
  using S = typename TypeParam::Scalar;
  for (const Index count : {2, 4, 8, 20, 37, 64}) {
    for (Index winner = 0; winner < count; ++winner) {
      std::vector<S> z(static_cast<std::size_t>(count), S(-1));
      for (Index c = winner; c < count; c += 3) z[static_cast<std::size_t>(c)] = S(2.5);
      const std::int64_t first[2] = {0, count};
      Index best = -1;
      TestFixture::fast().softmax_segments(1, first, S(0.5), z.data(), &best);
      ASSERT_EQ(best, winner) << "of " << count;
    }
  }
}

// Scores of weights that have grown beyond bounds: the answer is worth nothing, but its place must exist.
TYPED_TEST(Noise, AmongScoresThatAreNoNumbersTheFirstIsChosen) {
  using S = typename TypeParam::Scalar;
  const S nan = std::numeric_limits<S>::quiet_NaN(), absent = -std::numeric_limits<S>::infinity();
  for (const Index count : {4, 8, 20, 64}) {
    for (const Index candidates : {Index{1}, Index{2}, count - 1, count}) {
      std::vector<S> z(static_cast<std::size_t>(count), absent);  // the rest of the segment is padding
      std::fill_n(z.begin(), candidates, nan);
      const std::int64_t first[2] = {0, count};
      Index best = -1;
      TestFixture::fast().softmax_segments(1, first, S(0.5), z.data(), &best);
      ASSERT_EQ(best, 0) << candidates << " of " << count;
    }
  }
}

TYPED_TEST(Noise, ASingleCandidateIsCertain) {
  using S = typename TypeParam::Scalar;
  const S absent = -std::numeric_limits<S>::infinity();
  std::vector<S> z = {S(-3), absent, absent, absent, S(12), absent, S(-1000), absent};
  const std::int64_t first[4] = {0, 4, 5, 8};
  std::vector<Index> best(3, -1);
  TestFixture::fast().softmax_segments(3, first, S(2) / S(3), z.data(), best.data());
  EXPECT_EQ(z, (std::vector<S>{1, 0, 0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(best, (std::vector<Index>{0, 0, 1}));
}

}  // namespace
}  // namespace agentnet
