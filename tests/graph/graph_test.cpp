#include "agentnet/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "support/graphs.h"

namespace agentnet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

GraphParts directed(std::uint64_t n, std::vector<std::uint32_t> from, std::vector<std::uint32_t> to) {
  GraphParts parts;
  parts.num_nodes = n;
  parts.from = std::move(from);
  parts.to = std::move(to);
  return parts;
}

// The feature rows of one merged edge.
std::vector<float> dense_rows(const GraphView& view, std::uint64_t edge) {
  std::vector<float> values;
  for (auto [row, last_row] = view.edge_rows_of(edge); row < last_row; ++row) {
    std::vector<float> one(static_cast<std::size_t>(view.edge_dense.width));
    view.edge_dense.copy(row, one.data());
    values.insert(values.end(), one.begin(), one.end());
  }
  return values;
}

TEST(Graph, EdgesLeadFromTheFirstEndToTheSecondOnly) {
  const Graph graph(directed(3, {0, 0}, {1, 2}));
  const GraphView view = graph.view();
  EXPECT_THAT(view.neighbours_of(0), ElementsAre(1, 2));
  EXPECT_THAT(view.neighbours_of(1), IsEmpty());
  EXPECT_EQ(view.degree(0), 2u);
  EXPECT_EQ(graph.num_edges(), 2u);
}

TEST(Graph, UndirectedEdgesLeadBothWays) {
  const Graph graph(star_graph(4));
  EXPECT_THAT(graph.view().neighbours_of(0), ElementsAre(1, 2, 3));
  EXPECT_THAT(graph.view().neighbours_of(3), ElementsAre(0));
  EXPECT_EQ(graph.num_edges(), 6u);
}

TEST(Graph, NeighboursAreSortedAndDistinct) {
  const Graph graph(directed(4, {0, 0, 0, 0, 0}, {3, 1, 3, 2, 1}));
  EXPECT_THAT(graph.view().neighbours_of(0), ElementsAre(1, 2, 3));
}

TEST(Graph, SelfLoopCountsOnceEvenIfUndirected) {
  GraphParts parts = directed(2, {0, 0}, {0, 1});
  parts.undirected = true;
  parts.edge_dense = {5, 6};
  const Graph graph(parts);
  EXPECT_THAT(graph.view().neighbours_of(0), ElementsAre(0, 1));
  EXPECT_EQ(graph.num_edges(), 3u);
  EXPECT_THAT(dense_rows(graph.view(), 0), ElementsAre(5));
}

TEST(Graph, SingleNodeNeedsNoEdges) {
  const Graph graph(path_graph(1));
  EXPECT_EQ(graph.num_nodes(), 1u);
  EXPECT_EQ(graph.num_edges(), 0u);
  EXPECT_THAT(graph.view().neighbours_of(0), IsEmpty());
}

TEST(Graph, DefaultConstructedIsEmpty) {
  const Graph graph;
  EXPECT_EQ(graph.num_nodes(), 0u);
  EXPECT_EQ(graph.view().num_edges(), 0u);
}

TEST(Graph, EdgeFeaturesFollowTheirEdges) {
  GraphParts parts = directed(3, {2, 0, 0}, {1, 2, 1});
  parts.edge_dense = {20, 21, 2, 3, 1, 1.5};
  parts.edge_categories = {7, 8, 9};
  const Graph graph(parts);
  const GraphView view = graph.view();
  EXPECT_EQ(view.edge_rows, nullptr);
  EXPECT_THAT(dense_rows(view, 0), ElementsAre(1, 1.5));  // 0 -> 1
  EXPECT_THAT(dense_rows(view, 1), ElementsAre(2, 3));    // 0 -> 2
  EXPECT_THAT(dense_rows(view, 2), ElementsAre(20, 21));  // 2 -> 1
  EXPECT_THAT(view.edge_categories.row(0), ElementsAre(9));
  EXPECT_THAT(view.edge_categories.row(2), ElementsAre(7));
}

TEST(Graph, ReverseOfAnUndirectedEdgeHasTheSameFeatures) {
  GraphParts parts = path_graph(3);
  parts.edge_dense = {1, 2};
  const Graph graph(parts);
  const GraphView view = graph.view();  // 0 -> 1, 1 -> 0, 1 -> 2, 2 -> 1
  for (const auto& [edge, value] : std::map<std::uint64_t, float>{{0, 1.f}, {1, 1.f}, {2, 2.f}, {3, 2.f}}) {
    EXPECT_THAT(dense_rows(view, edge), ElementsAre(value));
  }
}

