#include "graph/graph_without.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace agentnet {
namespace {

using testing::ElementsAre;

// 0 - 1 - 2 - 3, the edge 1 - 2 given twice, and a loop on 3.
Graph example() {
  GraphParts parts;
  parts.num_nodes = 4;
  parts.from = {0, 1, 2, 2, 3};
  parts.to = {1, 2, 1, 3, 3};
  parts.undirected = true;
  parts.node_dense = {0, 10, 20, 30};
  parts.node_categories = {4, 5, 6, 7};
  parts.edge_categories = {1, 2, 3, 4, 5};
  return Graph(std::move(parts));
}

std::vector<int> categories_of(const GraphView& view, std::uint64_t from, std::uint64_t to) {
  std::vector<int> found;
  for (std::uint64_t e = view.offsets[from]; e < view.offsets[from + 1]; ++e) {
    if (view.neighbour(e) != to) continue;
    for (auto [r, last_row] = view.edge_rows_of(e); r < last_row; ++r) {
      found.push_back(view.edge_categories.value(r, 0));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(GraphWithout, NodesTakeTheirEdgesWithThemAndTheOthersKeepTheirFeatures) {
  const Graph graph = example();
  const Graph rest = graph_without_nodes(graph.view(), std::vector<char>{1, 0, 0, 0});
  const GraphView view = rest.view();
  ASSERT_EQ(view.num_nodes, 3U);
  EXPECT_THAT(view.neighbours_of(0), ElementsAre(1));
  EXPECT_THAT(view.neighbours_of(1), ElementsAre(0, 2));
  EXPECT_THAT(view.neighbours_of(2), ElementsAre(1, 2));
  EXPECT_EQ(view.node_dense.f32[0], 10);
  EXPECT_EQ(view.node_categories.value(2, 0), 7);
  EXPECT_THAT(categories_of(view, 0, 1), ElementsAre(2, 3));
  EXPECT_THAT(categories_of(view, 1, 0), ElementsAre(2, 3));
  EXPECT_THAT(categories_of(view, 2, 2), ElementsAre(5));
}

TEST(GraphWithout, AnEdgeGoesInBothDirections) {
  const Graph graph = example();
  const Graph rest = graph_without_edge(graph.view(), 2, 1, /*both_directions=*/true);
  const GraphView view = rest.view();
  EXPECT_EQ(view.num_nodes, 4U);
  EXPECT_THAT(view.neighbours_of(1), ElementsAre(0));
  EXPECT_THAT(view.neighbours_of(2), ElementsAre(3));
  EXPECT_THAT(categories_of(view, 0, 1), ElementsAre(1));
}

TEST(GraphWithout, OrInOneOnly) {
  const Graph graph = example();
  const Graph rest = graph_without_edge(graph.view(), 2, 1, /*both_directions=*/false);
  const GraphView view = rest.view();
  EXPECT_THAT(view.neighbours_of(1), ElementsAre(0, 2));
  EXPECT_THAT(view.neighbours_of(2), ElementsAre(3));
}

TEST(GraphWithout, ASingleNodeMayBeLeft) {
  const Graph graph = example();
  const Graph rest = graph_without_nodes(graph.view(), std::vector<char>{1, 1, 0, 1});
  EXPECT_EQ(rest.num_nodes(), 1U);
  EXPECT_EQ(rest.num_edges(), 0U);
}

}  // namespace
}  // namespace agentnet
