#include "output/safe_stream.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace agentnet {
namespace {

std::string through(const std::string& text) {
  std::ostringstream target;
  SafeStream safe(target);
  safe << text << std::flush;
  return target.str();
}

TEST(SafeStream, SpellsOutWhatCouldCommandATerminal) {
  EXPECT_EQ(through("class \x1b[2J\x07"), "class \\x1b[2J\\x07");
  EXPECT_EQ(through("a\rb\x7f"), "a\\x0db\\x7f");
  EXPECT_EQ(through("\xc2\x9b"
                    "31m"),
            "\\xc2\\x9b31m");  // the C1 form of the same
  EXPECT_EQ(through("\xff\xfe ok"), "\\xff\\xfe ok");
  EXPECT_EQ(through("a\xe2\x80\xae"
                    "b"),
            "a\\xe2\\x80\\xaeb");  // writes backwards
}

TEST(SafeStream, LeavesLinesAndAllLettersAlone) {
  const std::string text = "Größe\t\xe2\x82\xac 5\n\xf0\x9f\x98\x80\n\n";
  EXPECT_EQ(through(text), text);
}

TEST(SafeStream, PutsCharactersThatComeInPiecesTogether) {
  std::ostringstream target;
  {
    SafeStream safe(target);
    for (const char c : std::string("\xf0\x9f\x98\x80 \xe2\x82\xac")) safe.put(c);
    EXPECT_EQ(target.str(), "\xf0\x9f\x98\x80 \xe2\x82\xac") << "nothing is held back longer than needed";
    safe << "\xe2\x82";
  }
  EXPECT_EQ(target.str(), "\xf0\x9f\x98\x80 \xe2\x82\xac\\xe2\\x82") << "the rest never came";
}

TEST(SafeStream, FailsWithItsTarget) {
  std::ostringstream target;
  SafeStream safe(target);
  target.setstate(std::ios::badbit);
  safe << "text";
  EXPECT_FALSE(safe);
}

}  // namespace
}  // namespace agentnet