TEST(Graph, MergedEdgesKeepAllTheirRowsInTheOrderOfTheList) {
  GraphParts parts = directed(3, {0, 0, 1, 0, 0}, {2, 1, 0, 2, 2});
  parts.edge_dense = {10, 20, 30, 40, 50};
  const Graph graph(parts);
  const GraphView view = graph.view();
  ASSERT_NE(view.edge_rows, nullptr);
  EXPECT_EQ(view.num_edges(), 3u);
  EXPECT_THAT(dense_rows(view, 0), ElementsAre(20));          // 0 -> 1
  EXPECT_THAT(dense_rows(view, 1), ElementsAre(10, 40, 50));  // 0 -> 2
  EXPECT_THAT(dense_rows(view, 2), ElementsAre(30));          // 1 -> 0
}

TEST(Graph, EdgeListedInBothDirectionsOfAnUndirectedGraphIsMerged) {
  GraphParts parts = directed(2, {0, 1}, {1, 0});
  parts.undirected = true;
  parts.edge_dense = {1, 2};
  const Graph graph(parts);
  EXPECT_EQ(graph.num_edges(), 2u);
  EXPECT_THAT(dense_rows(graph.view(), 0), ElementsAre(1, 2));
  EXPECT_THAT(dense_rows(graph.view(), 1), ElementsAre(1, 2));
}

TEST(Graph, MultiplicityIsForgottenWithoutEdgeFeatures) {
  const Graph graph(directed(2, {0, 0}, {1, 1}));
  EXPECT_EQ(graph.num_edges(), 1u);
  EXPECT_EQ(graph.view().edge_rows, nullptr);
}

TEST(Graph, DoublePrecisionFeaturesAreReadInsteadOfSingleOnes) {
  GraphParts parts = path_graph(2);
  parts.node_dense64 = {0.1, 0.2, 0.3, 0.4};
  parts.edge_dense64 = {0.5};
  const Graph graph(parts);
  const GraphView view = graph.view();
  ASSERT_EQ(view.node_dense.width, 2);
  std::vector<double> row(2);
  view.node_dense.copy(1, row.data());
  EXPECT_THAT(row, ElementsAre(0.3, 0.4));
  view.edge_dense.copy(1, row.data());
  EXPECT_EQ(row[0], 0.5);
  EXPECT_EQ(view.node_dense.f32, nullptr);
}

TEST(Graph, NodeFeaturesStayInNodeOrder) {
  GraphParts parts = cycle_graph(3);
  parts.node_dense = {1, 2, 3};
  parts.node_categories = {4, 5, 6, 7, 8, 9};
  const Graph graph(parts);
  EXPECT_EQ(graph.view().node_categories.width, 2);
  EXPECT_THAT(graph.view().node_categories.row(1), ElementsAre(6, 7));
  float value = 0;
  graph.view().node_dense.copy(2, &value);
  EXPECT_EQ(value, 3);
}

TEST(Graph, ThatWasMovedFromHasNoView) {
  GraphParts parts;
  parts.num_nodes = 3;
  parts.from = {0, 1};
  parts.to = {1, 2};
  Graph graph(parts);
  const Graph taken = std::move(graph);
  EXPECT_EQ(taken.view().num_edges(), 2U);
  EXPECT_THROW(static_cast<void>(graph.view()), std::logic_error);  // NOLINT(bugprone-use-after-move): the test
}

TEST(Graph, ViewSurvivesAMoveOfTheGraph) {
  Graph graph(cycle_graph(5));
  const GraphView view = graph.view();
  const Graph moved = std::move(graph);
  EXPECT_THAT(view.neighbours_of(0), ElementsAre(1, 4));
  EXPECT_EQ(moved.view().neighbours, view.neighbours);
}

struct BadParts {
  std::string name;
  GraphParts parts;
  std::string message;
};

std::ostream& operator<<(std::ostream& out, const BadParts& bad) { return out << bad.name; }

