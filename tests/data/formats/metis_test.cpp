#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "data/formats/readers.h"
#include "support/read_text.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;

Dataset read(const std::string& text) { return read_text_as(read_metis, text); }
std::string error(const std::string& text) { return error_of(read_metis, text); }

TEST(Metis, ARowListsTheNeighboursOfItsNode) {
  const Dataset data = read("% the graph of a path\n3 2\n2\n1 3\n% before the last row\n2\n");
  EXPECT_EQ(data.format, "metis");
  EXPECT_EQ(edges_of(data.graphs.view(0)), (Ends{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
}

TEST(Metis, AnEmptyRowIsANodeWithoutNeighbours) {
  const Dataset data = read("4 1\n3\n\n1\n\n");
  EXPECT_EQ(data.graphs.view(0).num_nodes, 4U);
  EXPECT_EQ(edges_of(data.graphs.view(0)), (Ends{{0, 2}, {2, 0}}));
}

TEST(Metis, EdgesMayHaveWeights) {
  const Dataset data = read("3 2 1\n2 5\n1 5 3 7\n2 7\n");
  EXPECT_THAT(data.schema.edges.dense, ElementsAre("weight"));
  EXPECT_THAT(edge_values(data.graphs.view(0)), ElementsAre(5, 5, 7, 7));
}

TEST(Metis, NodesMayHaveWeightsAndSizes) {
  const Dataset one = read("2 1 10\n4 2\n6 1\n");
  EXPECT_THAT(one.schema.nodes.dense, ElementsAre("weight"));
  EXPECT_THAT(node_values(one.graphs.view(0)), ElementsAre(4, 6));
  const Dataset all = read("2 1 111 2\n9 4 5 2 8\n1 6 7 1 8\n");
  EXPECT_THAT(all.schema.nodes.dense, ElementsAre("size", "weight0", "weight1"));
  EXPECT_THAT(node_values(all.graphs.view(0)), ElementsAre(9, 4, 5, 1, 6, 7));
  EXPECT_THAT(edge_values(all.graphs.view(0)), ElementsAre(8, 8));
}

TEST(Metis, WindowsLineEndsAndAByteOrderMarkAreAccepted) {
  EXPECT_EQ(edges_of(read("\xEF\xBB\xBF%\r\n2 1\r\n2\r\n1\r\n").graphs.view(0)), (Ends{{0, 1}, {1, 0}}));
}

TEST(Metis, WrongHeadersAreNamedWithTheirPlace) {
  EXPECT_EQ(error("% nothing\n"), "file:2:1: the file ends where the numbers of nodes and edges should be");
  EXPECT_EQ(error("0 0\n"), "file:1:1: the graph has no nodes | leave empty graphs out");
  EXPECT_EQ(error("5000000000 0\n"), "file:1:1: the graph has more than 2^32 nodes | split the graph");
  EXPECT_EQ(error("3\n"), "file:1:2: the line ends where its number of edges should be");
  EXPECT_EQ(error("2 1 12\n"),
            "file:1:5: the format '12' is not three digits 0 or 1 | node sizes, node weights, edge weights");
  EXPECT_EQ(error("2 1 1 2\n"),
            "file:1:7: nodes have 2 weights, but the format '1' none | the second of three digits says whether nodes "
            "have weights");
  EXPECT_EQ(error("2 1 10 1001\n"), "file:1:8: nodes have more than 1000 weights | check the header");
}

TEST(Metis, WrongCountsAreNamedWithTheirPlace) {
  EXPECT_EQ(error("3 2\n2\n1 3\n"), "file:4:1: the file ends after 2 of 3 nodes");
  EXPECT_EQ(error("2 1\n2\n1\n1\n"),
            "file:4:1: the file goes on after the last of its 2 nodes | correct the number of nodes");
  EXPECT_EQ(error("2 2\n2\n1\n"), "file:1:3: the header says 2 edges, but the rows list 1 | count every edge once");
}

TEST(Metis, WrongRowsAreNamedWithTheirPlace) {
  EXPECT_EQ(error("2 1\n2\n3\n"), "file:3:1: the neighbour 3 is not between 1 and 2 | nodes count from 1");
  EXPECT_EQ(error("2 1\n0\n1\n"), "file:2:1: the neighbour 0 is not between 1 and 2 | nodes count from 1");
  EXPECT_EQ(error("2 1\n2\n1 2\n"), "file:3:3: node 2 lists itself | METIS knows no self loops");
  EXPECT_EQ(error("2 1\n2 x\n1\n"), "file:2:3: the neighbour should be a whole number from 0, but is 'x'");
  EXPECT_EQ(error("2 1 1\n2\n1 1\n"), "file:2:2: the line ends where its edge weight should be");
  EXPECT_EQ(error("2 1 10\n\n1 1\n"), "file:2:1: the line ends where its node weight should be");
}

TEST(Metis, AnEdgeInOneRowOnlyIsNamed) {
  const std::string hint = " | list every edge in the rows of both of its nodes";
  EXPECT_EQ(error("3 2\n2\n1 3\n\n"), "file:3:1: node 2 lists node 3, which does not list it the same way" + hint);
  EXPECT_EQ(error("3 2\n2 3\n1\n\n"), "file:2:1: node 1 lists node 3, which does not list it the same way" + hint);
  EXPECT_EQ(error("2 1 1\n2 5\n1 6\n"),
            "file:2:1: node 1 lists node 2 with weight 5, which does not list it the same way" + hint);
}

}  // namespace
}  // namespace agentnet
