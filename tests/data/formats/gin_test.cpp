#include <gtest/gtest.h>

#include <string>

#include "data/formats/readers.h"
#include "support/read_members.h"
#include "support/same_sets.h"

namespace agentnet {
namespace {

Dataset read(const std::string& text, const DataOptions& options = {}) { return read_text_as(read_gin, text, options); }
std::string error(const std::string& text, const DataOptions& options = {}) {
  return error_from([&] { static_cast<void>(read(text, options)); });
}

const std::string kTwo = "2\n3 0\n7 1 1\n5 2 0 2\n7 1 1\n1 2\n5 0\n";

TEST(Gin, TagsAreCategories) {
  EXPECT_EQ(described(read(kTwo)),
            "classification class{0,2}\nnodes tag{5,7}\nedges\n"
            ": 0[7] 1[5] 2[7]; 0>1 1>0 1>2 2>1; 0\n"
            ": 0[5];; 2\n");
}

TEST(Gin, TagsThatAreAllTheSameSayNothing) {
  EXPECT_EQ(described(read("1\n2 a\n0 1 1\n0 1 0\n")),
            "classification class{a}\nnodes constant\nedges\n: 0[1] 1[1]; 0>1 1>0; a\n");
}

TEST(Gin, NumbersBehindTheNeighboursAreAttributes) {
  EXPECT_EQ(described(read("1\n2 1\n0 1 1 0.5 2\n1 1 0 -1 1e3\n")),
            "classification class{1}\nnodes tag{0,1} attribute0 attribute1\nedges\n"
            ": 0[0 0.5 2] 1[1 -1 1000]; 0>1 1>0; 1\n");
}

TEST(Gin, SelfLoopsAndRepeatedNeighboursAreAccepted) {
  EXPECT_EQ(edges_of(read("1\n2 1\n0 4 1 1 0 0\n1 1 0\n").graphs.view(0)), (Ends{{0, 0}, {0, 1}, {1, 0}}));
}

TEST(Gin, AnEdgeInOneRowOnlyGoesOneWayUnlessAsked) {
  EXPECT_EQ(edges_of(read("1\n2 1\n0 1 1\n1 0\n").graphs.view(0)), (Ends{{0, 1}}));
  DataOptions options;
  options.direction = Direction::kUndirected;
  EXPECT_EQ(edges_of(read("1\n2 1\n0 1 1\n1 0\n", options).graphs.view(0)), (Ends{{0, 1}, {1, 0}}));
}

TEST(Gin, WindowsLineEndsAByteOrderMarkBlankLinesAndALastLineWithoutEndAreAccepted) {
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : kTwo) windows += c == '\n' ? std::string("\r\n \r\n") : std::string(1, c);
  EXPECT_EQ(described(read(windows)), described(read(kTwo)));
  EXPECT_EQ(described(read(kTwo.substr(0, kTwo.size() - 1))), described(read(kTwo)));
}

TEST(Gin, WideRangesOfTagsAreReadInReasonableTime) {
  std::string text = "1\n100000 0\n";
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7 % 100000) + " 0\n";
  EXPECT_EQ(read(text).schema.nodes.categories.at(0).values.size(), 100000U);
}

TEST(GinBad, CountsThatDoNotFitAreNamedWithTheirPlace) {
  EXPECT_EQ(error("2\n1 0\n0 0\n"), "file:4:1: the file ends where graph 2 of 2 should be | is the file cut short?");
  EXPECT_EQ(error("1\n2 0\n0 0\n"), "file:4:1: the file ends where node 1 of 2 should be | is the file cut short?");
  EXPECT_EQ(
      error("1\n1 0\n0 0\n1 0\n0 0\n"),
      "file:4:1: the file goes on after the last of its 1 graphs | correct the number of graphs in its first line");
  EXPECT_EQ(error("1\n2 0\n0 2 1\n0 1 0\n"),
            "file:3:6: the node lists 1 neighbours, but its degree is 2 | correct the degree or the list");
  EXPECT_EQ(error("1\n0 0\n"), "file:2:1: the graph has no nodes | leave empty graphs out");
  EXPECT_EQ(error("0\n"), "file holds no graphs | check the file");
  EXPECT_EQ(error(""), "file:1:1: the file ends where the number of graphs should be | is the file cut short?");
}

