// The one JSON parser: what it refuses, and that it stays linear and shallow whatever the text is.
#include "core/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace agentnet {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string refusal(const std::string& text, ErrorKind kind = ErrorKind::kData, const JsonLimits& limits = {}) {
  try {
    static_cast<void>(parse_json(text, "place", kind, limits));
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind);
    EXPECT_FALSE(e.hint().empty());
    return e.what();
  }
  return "accepted";
}

std::string nested(std::size_t levels, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += open;
  text += "0";
  for (std::size_t i = 0; i < levels; ++i) text += close;
  return text;
}

TEST(Json, ReadsWhatNlohmannReads) {
  for (const char* text :
       {"null", "true", "-3", "18446744073709551615", "1e300", "\"\\u00e9\"", "[]", "{}", "[[],{},[1,[2]],\"x\"]",
        R"({"b": {"a": [1, {"c": null}], "": false}, "a": [ -0.0, 1.5 ] , "z": ""})"}) {
    EXPECT_EQ(parse_json(text, "place"), Json::parse(text)) << text;
    EXPECT_EQ(parse_json(text, "place").dump(), Json::parse(text).dump()) << text;
  }
}

TEST(Json, SaysWhereATextIsNoJson) {
  EXPECT_EQ(refusal(""), "place: byte 0: the text is empty");
  EXPECT_EQ(refusal(R"({"a": 1,})"), R"(place: byte 8: not valid JSON at '{"a": 1,}')");
  EXPECT_THAT(refusal("[1, 2] x"), HasSubstr("byte 7: not valid JSON"));
  EXPECT_THAT(refusal("[1e999]"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal("\"\xff\""), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal("[\n\x1b[31m"), Not(HasSubstr("\x1b")));
  EXPECT_EQ(refusal(std::string("[1]\0[2]", 7)), "place: byte 3: a zero byte");
  EXPECT_EQ(refusal("nonsense", ErrorKind::kUsage), "place: byte 1: not valid JSON at 'no'");
}

// What was found: 80,000 levels in a model's config overflowed the stack.
TEST(Json, NestingHasALimit) {
  EXPECT_EQ(parse_json(nested(64, "[", "]"), "place").dump(), nested(64, "[", "]"));
  EXPECT_EQ(refusal(nested(65, "[", "]")), "place: byte 64: lists and objects are nested more than 64 deep");
  EXPECT_THAT(refusal(nested(65, "{\"a\":", "}")), HasSubstr("more than 64 deep"));
  EXPECT_THAT(refusal(nested(80'000, "{\"a\":[", "]}")), HasSubstr("more than 64 deep"));
  EXPECT_THAT(refusal(std::string(5'000'000, '[')), HasSubstr("more than 64 deep"));
  EXPECT_THAT(refusal("[[0]]", ErrorKind::kData, {.depth = 1}), HasSubstr("more than 1 deep"));
  EXPECT_FALSE(parse_json_if_valid(nested(80'000, "[", "]")).has_value());
}

TEST(Json, LengthHasALimit) {
  EXPECT_EQ(refusal("[1,2,3]", ErrorKind::kUsage, {.bytes = 6}), "place: 7 bytes of JSON, the most is 6");
  EXPECT_EQ(refusal("[1,2,3]", ErrorKind::kUsage, {.bytes = 7}), "accepted");
}

// Two readers of the same text would believe different ones.
TEST(Json, ANameThatStandsTwiceIsRefused) {
  EXPECT_EQ(refusal(R"({"a":1,"b":{"a":2},"a":3})"), "place: byte 21: 'a' is given twice");
  EXPECT_EQ(refusal(R"([{"a":1},{"a":2}])"), "accepted");
}

// Looking every name up among those before it, as nlohmann's ordered objects do, would compare 80 billion pairs.
TEST(Json, ManyNamesTakeLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 400'000; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
  const Json json = parse_json(text + "}", "place");
  EXPECT_EQ(json.size(), 400'000U);
  EXPECT_EQ(json.begin().key(), "0");
}

template <class T>
std::string member_refusal(const std::string& text) {
  T value{};
  try {
    read_member(parse_json(text, "place"), "n", value);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kData);
    return e.what();
  }
  return "accepted";
}

TEST(Json, NumbersAreConvertedWithALook) {
  EXPECT_EQ(member_refusal<std::uint64_t>(R"({"n": 1e300})"),
            "'n' is 1e+300, not a whole number from 0 to 18446744073709551615");
  EXPECT_THAT(member_refusal<std::uint64_t>(R"({"n": -1})"), HasSubstr("'n' is -1"));
  EXPECT_THAT(member_refusal<std::uint64_t>(R"({"n": 1.5})"), HasSubstr("'n' is 1.5"));
  EXPECT_THAT(member_refusal<std::uint64_t>(R"({"n": true})"), HasSubstr("'n' is true"));
  EXPECT_THAT(member_refusal<std::uint64_t>(R"({"n": 18446744073709551616})"), HasSubstr("'n' is 1.8446744073709552e"));
  EXPECT_THAT(member_refusal<int>(R"({"n": 2147483648})"), HasSubstr("from -2147483648 to 2147483647"));
  EXPECT_EQ(member_refusal<int>(R"({"n": -2147483648})"), "accepted");
  EXPECT_EQ(member_refusal<int>(R"({})"), "'n' is missing");
  EXPECT_EQ(member_refusal<int>(R"([1])"), "'n' is missing");
  EXPECT_THAT(member_refusal<std::string>(R"({"n": 3})"), HasSubstr("another type"));
  EXPECT_THAT(member_refusal<bool>(R"({"n": 3})"), HasSubstr("another type"));
  EXPECT_THAT(member_refusal<std::vector<std::string>>(R"({"n": [3]})"), HasSubstr("another type"));
  std::uint64_t largest = 0;
  read_member(parse_json(R"({"n": 18446744073709551615})", "place"), "n", largest);
  EXPECT_EQ(largest, std::numeric_limits<std::uint64_t>::max());
}

TEST(Json, ValuesInMessagesAreShortAndPrintable) {
  EXPECT_EQ(shown(Json("a")), "\"a\"");
  EXPECT_EQ(shown(Json(std::string("\xff\x1b"))), "\"\xef\xbf\xbd\\u001b\"");
  EXPECT_LE(shown(Json(std::string(1'000'000, 'x'))).size(), 90U);
  EXPECT_EQ(shown(Json(std::vector<int>(1'000'000, 1))), "array of 1000000");
}

}  // namespace
}  // namespace agentnet
