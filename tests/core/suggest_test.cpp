#include "core/suggest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace agentnet {
namespace {

TEST(EditDistance, CountsTheFewestEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("tarin", "train"), 1u);    // one swap
  EXPECT_EQ(edit_distance("Hidden", "hidden"), 0u);  // case is no edit
}

// The definition, by recursion over the last letters.
std::size_t plain_distance(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return std::max(a.size(), b.size());
  const std::string a1 = a.substr(0, a.size() - 1), b1 = b.substr(0, b.size() - 1);
  std::size_t best = std::min(
      {plain_distance(a1, b) + 1, plain_distance(a, b1) + 1, plain_distance(a1, b1) + (a.back() == b.back() ? 0 : 1)});
  if (!a1.empty() && !b1.empty() && a.back() == b1.back() && a1.back() == b.back()) {
    best = std::min(best, plain_distance(a1.substr(0, a1.size() - 1), b1.substr(0, b1.size() - 1)) + 1);
  }
  return best;
}

RC_GTEST_PROP(EditDistance, AgreesWithTheDefinition, ()) {
  const auto word = rc::gen::resize(6, rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc"))));
  const std::string a = *word, b = *word;
  RC_PRE(a.size() + b.size() <= 12);
  RC_ASSERT(edit_distance(a, b) == plain_distance(a, b));
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
}

const std::vector<std::string> kCommands = {"train", "predict", "explain", "info", "demo"};

TEST(ClosestMatch, FindsWhatWasMeant) {
  EXPECT_EQ(closest_match("trian", kCommands), "train");
  EXPECT_EQ(closest_match("predcit", kCommands), "predict");
  EXPECT_EQ(closest_match("INFO", kCommands), "info");
  EXPECT_EQ(closest_match("demos", kCommands), "demo");
}

TEST(ClosestMatch, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(closest_match("benchmark", kCommands), std::nullopt);
  EXPECT_EQ(closest_match("", kCommands), std::nullopt);
  EXPECT_EQ(closest_match("x", std::vector<std::string>{"y"}), std::nullopt);
  EXPECT_EQ(closest_match("train", {}), std::nullopt);
}

TEST(ClosestMatch, TakesTheFirstOfEquals) {
  const std::vector<std::string> candidates = {"time_node", "time_mode"};
  EXPECT_EQ(closest_match("time_lode", candidates), "time_node");
}

}  // namespace
}  // namespace agentnet
