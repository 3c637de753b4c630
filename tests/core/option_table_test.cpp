// Options as data: conversions that lose or invent nothing.
#include "core/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "agentnet/error.h"
#include "core/json.h"

namespace agentnet {

enum class Colour { kRed, kGreen };
template <>
inline constexpr std::array option_names<Colour> = std::to_array<std::string_view>({"red", "green"});

namespace {

using testing::HasSubstr;

struct Options {
  int small = 0;
  std::uint64_t large = 0;
  std::int64_t any = 0;
  double real = 0;
  Colour colour = Colour::kRed;
  std::optional<Colour> other;
};

constexpr double kTwo63 = 9223372036854775808.0;

constexpr auto kVisit = [](auto& o, const auto& f) {
  f("small", o.small, OptionRange{-3, 2147483647}, "");
  f("large", o.large, OptionRange{0, 2 * kTwo63}, "");
  f("any", o.any, OptionRange{-kTwo63, 9007199254740993.0}, "");
  f("real", o.real, OptionRange{0, 1}, "");
  f("colour", o.colour, kAnyValue, "");
  f("other", o.other, kAnyValue, "");
};

std::string refusal(const std::string& text) {
  Options options;
  try {
    options_from_json(parse_json(text, "place"), options, kVisit, "test option");
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kUsage);
    EXPECT_FALSE(e.hint().empty());
    return e.what();
  }
  return "accepted";
}

// A double has no room for all of them: by its way 2^64 - 1 becomes 2^64, which does not fit anything.
TEST(OptionTable, WholeNumbersKeepAllTheirBits) {
  Options options;
  options_from_json(parse_json(R"({"large": 18446744073709551615, "any": -9223372036854775808})", "place"), options,
                    kVisit, "test option");
  EXPECT_EQ(options.large, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(options.any, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(refusal(R"({"any": 9007199254740992})"), "accepted");
  // 2^53 + 1 in the table is 2^53 as a double; the number given is not rounded to it.
  EXPECT_EQ(refusal(R"({"any": 9007199254740993})"), "test option 'any' is 9007199254740993");
  EXPECT_EQ(refusal(R"({"large": -1})"), "test option 'large' is -1");
  EXPECT_EQ(refusal(R"({"small": 4294967297})"), "test option 'small' is 4294967297");
  EXPECT_EQ(refusal(R"({"small": -4})"), "test option 'small' is -4");
  EXPECT_EQ(refusal(R"({"small": 18446744073709551615})"), "test option 'small' is 18446744073709551615");
  EXPECT_EQ(refusal(R"({"small": 1e300})"), "test option 'small' is 1e+300");
  EXPECT_EQ(refusal(R"({"real": 1e300})"), "test option 'real' is 1e+300");
}

TEST(OptionTable, MessagesAboutStrangeKeysAndValuesArePrintable) {
  EXPECT_EQ(refusal("{\"\\u001b[31m\": 1}"), "unknown test option '\\x1b[31m'");
  EXPECT_EQ(refusal("{\"colour\": \"\\u001b[31m\"}"), "test option 'colour' is \"\\u001b[31m\"");
  EXPECT_THAT(refusal("[1]"), HasSubstr("not a JSON object"));
}

TEST(OptionTable, AnEnumOutOfItsRangeIsRefusedAndNotLookedUp) {
  for (const int number : {2, 77, -1}) {
    Options options;
    options.colour = static_cast<Colour>(number);
    EXPECT_THROW(static_cast<void>(options_to_json(options, kVisit)), Error);
    EXPECT_THROW(check_ranges(options, kVisit, "test option"), Error);
    options.colour = Colour::kGreen;
    options.other = static_cast<Colour>(number);
    EXPECT_THROW(static_cast<void>(options_to_json(options, kVisit)), Error);
    try {
      check_ranges(options, kVisit, "test option");
      FAIL() << number;
    } catch (const Error& e) {
      EXPECT_EQ(e.what(), "test option 'other' is the unknown value " + std::to_string(number));
      EXPECT_EQ(e.hint(), "it can be red, green");
    }
  }
}

}  // namespace
}  // namespace agentnet
