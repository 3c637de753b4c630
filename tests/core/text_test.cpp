#include "core/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace agentnet {
namespace {

struct Utf8Case {
  const char* name;
  std::string text;
  std::size_t valid;
};

class Utf8 : public testing::TestWithParam<Utf8Case> {};

INSTANTIATE_TEST_SUITE_P(
    Cases, Utf8,
    testing::Values(Utf8Case{"Empty", "", 0}, Utf8Case{"Ascii", "abc", 3}, Utf8Case{"TwoBytes", "a\xC3\xA9z", 4},
                    Utf8Case{"ThreeBytes", "\xE2\x82\xAC", 3}, Utf8Case{"FourBytes", "\xF0\x9F\x90\x9C", 4},
                    Utf8Case{"LastCharacter", "\xF4\x8F\xBF\xBF", 4}, Utf8Case{"BeyondTheLast", "\xF4\x90\x80\x80", 0},
                    Utf8Case{"LoneContinuation", "ab\x80", 2}, Utf8Case{"CutShort", "ab\xE2\x82", 2},
                    Utf8Case{"OverlongSlash", "\xC0\xAF", 0}, Utf8Case{"OverlongThree", "\xE0\x9F\xBF", 0},
                    Utf8Case{"OverlongFour", "\xF0\x8F\xBF\xBF", 0}, Utf8Case{"Surrogate", "x\xED\xA0\x80", 1},
                    Utf8Case{"BrokenThirdByte", "\xE2\x82z", 0}, Utf8Case{"NoSuchLead", "\xFF", 0}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(Utf8, ValidPrefixEndsAtTheFirstBadByte) { EXPECT_EQ(valid_utf8_prefix(GetParam().text), GetParam().valid); }

TEST(Printable, KeepsTextAndEscapesControlsAndBadBytes) {
  EXPECT_EQ(printable("d\xC3\xA9j\xC3\xA0 vu"), "d\xC3\xA9j\xC3\xA0 vu");
  EXPECT_EQ(printable("a\nb\x1B[31m\x7F"), "a\\x0ab\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b");  // a terminal may take U+009B for the start of a command
  EXPECT_EQ(printable("\xFFz"), "\\xffz");
}

RC_GTEST_PROP(Printable, IsAlwaysUtf8WithoutControls, (const std::string& text)) {
  const std::string shown = printable(text);
  RC_ASSERT(valid_utf8_prefix(shown) == shown.size());
  for (const char c : shown) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
}

TEST(InQuotes, CutsLongTextsAtACharacter) {
  EXPECT_EQ(in_quotes("name"), "'name'");
  EXPECT_EQ(in_quotes(std::string(80, 'a')), "'" + std::string(80, 'a') + "'");
  EXPECT_EQ(in_quotes(std::string(81, 'a')), "'" + std::string(80, 'a') + "...'");
  EXPECT_EQ(in_quotes(std::string(79, 'a') + "\xC3\xA9"), "'" + std::string(79, 'a') + "...'");
}

TEST(Printable, SpellsOutWhatTurnsTheDirectionOfWriting) {
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xaeb");                                                  // U+202E
  EXPECT_EQ(printable("\xe2\x81\xa6"), "\\xe2\\x81\\xa6");                         // U+2066
  EXPECT_EQ(printable("\xe2\x80\x93 \xe2\x82\xac"), "\xe2\x80\x93 \xe2\x82\xac");  // a dash and the Euro sign
}

}  // namespace
}  // namespace agentnet
