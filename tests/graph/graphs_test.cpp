// The graph makers that other tests rely on.
#include "support/graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace agentnet {
namespace {

using testing::Each;
using testing::ElementsAre;

std::vector<std::uint64_t> degrees(const Graph& graph) {
  std::vector<std::uint64_t> degrees;
  for (std::uint64_t u = 0; u < graph.num_nodes(); ++u) degrees.push_back(graph.view().degree(u));
  return degrees;
}

std::vector<std::uint32_t> common_neighbours(const GraphView& view, std::uint32_t u, std::uint32_t v) {
  std::vector<std::uint32_t> both;
  std::ranges::set_intersection(view.neighbours_of(u), view.neighbours_of(v), std::back_inserter(both));
  return both;
}

TEST(GraphMakers, GiveTheDegreesOfTheirNames) {
  EXPECT_THAT(degrees(Graph(cycle_graph(5))), Each(2));
  EXPECT_THAT(degrees(Graph(path_graph(4))), ElementsAre(1, 2, 2, 1));
  EXPECT_THAT(degrees(Graph(star_graph(4))), ElementsAre(3, 1, 1, 1));
  EXPECT_THAT(degrees(Graph(complete_graph(6))), Each(5));
}

TEST(GraphMakers, RookAndShrikhandeAreStronglyRegularButNotTheSame) {
  const Graph rook(rook_4x4()), other(shrikhande());
  for (const Graph* graph : {&rook, &other}) {
    const GraphView view = graph->view();
    ASSERT_EQ(view.num_nodes, 16u);
    EXPECT_THAT(degrees(*graph), Each(6));
    for (std::uint32_t u = 0; u < 16; ++u) {
      for (std::uint32_t v = 0; v < 16; ++v) {
        if (u != v) {
          EXPECT_EQ(common_neighbours(view, u, v).size(), 2u);
        }
      }
    }
  }
  // Two common neighbours of neighbours are joined in the rook's graph (a row of four), never in Shrikhande's.
  for (std::uint32_t v : rook.view().neighbours_of(0)) {
    const auto both = common_neighbours(rook.view(), 0, v);
    EXPECT_TRUE(std::ranges::binary_search(rook.view().neighbours_of(both[0]), both[1]));
  }
  for (std::uint32_t v : other.view().neighbours_of(0)) {
    const auto both = common_neighbours(other.view(), 0, v);
    EXPECT_FALSE(std::ranges::binary_search(other.view().neighbours_of(both[0]), both[1]));
  }
}

TEST(GraphMakers, RegularGraphIsSimpleRegularAndSetByItsSeed) {
  for (const auto& [n, d] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{{4, 3}, {10, 3}, {50, 4}, {201, 6}}) {
    const Graph graph(regular_graph(n, d, 1));
    EXPECT_THAT(degrees(graph), Each(d));
    for (std::uint32_t u = 0; u < n; ++u) EXPECT_FALSE(std::ranges::binary_search(graph.view().neighbours_of(u), u));
  }
  EXPECT_EQ(regular_graph(50, 4, 1).to, regular_graph(50, 4, 1).to);
  EXPECT_NE(regular_graph(50, 4, 1).to, regular_graph(50, 4, 2).to);
  EXPECT_THROW(static_cast<void>(regular_graph(5, 3, 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(regular_graph(4, 4, 1)), std::invalid_argument);
}

TEST(GraphMakers, RandomGraphHasWhatWasAskedFor) {
  RandomSequence random(1, Purpose::kTest);
  const GraphParts plain = random_graph(random, 20, 0.3);
  const Graph simple(plain);
  EXPECT_EQ(simple.num_edges(), 2 * plain.from.size());  // nothing was merged, nothing is a self loop
  EXPECT_TRUE(plain.undirected);

  const GraphParts messy =
      random_graph(random, 20, 0.3, {.isolated_nodes = 3, .multi_edges = 1, .self_loops = 1, .directed = true});
  const Graph graph(messy);
  EXPECT_EQ(graph.num_nodes(), 23u);
  EXPECT_EQ(2 * graph.num_edges(), messy.from.size());  // every edge is listed twice
  EXPECT_FALSE(messy.undirected);
  for (std::uint32_t u = 0; u < 20; ++u) EXPECT_TRUE(std::ranges::binary_search(graph.view().neighbours_of(u), u));
  for (std::uint32_t u = 20; u < 23; ++u) EXPECT_EQ(graph.view().degree(u), 0u);
}

TEST(GraphMakers, FeaturesHaveTheAskedColumnsAndRanges) {
  RandomSequence random(1, Purpose::kTest);
  const GraphParts parts = with_features(
      cycle_graph(30), random,
      {.node_dense = 2, .node_categories = {3, 1}, .edge_dense = 1, .edge_categories = {4}, .double_precision = true});
  EXPECT_EQ(parts.node_dense64.size(), 60u);
  EXPECT_EQ(parts.edge_dense64.size(), 30u);
  EXPECT_TRUE(parts.node_dense.empty());
  ASSERT_EQ(parts.node_categories.size(), 60u);
  for (std::size_t i = 0; i < 60; i += 2) {
    EXPECT_LT(parts.node_categories[i], 3);
    EXPECT_EQ(parts.node_categories[i + 1], 0);
  }
  EXPECT_EQ(*std::ranges::max_element(parts.edge_categories), 3);
  EXPECT_EQ(Graph(parts).view().edge_categories.width, 1);
}

}  // namespace
}  // namespace agentnet
