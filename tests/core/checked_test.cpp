#include "core/checked.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace agentnet {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(Checked, SumsAndProductsUpToTheLimitAreExact) {
  EXPECT_EQ(checked_add(kMax - 1, 1), kMax);
  EXPECT_EQ(checked_mul(kMax / 3, 3), kMax);  // 2^64 - 1 is a multiple of 3
  EXPECT_EQ(checked_mul(0, kMax), 0u);
  EXPECT_EQ(checked_mul(kMax, 0), 0u);
}

TEST(Checked, OneBeyondTheLimitIsRefused) {
  EXPECT_EQ(checked_add(kMax, 1), std::nullopt);
  EXPECT_EQ(checked_mul(std::uint64_t{1} << 32, std::uint64_t{1} << 32), std::nullopt);
}

RC_GTEST_PROP(Checked, ProductIsRefusedExactlyWhenTheUpperHalfIsNotZero, (std::uint64_t a, std::uint64_t b)) {
  // Long multiplication on 32-bit digits, as an independent judge.
  const std::uint64_t low = (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu);
  const std::uint64_t middle1 = (a >> 32) * (b & 0xFFFFFFFFu) + (low >> 32);
  const std::uint64_t middle2 = (a & 0xFFFFFFFFu) * (b >> 32) + (middle1 & 0xFFFFFFFFu);
  const std::uint64_t upper = (a >> 32) * (b >> 32) + (middle1 >> 32) + (middle2 >> 32);
  const auto product = checked_mul(a, b);
  RC_ASSERT(product.has_value() == (upper == 0));
  if (product) RC_ASSERT(*product == a * b);
}

TEST(Checked, CastKeepsTheValueOrRefuses) {
  EXPECT_EQ(checked_cast<std::int8_t>(127), 127);
  EXPECT_EQ(checked_cast<std::int8_t>(128), std::nullopt);
  EXPECT_EQ(checked_cast<std::uint32_t>(-1), std::nullopt);
  EXPECT_EQ(checked_cast<std::int64_t>(kMax), std::nullopt);
}

TEST(CheckedSize, ChainGivesTheExactValue) {
  const CheckedSize size = CheckedSize(3) * 5 + 7;
  ASSERT_TRUE(size.valid());
  EXPECT_EQ(size.value(), 22u);
  EXPECT_TRUE(size.equals(22));
  EXPECT_FALSE(size.equals(21));
}

TEST(CheckedSize, OverflowStaysThroughLaterSteps) {
  CheckedSize size = kMax;
  size += 1;
  size *= 0;
  EXPECT_FALSE(size.valid());
  EXPECT_FALSE(size.equals(0));
  EXPECT_THROW(static_cast<void>(size.value()), std::bad_optional_access);
}

}  // namespace
}  // namespace agentnet