GraphParts changed(GraphParts parts, const std::function<void(GraphParts&)>& change) {
  change(parts);
  return parts;
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class BadGraph : public testing::TestWithParam<BadParts> {};
INSTANTIATE_TEST_SUITE_P(
    Ways, BadGraph,
    testing::Values(
        BadParts{"NoNodes", {}, "the graph has no nodes"},
        BadParts{"TooManyNodes", directed((std::uint64_t{1} << 32) + 1, {}, {}),
                 "the graph has 4294967297 nodes, more than 2^32"},
        BadParts{"FirstEndOutOfRange", directed(3, {0, 3}, {1, 0}),
                 "edge 1 goes from node 3 to node 0, but the graph's nodes are 0 to 2"},
        BadParts{"SecondEndOutOfRange", directed(1, {0}, {1}),
                 "edge 0 goes from node 0 to node 1, but the graph's nodes are 0 to 0"},
        BadParts{"UnequalEnds", directed(3, {0, 1}, {1}), "the edge list has 2 first ends but 1 second ends"},
        BadParts{"NodeFeaturesDoNotDivide",
                 changed(path_graph(3),
                         [](auto& p) {
                           p.node_dense = {1, 2, 3, 4};
                         }),
                 "the dense node features have 4 values, which do not divide into 3 rows"},
        BadParts{"NodeCategoriesDoNotDivide", changed(path_graph(3), [](auto& p) { p.node_categories = {1}; }),
                 "the categorical node features have 1 values, which do not divide into 3 rows"},
        BadParts{"EdgeFeaturesDoNotDivide",
                 changed(path_graph(3),
                         [](auto& p) {
                           p.edge_dense = {1, 2, 3};
                         }),
                 "the dense edge features have 3 values, which do not divide into 2 rows"},
        BadParts{"EdgeFeaturesWithoutEdges", changed(path_graph(1), [](auto& p) { p.edge_categories = {1}; }),
                 "the categorical edge features have 1 values, which do not divide into 0 rows"},
        BadParts{"NodeFeatureIsNan",
                 changed(path_graph(2),
                         [](auto& p) {
                           p.node_dense = {1, 2, 3, kNan};
                         }),
                 "node 1, dense feature 1 is nan"},
        BadParts{"EdgeFeatureIsInfinite",
                 changed(path_graph(3),
                         [](auto& p) {
                           p.edge_dense = {1, -1 / 0.f};
                         }),
                 "edge 1, dense feature 0 is -inf"},
        BadParts{"DoubleFeatureIsNan",
                 changed(path_graph(2),
                         [](auto& p) {
                           p.node_dense64 = {kNan, 2};
                         }),
                 "node 0, dense feature 0 is nan"},
        BadParts{"NodeCategoryIsNegative",
                 changed(path_graph(2),
                         [](auto& p) {
                           p.node_categories = {0, 1, -2, 3};
                         }),
                 "node 1, categorical feature 0 is -2"},
        BadParts{"EdgeCategoryIsNegative",
                 changed(path_graph(2),
                         [](auto& p) {
                           p.edge_categories = {3, -1};
                         }),
                 "edge 0, categorical feature 1 is -1"},
        BadParts{"BothPrecisions",
                 changed(path_graph(2),
                         [](auto& p) {
                           p.edge_dense = {1};
                           p.edge_dense64 = {1};
                         }),
                 "the dense edge features are given in single and in double precision"}),
    [](const auto& test) { return test.param.name; });

TEST_P(BadGraph, IsRefusedWithAReason) {
  try {
    const Graph graph(GetParam().parts);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

// The definition, with maps: for every pair of nodes, the feature rows of the edges from one to the other.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<float>> plain_edges(const GraphParts& parts) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<float>> edges;
  for (std::size_t i = 0; i < parts.from.size(); ++i) {
    edges[{parts.from[i], parts.to[i]}].push_back(parts.edge_dense[i]);
    if (parts.undirected && parts.from[i] != parts.to[i]) {
      edges[{parts.to[i], parts.from[i]}].push_back(parts.edge_dense[i]);
    }
  }
  return edges;
}

RC_GTEST_PROP(Graph, HoldsExactlyTheListedEdgesAndRows, (std::uint64_t seed, bool directed_graph)) {
  RandomSequence random(seed, Purpose::kTest);
  const RandomGraphOptions options = {.isolated_nodes = static_cast<std::uint32_t>(random.below(3)),
                                      .multi_edges = random.uniform(),
                                      .self_loops = random.uniform(),
                                      .directed = directed_graph};
  const auto n = static_cast<std::uint32_t>(1 + random.below(12));
  GraphParts parts = random_graph(random, n, random.uniform(), options);
  parts = with_features(parts, random, {.edge_dense = 1});
  const auto expected = plain_edges(parts);

  const Graph graph(parts);
  const GraphView view = graph.view();
  RC_ASSERT(view.num_nodes == parts.num_nodes);
  RC_ASSERT(view.num_edges() == expected.size());
  auto next = expected.begin();  // the map has the same order: by node, then by neighbour
  for (std::uint32_t u = 0; u < view.num_nodes; ++u) {
    for (std::uint64_t e = view.offsets[u]; e < view.offsets[u + 1]; ++e, ++next) {
      RC_ASSERT(next->first == std::make_pair(u, view.neighbours[e]));
      RC_ASSERT(next->second == dense_rows(view, e));
    }
  }
}

}  // namespace
}  // namespace agentnet
