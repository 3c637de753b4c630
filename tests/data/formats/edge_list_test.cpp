#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "data/formats/readers.h"
#include "support/read_text.h"
#include "support/shared_dir.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Dataset read(const std::string& text, const DataOptions& options = {}) {
  return read_text_as(read_edge_list, text, options);
}
std::string error(const std::string& text) { return error_of(read_edge_list, text); }

DataOptions directed() {
  DataOptions options;
  options.direction = Direction::kDirected;
  return options;
}

TEST(EdgeList, CanBeWalkedBothWaysUnlessToldOtherwise) {
  const std::string text = "# a comment\n0\t1\n% another\n1 0\n1\t2\n\n";
  const Dataset both = read(text), one = read(text, directed());
  ASSERT_EQ(both.graphs.size(), 1U);
  EXPECT_EQ(both.format, "edgelist");
  EXPECT_EQ(both.schema.task, Task::kNone);
  EXPECT_EQ(edges_of(both.graphs.view(0)), (Ends{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
  EXPECT_EQ(edges_of(one.graphs.view(0)), (Ends{{0, 1}, {1, 0}, {1, 2}}));
}

TEST(EdgeList, IdsThatOccurAreNumberedInAscendingOrder) {
  EXPECT_EQ(edges_of(read("7 3\n3 12\n", directed()).graphs.view(0)), (Ends{{0, 2}, {1, 0}}));
  EXPECT_EQ(read("1 2\n2 3\n").graphs.view(0).num_nodes, 3U);
}

TEST(EdgeList, IdsMayUseAll64Bits) {
  const Dataset data = read("18446744073709551615 0\n9223372036854775808 18446744073709551615\n", directed());
  EXPECT_EQ(edges_of(data.graphs.view(0)), (Ends{{1, 2}, {2, 0}}));
}

TEST(EdgeList, ACommentThatCountsTheNodesAllowsForSomeWithoutEdges) {
  EXPECT_EQ(read("# Nodes: 6 Edges: 2\n0 1\n3 1\n").graphs.view(0).num_nodes, 6U);
  EXPECT_EQ(edges_of(read("# Nodes: 6 Edges: 2\n0 1\n3 1\n", directed()).graphs.view(0)), (Ends{{0, 1}, {3, 1}}));
  EXPECT_EQ(read("# Nodes: 3\n").graphs.view(0).num_nodes, 3U);
}

TEST(EdgeList, ACommentThatCannotCountTheseIdsIsOnlyAComment) {
  EXPECT_EQ(read("# Nodes: 3\n1 2\n2 3\n").graphs.view(0).num_nodes, 3U) << "numbered from 1";
  EXPECT_EQ(read("# Nodes: many\n0 5\n").graphs.view(0).num_nodes, 2U);
  EXPECT_EQ(read("# Nodes: 4000000000\n0 1\n").graphs.view(0).num_nodes, 2U) << "32 GB for two nodes";
}

TEST(EdgeList, AThirdColumnIsTheWeight) {
  const Dataset data = read("0 1 0.5\n2 1 -3e2\n");
  EXPECT_THAT(data.schema.edges.dense, ElementsAre("weight"));
  EXPECT_EQ(edges_of(data.graphs.view(0)), (Ends{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
  EXPECT_THAT(edge_values(data.graphs.view(0)), ElementsAre(0.5F, 0.5F, -300, -300));
}

TEST(EdgeList, AListedReverseKeepsItsOwnWeight) {
  EXPECT_THAT(edge_values(read("0 1 0.5\n1 0 2\n").graphs.view(0)), ElementsAre(0.5F, 2));
}

TEST(EdgeList, WeightsCanBeCategories) {
  DataOptions options;
  options.edge_features = FeatureKind::kCategories;
  const Dataset data = read("0 1 4\n1 2 7\n", options);
  ASSERT_EQ(data.schema.edges.categories.size(), 1U);
  EXPECT_THAT(data.schema.edges.categories[0].values, ElementsAre("4", "7"));
  EXPECT_THAT(data.schema.edges.dense, IsEmpty());
}

TEST(EdgeList, CommasSeparateAndNamesMayComeFirst) {
  EXPECT_EQ(edges_of(read("0,1\n1, 2\n", directed()).graphs.view(0)), (Ends{{0, 1}, {1, 2}}));
  const Dataset data = read("from,to,strength\n0,1,2.5\n", directed());
  EXPECT_EQ(edges_of(data.graphs.view(0)), (Ends{{0, 1}}));
  EXPECT_THAT(data.schema.edges.dense, ElementsAre("strength"));
}

TEST(EdgeList, SelfLoopsStayAndRepeatedEdgesAreOne) {
  EXPECT_EQ(edges_of(read("0 0\n0 1\n0 1\n").graphs.view(0)), (Ends{{0, 0}, {0, 1}, {1, 0}}));
}

TEST(EdgeList, WindowsLineEndsAndAByteOrderMarkAreAccepted) {
  EXPECT_EQ(edges_of(read("\xEF\xBB\xBF# Nodes: 2\r\n0\t1\r\n", directed()).graphs.view(0)), (Ends{{0, 1}}));
}

TEST(EdgeList, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_EQ(error("0 1\n1 x\n"), "file:2:3: the second node id should be a whole number from 0, but is 'x'");
  EXPECT_EQ(error("0 1\n-1 0\n"), "file:2:1: the first node id should be a whole number from 0, but is '-1'");
  EXPECT_EQ(error("0 18446744073709551616\n"),
            "file:1:3: the second node id should be a whole number from 0, but is '18446744073709551616'");
  EXPECT_EQ(error("0 1\n2\n"), "file:2:2: the line ends where its second node id should be");
  EXPECT_EQ(error("0 1\n1 2 3\n"), "file:2:5: there is more on the line than two node ids, as the first line: '3'");
  EXPECT_EQ(error("0 1 2\n1 2\n"), "file:2:4: the line ends where its weight should be");
  EXPECT_EQ(error("0 1 2 3\n"), "file:1:7: there is more on the line than two node ids and a weight: '3'");
  EXPECT_EQ(error("0 1 nan\n"), "file:1:5: a feature is missing: 'nan' | replace missing values");
  EXPECT_EQ(error("a,b,c,d\n0,1,2,3\n"),
            "file:1:1: the names should be those of two node ids and at most a weight | leave further columns out");
  EXPECT_EQ(error("# nothing\n"), "file:2:1: the graph has no nodes | leave empty graphs out");
}

TEST(SingleGraphs, AreRecognisedByTheirContentOrTheirName) {
  const TempFolder folder;
  const auto format_of = [&](const std::string& name, const std::string& text) {
    write_text(folder / name, text);
    return read_data((folder / name).string(), {}).format;
  };
  EXPECT_EQ(format_of("a.txt", "# SNAP\n0\t1\n"), "edgelist");
  EXPECT_EQ(format_of("a.csv", "0,1\n1,2\n"), "edgelist");
  EXPECT_EQ(format_of("a.dat", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"), "matrixmarket");
  EXPECT_EQ(format_of("a.graph", "2 1\n2\n1\n"), "metis");
  EXPECT_EQ(format_of("a.xml", "<graphml><graph edgedefault='directed'><node id='1'/></graph></graphml>"), "graphml");
}

struct Published {
  const char* file;
  std::uint64_t nodes, directed_edges, undirected_edges;  // a self loop counts once
};

class PublishedEdgeList : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedEdgeList, HasTheCountsOfItsHeader) {
  const auto shared = shared_dir();
  if (!shared) GTEST_SKIP() << kNoSharedDir;
  const auto path = *shared / "data" / "GRAPHS" / GetParam().file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const Dataset one = read_edge_list(Input::open(path), directed());
  EXPECT_EQ(one.graphs.view(0).num_nodes, GetParam().nodes);
  EXPECT_EQ(one.graphs.view(0).num_edges(), GetParam().directed_edges);
  const Dataset both = read_edge_list(Input::open(path), {});
  EXPECT_EQ(both.graphs.view(0).num_nodes, GetParam().nodes);
  EXPECT_EQ(both.graphs.view(0).num_edges(), GetParam().undirected_edges);
}

INSTANTIATE_TEST_SUITE_P(Snap, PublishedEdgeList,
                         ::testing::Values(Published{"ego-Twitter-undirected.txt.xz", 81306, 1342310, 2684606},
                                           Published{"email-Enron.txt.xz", 36692, 367662, 367662},
                                           Published{"soc-Epinions1.txt.xz", 75879, 508837, 811480},
                                           Published{"web-NotreDame.txt.xz", 325729, 1497134, 2207671}),
                         [](const auto& param_info) {
                           std::string name = param_info.param.file;
                           std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
                           return name;
                         });

}  // namespace
}  // namespace agentnet
