#include "theory/judges/judges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace agentnet::theory {
namespace {

using testing::ElementsAre;

TEST(Isomorphic, MindsRootsLabelsAndEdges) {
  EXPECT_TRUE(isomorphic(small_path(4), from_graph6(to_graph6(small_path(4)))));
  EXPECT_FALSE(isomorphic(small_path(4), small_star(3)));
  EXPECT_FALSE(isomorphic(small_path(4), small_path(4), 0, 1));
  EXPECT_TRUE(isomorphic(small_path(4), small_path(4), 0, 3));
  SmallGraph labelled = small_path(3);
  labelled.labels[0] = 1;
  SmallGraph other = small_path(3);
  other.labels[2] = 1;
  EXPECT_TRUE(isomorphic(labelled, other));
  other.labels = {0, 1, 0};
  EXPECT_FALSE(isomorphic(labelled, other));
  EXPECT_FALSE(isomorphic(small_rook(), small_shrikhande()));
}

TEST(Counts, OfKnownGraphs) {
  EXPECT_THAT(count_cliques(small_complete(4), 2), ElementsAre(0, 1, 3, 3, 1));
  EXPECT_EQ(count_cliques(small_rook(), 5)[4], 2u);        // its row and its column
  EXPECT_EQ(count_cliques(small_shrikhande(), 5)[4], 0u);  // has none
  EXPECT_EQ(count_cycles(small_complete(5), 0, 3), 6u);
  EXPECT_EQ(count_cycles(small_complete(5), 0, 5), 12u);
  EXPECT_EQ(count_cycles(small_cycle(6), 3, 6), 1u);
  EXPECT_EQ(count_cycles(small_cycle(6), 3, 4), 0u);
  EXPECT_EQ(count_induced(small_star(4), 0, small_path(3), 1), 6u);
  EXPECT_EQ(count_induced(small_star(4), 1, small_path(3), 0), 3u);
  EXPECT_EQ(count_induced(small_complete(4), 0, small_path(3), 1), 0u);
}

TEST(Refinement, FindsWhatItShouldAndNoMore) {
  // Two triangles and a hexagon: 1-WL sees 2-regular graphs; pairs see the difference.
  SmallGraph triangles = small_path(6);
  triangles.rows = {};
  for (const int first : {0, 3}) {
    triangles.join(first, first + 1);
    triangles.join(first + 1, first + 2);
    triangles.join(first, first + 2);
  }
  EXPECT_FALSE(told_apart_by_1wl(triangles, small_cycle(6)));
  EXPECT_TRUE(told_apart_by_2fwl(triangles, small_cycle(6)));
  EXPECT_TRUE(told_apart_by_1wl(small_path(4), small_star(3)));
  EXPECT_FALSE(told_apart_by_1wl(small_rook(), small_shrikhande()));
  EXPECT_FALSE(told_apart_by_2fwl(small_rook(), small_shrikhande()));
  SmallGraph labelled = small_cycle(6);
  labelled.labels[0] = 1;
  EXPECT_TRUE(told_apart_by_1wl(labelled, small_cycle(6)));
  EXPECT_TRUE(told_apart_by_2fwl(labelled, small_cycle(6)));
}

TEST(Refinement, SubgraphCountsSeeSubgraphsOfTheirSize) {
  EXPECT_FALSE(told_apart_by_subgraph_counts(small_wheel(1, 8), small_wheel(2, 4), 3));
  EXPECT_TRUE(told_apart_by_subgraph_counts(small_wheel(1, 8), small_wheel(2, 4), 4));
}

// Colour refinement never tells isomorphic graphs apart, and pairs see all that nodes see.
TEST(Refinement, IsOrderedOnAllSmallGraphs) {
  const auto graphs = connected_graphs(5);
  for (const SmallGraph& g : graphs) {
    for (const SmallGraph& h : graphs) {
      const bool by_nodes = told_apart_by_1wl(g, h), by_pairs = told_apart_by_2fwl(g, h);
      EXPECT_TRUE(by_pairs || !by_nodes);
      EXPECT_TRUE(&g != &h || !by_pairs);
    }
  }
}

}  // namespace
}  // namespace agentnet::theory
