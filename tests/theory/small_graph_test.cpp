#include "theory/judges/small_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "agentnet/error.h"
#include "theory/judges/judges.h"

namespace agentnet::theory {
namespace {

using testing::HasSubstr;

TEST(ConnectedGraphs, AreAsManyAsKnownConnectedAndPairwiseNotIsomorphic) {
  const std::array<std::size_t, 8> known = {0, 1, 1, 2, 6, 21, 112, 853};  // OEIS A001349
  for (int n = 1; n <= kMostListed; ++n) {
    const std::vector<SmallGraph> graphs = connected_graphs(n);
    EXPECT_EQ(graphs.size(), known[static_cast<std::size_t>(n)]);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      EXPECT_EQ(graphs[i].nodes, n);
      EXPECT_EQ(graphs[i].ball(0, n), (1u << n) - 1);
      for (std::size_t j = 0; j < i && n < 7; ++j) EXPECT_FALSE(isomorphic(graphs[i], graphs[j]));
    }
  }
  EXPECT_THROW((void)connected_graphs(8), Error);
}

// The list in the repository is what the tool says, where the tool is installed.
TEST(ConnectedGraphs, AreThoseThatGengLists) {
  if (std::system("command -v nauty-geng > /dev/null") != 0) GTEST_SKIP() << "nauty is not installed";
  for (int n = 1; n <= kMostListed; ++n) {
    const std::string command = "nauty-geng -cq " + std::to_string(n);
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    ASSERT_NE(pipe, nullptr);
    std::string text;
    for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) text += static_cast<char>(c);
    const auto listed = read_graph6(text, "geng");
    const auto ours = connected_graphs(n);
    ASSERT_EQ(listed.size(), ours.size());
    for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_EQ(to_graph6(listed[i]), to_graph6(ours[i]));
  }
}

TEST(Graph6, GoesThereAndBack) {
  for (const SmallGraph& graph : {small_path(1), small_path(2), small_rook(), small_shrikhande(), small_cycle(31)}) {
    const SmallGraph again = from_graph6(to_graph6(graph));
    EXPECT_EQ(again.nodes, graph.nodes);
    EXPECT_EQ(again.rows, graph.rows);
  }
  EXPECT_EQ(to_graph6(small_complete(4)), "C~");
}

TEST(Graph6, SaysWhatIsWrongAndWhere) {
  for (const char* bad : {"D", "C~~", "C!", "`", "?"}) EXPECT_THROW((void)from_graph6(bad), Error) << bad;
  try {
    (void)read_graph6(">>graph6<<C~\nBw\r\n\nC\n", "list.g6");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("list.g6:4: not graph6: 1 characters for 4 nodes"));
    EXPECT_EQ(error.kind(), ErrorKind::kData);
  }
}

TEST(SmallGraph, BallsAndInducedSubgraphs) {
  const SmallGraph path = small_path(5);
  EXPECT_EQ(path.ball(1, 1), 0b00111u);
  EXPECT_EQ(path.ball(0, 3), 0b01111u);
  EXPECT_TRUE(isomorphic(small_cycle(5).induced(0b11011), small_path(4)));
  const Graph graph = path.graph();
  EXPECT_EQ(graph.num_nodes(), 5u);
  EXPECT_EQ(graph.num_edges(), 8u);
}

}  // namespace
}  // namespace agentnet::theory
