#include "model/terrain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/random.h"
#include "support/graphs.h"

namespace agentnet {
namespace {

using testing::ElementsAre;

GraphView nodes_only(std::uint64_t n) {
  GraphView view;
  view.num_nodes = n;
  return view;
}

// Small graphs have an array, large ones share a hash table: nobody must see a difference.
TEST(RowMap, IsTheSameMapForSmallAndLargeGraphs) {
  const std::vector<GraphView> graphs = {nodes_only(10), nodes_only(std::uint64_t{1} << 32), nodes_only(1),
                                         nodes_only(100000), nodes_only(40)};
  RowMap map;
  for (const std::uint64_t visits : {10u, 1u, 100u}) {  // which of them are small changes from shard to shard
    map.begin(graphs, visits);
    std::map<std::pair<Index, std::uint64_t>, Index> expected;
    RandomSequence random(visits, Purpose::kTest);
    for (Index row = 0; row < 3000; ++row) {
      const auto graph = static_cast<Index>(random.below(graphs.size()));
      // Few distinct nodes, at both ends, so that many are asked for again and neighbours in memory are hit.
      const std::uint64_t n = graphs[static_cast<std::size_t>(graph)].num_nodes;
      const std::uint64_t low = random.below(std::min<std::uint64_t>(n, 50));
      const std::uint64_t node = random.below(2) == 0 ? low : n - 1 - low;
      const auto known = expected.find({graph, node});
      Index& found = map.at(graph, node);
      ASSERT_EQ(found, known != expected.end() ? known->second : kNone) << "graph " << graph << ", node " << node;
      if (found == kNone) found = expected[{graph, node}] = row;
    }
  }
}

TEST(RowMap, HoldsNoArrayForALargeGraph) {
  RowMap map;
  map.begin(std::vector<GraphView>{nodes_only(1000)}, 1000);
  EXPECT_GE(map.memory(), 1000 * sizeof(Index));
  RowMap other;
  other.begin(std::vector<GraphView>{nodes_only(std::uint64_t{1} << 32)}, 1000);
  other.at(0, 5) = 1;
  EXPECT_LT(other.memory(), 1000u);
}

// Nodes 0..3: a path, 2 with a loop of its own, and 4 on its own.
Graph looped_path(bool edge_features) {
  GraphParts parts = path_graph(4);
  parts.num_nodes = 5;
  parts.from.push_back(2);
  parts.to.push_back(2);
  if (edge_features) parts.edge_dense.assign(parts.from.size(), 0.5f);
  return Graph(std::move(parts));
}

// The node ids of a place's candidates.
std::vector<std::uint64_t> candidates_of(const Terrain<float>& terrain, Index row) {
  const Place& place = terrain.place(row);
  std::vector<std::uint64_t> nodes;
  for (Index c = 0; c < place.candidates; ++c) nodes.push_back(terrain.node_of(terrain.candidates(place)[c]));
  return nodes;
}

TEST(Terrain, APlaceListsItsNeighboursAndThenItself) {
  const Graph graph = looped_path(false);
  const std::vector<GraphView> graphs = {graph.view()};
  ModelConfig config;
  Terrain<float> terrain;
  terrain.begin(config, graphs);
  const Index one = terrain.observe(0, 1), two = terrain.observe(0, 2), alone = terrain.observe(0, 4);
  EXPECT_EQ(terrain.observe(0, 2), two) << "a node has one row";
  for (const Index row : {one, two, alone}) terrain.visit(row);
  EXPECT_THAT(candidates_of(terrain, one), ElementsAre(0, 2, 1));
  EXPECT_EQ(terrain.place(one).self, 2);
  EXPECT_THAT(candidates_of(terrain, two), ElementsAre(1, 2, 3)) << "a loop of its own is enough to stay";
  EXPECT_EQ(terrain.place(two).self, 1);
  EXPECT_THAT(candidates_of(terrain, alone), ElementsAre(4));
  EXPECT_EQ(terrain.rows(), 5) << "0 and 3 were observed beside 1 and 2";
  EXPECT_EQ(terrain.edge_rows(), 0);
}

TEST(Terrain, WithoutSelfLoopsOnlyTheDatasOwnAreStays) {
  const Graph graph = looped_path(false);
  const std::vector<GraphView> graphs = {graph.view()};
  ModelConfig config;
  config.self_loops = false;
  Terrain<float> terrain;
  terrain.begin(config, graphs);
  for (const std::uint64_t node : {1, 2, 4}) terrain.visit(terrain.observe(0, node));
  EXPECT_THAT(candidates_of(terrain, terrain.observe(0, 1)), ElementsAre(0, 2));
  EXPECT_EQ(terrain.place(terrain.observe(0, 1)).self, kNone);
  EXPECT_THAT(candidates_of(terrain, terrain.observe(0, 2)), ElementsAre(1, 2, 3));
  EXPECT_THAT(candidates_of(terrain, terrain.observe(0, 4)), ElementsAre());
}

TEST(Terrain, StayingHasAnEdgeThatIsNotTheLoopOfTheData) {
  const Graph graph = looped_path(true);
  const std::vector<GraphView> graphs = {graph.view()};
  ModelConfig config;
  config.edge_features = 1;
  Terrain<float> terrain;
  terrain.begin(config, graphs);
  const Index two = terrain.observe(0, 2);
  terrain.visit(two);
  const Place& place = terrain.place(two);
  EXPECT_EQ(terrain.edge_rows(), 4) << "to 1, 2 and 3, and of staying";
  for (Index c = 0; c < place.degree; ++c) {
    const EdgeOrigin& origin = terrain.edge_origin(place.first_edge + c);
    EXPECT_FALSE(origin.loop);
    EXPECT_EQ(graphs[0].neighbours[origin.entry], terrain.node_of(terrain.candidates(place)[c]));
  }
  const EdgeOrigin& stay = terrain.edge_origin(terrain.edge_of(place, place.self));
  EXPECT_TRUE(stay.loop);
  EXPECT_EQ(stay.own, place.first_edge + place.self);
}

TEST(Terrain, StartsOverForEveryShard) {
  const Graph graph = looped_path(false);
  const std::vector<GraphView> two_graphs = {graph.view(), graph.view()}, one_graph = {graph.view()};
  ModelConfig config;
  Terrain<float> terrain;
  terrain.begin(config, two_graphs);
  terrain.visit(terrain.observe(1, 3));
  EXPECT_EQ(terrain.graph_of(0), 1);
  terrain.begin(config, one_graph);
  EXPECT_EQ(terrain.rows(), 0);
  EXPECT_EQ(terrain.observe(0, 2), 0);
}

}  // namespace
}  // namespace agentnet
