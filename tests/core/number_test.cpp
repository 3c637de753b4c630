#include "core/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace agentnet {
namespace {

TEST(ParseNumber, TakesWhatADoubleCanHold) {
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_EQ(parse_number("+2"), 2.0);
  EXPECT_EQ(parse_number("-1e3"), -1000.0);
  EXPECT_EQ(parse_number("1e-310"), 1e-310);  // a subnormal number, at which std::stod throws
  EXPECT_EQ(parse_number("4.94065646e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parse_number("1.7976931348623157e308"), std::numeric_limits<double>::max());
}

TEST(ParseNumber, TooSmallIsZeroTooLargeIsNothing) {
  EXPECT_EQ(parse_number("1e-400"), 0.0);
  EXPECT_EQ(parse_number("-1e-99999999999999999999"), 0.0);
  EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1"), 0.0);  // without an exponent
  EXPECT_EQ(parse_number("1e400"), std::nullopt);
  EXPECT_EQ(parse_number("1e99999999999999999999"), std::nullopt);
  EXPECT_EQ(parse_number(std::string(400, '9')), std::nullopt);
  EXPECT_EQ(parse_number("0.1e400"), std::nullopt);
}

TEST(ParseNumber, TheWholeTextIsTheNumber) {
  for (const char* text : {"", "+", "-", "+-1", "1x", " 1", "1 ", "0x10", "nan", "inf", "-inf", "1e", "1,5"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(ParseCount, TakesWholeNumbersThatFit) {
  EXPECT_EQ(parse_count("0"), 0U);
  EXPECT_EQ(parse_count("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const char* text : {"", "18446744073709551616", "-1", "+1", "1.0", " 1", "1e3"}) {
    EXPECT_EQ(parse_count(text), std::nullopt) << text;
  }
}

TEST(RoundedToDigits, KeepsSoManyDigitsOfEveryNumber) {
  EXPECT_EQ(rounded_to_digits(1.0 / 3, 3), 0.333);
  EXPECT_EQ(rounded_to_digits(1.23456789012e-310, 9), 1.23456789e-310);
  EXPECT_EQ(rounded_to_digits(std::numeric_limits<double>::denorm_min(), 9), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(rounded_to_digits(std::numeric_limits<double>::max(), 9), 1.79769313e308);
  EXPECT_FALSE(std::signbit(rounded_to_digits(-0.0, 9)));
  EXPECT_TRUE(std::isnan(rounded_to_digits(std::nan(""), 9)));
}

// Rounded up, the largest numbers would be more than a double holds: they stay as they are.
TEST(RoundedToDigits, TheLargestNumberStaysFinite) {
  EXPECT_EQ(rounded_to_digits(std::numeric_limits<double>::max(), 2), std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace agentnet
