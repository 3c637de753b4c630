// Files in parts: together they are what read_data() gives at once.
#include "data/io/read_in_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "agentnet/error.h"
#include "data/molecules/molecule.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Dataset> parts_of(const std::string& source, std::size_t rows, const DataOptions& options = {}) {
  std::vector<Dataset> parts;
  read_in_parts(source, options, rows, [&](Dataset&& part) { parts.push_back(std::move(part)); });
  return parts;
}

std::string error_of(const std::string& source, std::size_t rows, const DataOptions& options = {}) {
  try {
    static_cast<void>(parts_of(source, rows, options));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

std::string graph_line(int nodes, const std::string& more = {}) {
  std::string from = "0", to = "0";
  for (int i = 1; i < nodes; ++i) from += "," + std::to_string(i - 1), to += "," + std::to_string(i);
  return "{\"num_nodes\":" + std::to_string(nodes) + ",\"edge_index\":[[" + from + "],[" + to + "]]" + more + "}\n";
}

TEST(ReadInParts, JsonLinesComeInPartsThatAreNumberedOverTheFile) {
  const TempFolder folder;
  std::string text;
  for (int g = 1; g <= 7; ++g) text += graph_line(g, ",\"id\":\"g" + std::to_string(g) + "\",\"y\":0.5");
  write_text(folder / "set.jsonl", text);
  const auto parts = parts_of(folder / "set.jsonl", 3);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_THAT(parts[0].rows, ElementsAre(0, 1, 2));
  EXPECT_THAT(parts[1].rows, ElementsAre(3, 4, 5));
  EXPECT_THAT(parts[2].rows, ElementsAre(6));
  EXPECT_EQ(parts[2].graphs.view(0).num_nodes, 7U);
  EXPECT_EQ(parts[2].graphs.id(0), "g7");
  EXPECT_EQ(parts[2].schema.task, Task::kRegression);
  EXPECT_EQ(parts[1].graphs.targets(0)[0], 0.5);
}

TEST(ReadInParts, NoPartIsLargerThanAskedForHoweverLongTheFile) {
  const TempFolder folder;
  for (const int graphs : {100, 1000}) {
    std::string text;
    for (int g = 0; g < graphs; ++g) text += graph_line(3, ",\"id\":\"" + std::to_string(g) + "\"");
    write_text(folder / "set.jsonl", text);
    std::size_t largest = 0, total = 0;
    read_in_parts(folder / "set.jsonl", {}, 32, [&](Dataset&& part) {
      largest = std::max(largest, part.graphs.size());
      total += part.graphs.size();
    });
    EXPECT_EQ(largest, 32U);
    EXPECT_EQ(total, static_cast<std::size_t>(graphs));
  }
}

TEST(ReadInParts, ErrorsKeepTheirPlaceInTheFile) {
  const TempFolder folder;
  write_text(folder / "set.jsonl", graph_line(1) + graph_line(2) + "{\"num_nodes\":0}\n");
  EXPECT_EQ(error_of(folder / "set.jsonl", 1), (folder / "set.jsonl").string() + ":3:14: the graph has no nodes");
  write_text(folder / "set.jsonl", "\n");
  EXPECT_THAT(error_of(folder / "set.jsonl", 1), HasSubstr("holds no graphs"));
}

TEST(ReadInParts, AColumnThatEarlierGraphsHaveIsStillAskedFor) {
  const TempFolder folder;
  write_text(folder / "set.jsonl", graph_line(1, ",\"node_feat\":[[1]]") + graph_line(2));
  EXPECT_THAT(error_of(folder / "set.jsonl", 1), HasSubstr(":2:1: the graph has no node_feat, unlike others"));
}

TEST(ReadInParts, TargetsAreNotLookedAtWhenNoneAreWanted) {
  const TempFolder folder;
  write_text(folder / "set.jsonl", graph_line(1, ",\"y\":[1,2]") + graph_line(2, ",\"y\":\"text\"") + graph_line(3));
  DataOptions none;
  none.task = Task::kNone;
  const auto parts = parts_of(folder / "set.jsonl", 2, none);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].graphs.num_targets(), 0);
}

TEST(ReadInParts, KeptColumnsComeWithTheirPart) {
  const TempFolder folder;
  write_text(folder / "set.jsonl", graph_line(1, ",\"who\":\"a\"") + graph_line(2, ",\"who\":\"b\""));
  DataOptions options;
  options.keep = {"who"};
  const auto parts = parts_of(folder / "set.jsonl", 1, options);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_THAT(parts[1].columns.at("who"), ElementsAre("b"));
}

TEST(ReadInParts, BadMoleculesKeepTheirPlaceAlsoInAPartOfTheirOwn) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build has no RDKit";
  const TempFolder folder;
  write_text(folder / "set.csv",
             "id,smiles,y,remark\na,C,1,x\nb,CC,2,y\nc,oops,3,z\nd,alas,4,\ne,CCC,5.5,w\nf,CCCC,6,\n");
  const auto parts = parts_of(folder / "set.csv", 2);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[1].graphs.size(), 0U);
  ASSERT_EQ(parts[1].bad_rows.size(), 2U);
  EXPECT_EQ(parts[1].bad_rows[1].row, 3U);
  EXPECT_EQ(parts[1].bad_rows[1].id, "d");
  EXPECT_EQ(parts[1].bad_rows[1].where, (folder / "set.csv").string() + ":5:3");
  EXPECT_THAT(parts[2].rows, ElementsAre(4, 5));
  EXPECT_THAT(parts[2].schema.targets, ElementsAre("y"));
  EXPECT_EQ(parts[2].graphs.targets(0)[0], 5.5);
  EXPECT_EQ(parts_of(folder / "set.csv", 6).size(), 1U);
}

TEST(ReadInParts, AMappedSetStaysInItsFileAndIsChecked) {
  const TempFolder folder;
  write_text(folder / "set.jsonl", graph_line(1) + graph_line(2) + graph_line(3));
  const std::string mapped = folder / "set.agentset";
  write_data(read_data(folder / "set.jsonl", {}), mapped);
  const auto parts = parts_of(mapped, 2);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_THAT(parts[0].rows, ElementsAre(0, 1, 2));
  EXPECT_NE(parts[0].graphs.view(2).file, nullptr);
  EXPECT_TRUE(is_made_already(mapped));
  EXPECT_FALSE(is_made_already(folder / "set.jsonl"));
  std::string bytes = read_text(mapped);
  bytes[2 * 4096] = '\x7f';
  write_text(mapped, bytes);
  EXPECT_THAT(error_of(mapped, 2), HasSubstr("is damaged"));
}

TEST(ReadInParts, AnyOtherSourceIsOnePart) {
  const auto parts = parts_of("synthetic:csl?graphs=20", 7);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].rows.size(), 20U);
  EXPECT_TRUE(is_made_already("synthetic:csl?graphs=20"));
  EXPECT_THAT(error_of("synthetic:csl", 0), HasSubstr("a part of no rows"));
}

}  // namespace
}  // namespace agentnet
