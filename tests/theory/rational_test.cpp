#include "theory/machine/rational.h"

#include <gtest/gtest.h>

#include <limits>

#include "agentnet/error.h"

namespace agentnet::theory {
namespace {

TEST(Rational, IsAlwaysInLowestTermsWithAPositiveDenominator) {
  EXPECT_EQ(Rational(4, -6).text(), "-2/3");
  EXPECT_EQ(Rational(0, 7), Rational(0));
  EXPECT_EQ(Rational(6, 3).text(), "2");
}

TEST(Rational, AddsMultipliesDividesAndComparesExactly) {
  EXPECT_EQ(Rational(1, 3) + Rational(1, 6), Rational(1, 2));
  EXPECT_EQ(Rational(1, 3) - Rational(1, 2), Rational(-1, 6));
  EXPECT_EQ(Rational(2, 3) * Rational(9, 4), Rational(3, 2));
  EXPECT_EQ(Rational(2, 3) / Rational(4, 9), Rational(3, 2));
  EXPECT_LT(Rational(333333333, 1000000000), Rational(1, 3));
  EXPECT_LE(Rational(1, 3), Rational(2, 6));
  EXPECT_DOUBLE_EQ(Rational(5, 8).value(), 0.625);
}

TEST(Rational, ReducesBeforeItComplainsOfOverflow) {
  const Rational large(std::numeric_limits<std::int64_t>::max(), 3);
  EXPECT_EQ(large * Rational(3, std::numeric_limits<std::int64_t>::max()), Rational(1));
  EXPECT_THROW((void)(large * large), Error);
  EXPECT_THROW((void)(large + large), Error);
}

TEST(Rational, DividesByZeroWithAnError) {
  EXPECT_THROW(Rational(1, 0), Error);
  EXPECT_THROW((void)(Rational(1) / Rational(0)), Error);
}

}  // namespace
}  // namespace agentnet::theory