TEST(GinBad, HugeCountsInATinyFileAreRefusedAtOnce) {
  EXPECT_EQ(error("1\n4000000000 0\n"),
            "file:3:1: the file ends where node 0 of 4000000000 should be | is the file cut short?");
  EXPECT_EQ(error("18446744073709551615\n1 0\n0 0\n"),
            "file:4:1: the file ends where graph 2 of 18446744073709551615 should be | is the file cut short?");
  EXPECT_EQ(error("1\n4294967296 0\n"), "file:2:1: the graph has more than 2^32 nodes | split the graph");
  EXPECT_EQ(
      error("1\n1 0\n0 18446744073709551615\n"),
      "file:3:23: the node lists 0 neighbours, but its degree is 18446744073709551615 | correct the degree or the "
      "list");
}

TEST(GinBad, NumbersThatAreNoneAreNamedWithTheirPlace) {
  const auto whole = [](const char* what, const char* text) {
    return std::string("the ") + what + " should be a whole number from 0, but is '" + text + "' | correct the line";
  };
  EXPECT_EQ(error("two\n"), "file:1:1: " + whole("number of graphs", "two"));
  EXPECT_EQ(error("-2\n"), "file:1:1: " + whole("number of graphs", "-2"));
  EXPECT_EQ(error("18446744073709551616\n"), "file:1:1: " + whole("number of graphs", "18446744073709551616"));
  EXPECT_EQ(error("1\n1.5 0\n"), "file:2:1: " + whole("number of nodes", "1.5"));
  EXPECT_EQ(error("1\n1 0\n0 x\n"), "file:3:3: " + whole("degree", "x"));
  EXPECT_EQ(error("1\n1 0\n0 1 x\n"), "file:3:5: " + whole("neighbour", "x"));
  EXPECT_EQ(error("1 2\n1 0\n"),
            "file:1:3: there is more on the line than the number of graphs: '2' | correct the line");
  EXPECT_EQ(error("1\n1\n"), "file:2:2: the line ends where its label should be | correct the line");
}

TEST(GinBad, WrongRowsAreNamedWithTheirPlace) {
  EXPECT_EQ(
      error("1\n2 0\n0 1 2\n0 0\n"),
      "file:3:5: neighbour 2 is not a node: the graph's nodes are 0 to 1 | number the nodes of every graph from 0");
  EXPECT_EQ(error("1\n2 0\n0 0 0.5\n0 0\n"),
            "file:4:4: the node has 0 attributes, those before it have 1 | give every node the same attributes");
  EXPECT_EQ(
      error("1\n2 0\n0 0\n0 0 0.5\n"),
      "file:4:5: the row has more than its tag, degree, neighbours and 0 attributes | correct the degree, or give "
      "every node the same attributes");
  EXPECT_EQ(error("1\n1 0\nnan 0\n"), "file:3:1: a feature is missing: 'nan' | replace missing values");
  EXPECT_EQ(error("1\n1 0\n0 0 nan\n"), "file:3:5: a feature is missing: 'nan' | replace missing values");
}

TEST(GinBad, ATargetThatIsNotThereIsRefused) {
  DataOptions options;
  options.targets = {"y"};
  EXPECT_EQ(error(kTwo, options), "usage: file has no target 'y' | its targets are class");
}

TEST(GinBad, AFolderOfSeveralFilesIsNotOneFile) {
  EXPECT_EQ(error_of_members(read_gin, {{"a.txt", kTwo}, {"b.txt", kTwo}}),
            "set holds 2 files, but this format is a single one | name one of them, such as set/a.txt");
  EXPECT_EQ(error_of_members(read_gin, {}), "set holds no files | check the path");
}

}  // namespace
}  // namespace agentnet
