// What a search may choose from.
#include "tune/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "agentnet/error.h"
#include "space_property.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

SearchSpace space(const std::string& toml, const std::string& kind = "agentnet") { return {toml, "space.toml", kind}; }

Point point(const SearchSpace& from, std::uint64_t number) {
  RandomSequence random(number, Purpose::kTest);
  return from.draw(random);
}

std::string refusal(const std::string& toml) {
  try {
    static_cast<void>(space(toml).grid());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_FALSE(error.hint().empty());
    return error.what();
  }
  return "accepted";
}

TEST(SearchSpace, DrawsEveryValueOfAListAboutEquallyOften) {
  const SearchSpace from = space("[train]\nbatch = [16, 32, 64]\n");
  std::map<int, int> counts;
  for (std::uint64_t i = 0; i < 3000; ++i) ++counts[point(from, i).values.front().second.get<int>()];
  ASSERT_EQ(counts.size(), 3U);
  for (const auto& [value, count] : counts) EXPECT_NEAR(count, 1000, 120) << value;
}

TEST(SearchSpace, DrawsFromRangesEvenlyOrByTheLogarithm) {
  const SearchSpace from =
      space("[model]\ndropout = \"0.0..0.5\"\n[train]\nlearning_rate = \"1e-4..1e-2 log\"\nbatch = \"8..11\"\n");
  int low_dropout = 0, low_rate = 0;
  std::map<int, int> batches;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    for (const auto& [dimension, value] : point(from, i).values) {
      const auto number = value.get<double>();
      EXPECT_TRUE(number >= dimension->least && number <= dimension->most);
      if (dimension->key == "model.dropout") low_dropout += number < 0.25 ? 1 : 0;
      if (dimension->key == "train.learning_rate") low_rate += number < 1e-3 ? 1 : 0;
      if (dimension->key != "train.batch") continue;
      EXPECT_TRUE(value.is_number_integer());
      ++batches[value.get<int>()];
    }
  }
  EXPECT_NEAR(low_dropout, 2000, 160);
  EXPECT_NEAR(low_rate, 2000, 160) << "the middle of 1e-4 and 1e-2 is 1e-3";
  ASSERT_EQ(batches.size(), 4U) << "both ends are whole numbers, and so is what is drawn";
  for (const auto& [batch, count] : batches) EXPECT_NEAR(count, 1000, 130) << batch;
}

TEST(SearchSpace, OptionsThatAKindDoesNotHaveAreLeftOutForIt) {
  const SearchSpace from = space("[model]\nagents = [2, 4]\nkind = [\"agentnet\", \"gin\"]\nlayers = [2, 3]\n");
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 50; ++i) {
    std::string keys;
    for (const auto& [dimension, value] : point(from, i).values) keys += dimension->key + " ";
    seen.insert(keys);
  }
  EXPECT_THAT(seen, testing::ElementsAre("model.kind model.agents ", "model.kind model.layers "));
  EXPECT_EQ(from.grid().size(), 4U);
}

TEST(SearchSpace, AGridHasEveryCombinationOnce) {
  const SearchSpace from = space("[model]\nhidden = [8, 16]\n[train]\nbatch = [1, 2, 3]\n");
  const std::vector<Point> grid = from.grid();
  std::set<std::string> texts;
  for (const Point& one : grid) texts.insert(one.text());
  EXPECT_EQ(grid.size(), 6U);
  EXPECT_EQ(texts.size(), 6U);
  EXPECT_EQ(grid[1].text(), "model.hidden=8\ntrain.batch=2\n");
}

TEST(SearchSpace, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(refusal("[train]\nbatch = [16, 32]\n"), "accepted");
  EXPECT_THAT(refusal("[train]\nbatch = [16, 32\n"), StartsWith("space.toml:2:17: not TOML"));
  EXPECT_THAT(refusal("[train]\n  bacth = [16]\n"), StartsWith("space.toml:2:3: unknown training option 'bacth'"));
  EXPECT_THAT(refusal("[model]\nhidden = [16, 0]\n"), StartsWith("space.toml:2:1: "));
  EXPECT_THAT(refusal("[model]\nhidden = [16, \"wide\"]\n"), StartsWith("space.toml:2:1: "));
  EXPECT_THAT(refusal("[model]\nhidden = \"0..64\"\n"), StartsWith("space.toml:2:1: "));
  EXPECT_THAT(refusal("[model]\nhidden = []\n"), StartsWith("space.toml:2:1: model.hidden has no values"));
  EXPECT_THAT(refusal("[model]\nhidden = [8, 8]\n"), StartsWith("space.toml:2:1: model.hidden has the value 8 twice"));
  EXPECT_THAT(refusal("[model]\nkind = [\"gni\"]\n"), StartsWith("space.toml:2:1: "));
  EXPECT_THAT(refusal("[model]\nkind = [\"gin\"]\nagents = [2]\n"), StartsWith("space.toml:3:1: "));
  EXPECT_THAT(refusal("[train]\nepochs = [10, 20]\n"), StartsWith("space.toml:2:1: train.epochs cannot be searched"));
  EXPECT_THAT(refusal("[train]\nseed = [1, 2]\n"), StartsWith("space.toml:2:1: train.seed cannot be searched"));
  EXPECT_THAT(refusal("[data]\ndegree = [true, false]\n"), HasSubstr("the data is the same for all trials"));
  EXPECT_THAT(refusal("[paper]\nx = [1]\n"), StartsWith("space.toml:1:2: a space has no section 'paper'"));
  EXPECT_THAT(refusal("batch = [1]\n"), StartsWith("space.toml:1:1: 'batch' stands in no section"));
  EXPECT_THAT(refusal(""), StartsWith("space.toml:1:1: the space is empty"));
  for (const char* range : {"8..2", "1..", "..", "1..2..3", "a..b", "1..1e400", "0..5 log", "-1..5 log", "1..nan"}) {
    EXPECT_THAT(refusal(std::string("[train]\nbatch = \"") + range + "\"\n"), HasSubstr("is no range")) << range;
  }
  EXPECT_THAT(refusal("[train]\nbatch = \"1..5\"\n"), StartsWith("space.toml:2:1: a grid has no ranges"));
}

TEST(SearchSpace, AGridThatIsTooLargeIsRefusedBeforeItIsMade) {
  std::string toml = "[train]\n", values = "[";
  for (int i = 1; i <= 100; ++i) values += (i > 1 ? ", " : "") + std::to_string(i);
  toml += "batch = " + values + "]\nwarmup = " + values + "]\nsteps_per_epoch = " + values + "]\n";
  EXPECT_THAT(refusal(toml), StartsWith("space.toml:4:1: the grid has more than 10000 points"));
}

// Every file of the fuzz target, in every build.
TEST(SearchSpace, HoldsForAllInputsOfTheFuzzTarget) {
  std::size_t good = 0, bad = 0;
  for (const char* folder : {"corpus", "regressions"}) {
    const auto path = std::filesystem::path(AGENTNET_SOURCE_DIR) / "fuzz" / folder / "fuzz_space";
    if (!std::filesystem::exists(path)) continue;
    for (const auto& file : std::filesystem::directory_iterator(path)) {
      const std::string text = read_text(file.path());
      check_space(std::as_bytes(std::span(text))) ? ++good : ++bad;
    }
  }
  EXPECT_GE(good, 1U);
  EXPECT_GE(bad, 10U);
}

}  // namespace
}  // namespace agentnet
