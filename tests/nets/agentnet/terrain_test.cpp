#include "nets/agentnet/terrain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "core/random.h"
#include "graph/hub_order.h"
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

void visit(Terrain<float>& terrain, Index row) { terrain.visit({&row, 1}); }

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
  AgentNetConfig config;
  Terrain<float> terrain;
  terrain.begin(config, graphs);
  const Index one = terrain.observe(0, 1), two = terrain.observe(0, 2), alone = terrain.observe(0, 4);
  EXPECT_EQ(terrain.observe(0, 2), two) << "a node has one row";
  terrain.visit(std::vector{one, two, alone});
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
  AgentNetConfig config;
  config.self_loops = false;
  Terrain<float> terrain;
  terrain.begin(config, graphs);
  for (const std::uint64_t node : {1, 2, 4}) visit(terrain, terrain.observe(0, node));
  EXPECT_THAT(candidates_of(terrain, terrain.observe(0, 1)), ElementsAre(0, 2));
  EXPECT_EQ(terrain.place(terrain.observe(0, 1)).self, kNone);
  EXPECT_THAT(candidates_of(terrain, terrain.observe(0, 2)), ElementsAre(1, 2, 3));
  EXPECT_THAT(candidates_of(terrain, terrain.observe(0, 4)), ElementsAre());
}

TEST(Terrain, StayingHasAnEdgeThatIsNotTheLoopOfTheData) {
  const Graph graph = looped_path(true);
  const std::vector<GraphView> graphs = {graph.view()};
  AgentNetConfig config;
  config.edge_features = 1;
  Terrain<float> terrain;
  terrain.begin(config, graphs);
  const Index two = terrain.observe(0, 2);
  visit(terrain, two);
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
  AgentNetConfig config;
  Terrain<float> terrain;
  terrain.begin(config, two_graphs);
  visit(terrain, terrain.observe(1, 3));
  EXPECT_EQ(terrain.graph_of(0), 1);
  terrain.begin(config, one_graph);
  EXPECT_EQ(terrain.rows(), 0);
  EXPECT_EQ(terrain.observe(0, 2), 0);
}

// A star of so many leaves around node 0.
Graph star(std::uint32_t leaves, bool edge_features) {
  GraphParts parts;
  parts.num_nodes = leaves + 1;
  parts.undirected = true;
  for (std::uint32_t leaf = 1; leaf <= leaves; ++leaf) {
    parts.from.push_back(0);
    parts.to.push_back(leaf);
    if (edge_features) parts.edge_dense.push_back(static_cast<float>(leaf));
  }
  return Graph(std::move(parts));
}

TEST(Terrain, SamplesTheNeighboursOfHubsUniformlyAndKeepsTheirTrueDegree) {
  constexpr std::uint32_t kLeaves = 200;
  constexpr std::uint64_t kMost = 8, kRollouts = 3000;
  const Graph graph = star(kLeaves, true);
  const std::vector<GraphView> graphs = {graph.view()};
  const std::vector<std::uint64_t> ids = {7};
  AgentNetConfig config;
  config.edge_features = 1;
  std::vector<double> seen(kLeaves + 1, 0);
  Terrain<float> terrain;
  for (std::uint64_t rollout = 0; rollout < kRollouts; ++rollout) {
    terrain.begin(config, graphs, {kMost, random_key(1, Purpose::kNeighbours, rollout), ids});
    const Index hub = terrain.observe(0, 0), leaf = terrain.observe(0, 5);
    visit(terrain, hub);
    visit(terrain, leaf);
    const Place& place = terrain.place(hub);
    ASSERT_EQ(place.degree, static_cast<Index>(kMost));
    ASSERT_EQ(place.true_degree, kLeaves);
    ASSERT_EQ(place.candidates, place.degree + 1) << "and staying";
    const std::vector<std::uint64_t> sample = candidates_of(terrain, hub);
    for (std::size_t c = 0; c < kMost; ++c) {
      ++seen[sample[c]];
      if (c > 0) {
        ASSERT_LT(sample[c - 1], sample[c]) << "ascending, and nobody twice";
      }
      const EdgeOrigin& origin = terrain.edge_origin(terrain.edge_of(place, static_cast<Index>(c)));
      ASSERT_EQ(graphs[0].edge_dense.f32[origin.entry], static_cast<float>(sample[c])) << "with their own edges";
    }
    ASSERT_EQ(terrain.place(leaf).true_degree, 1U) << "short lists are whole";
    ASSERT_EQ(terrain.entries_read(), kMost + 1);
  }
  const double expected = static_cast<double>(kMost * kRollouts) / kLeaves;
  double chi_square = 0;
  for (std::uint32_t leaf = 1; leaf <= kLeaves; ++leaf) {
    chi_square += (seen[leaf] - expected) * (seen[leaf] - expected) / expected;
  }
  EXPECT_LT(chi_square, 199 + 4 * 20) << "199 degrees of freedom: a standard deviation of 20";
}

TEST(Terrain, TakesTheSameSampleFromTheListOfAHub) {
  constexpr std::uint32_t kLeaves = 1500;
  const Graph graph = star(kLeaves, false);
  const HubOrder order(0, kLeaves);
  std::vector<std::uint32_t> list;
  for (std::uint64_t i = 0; i < kLeaves; ++i) list.push_back(static_cast<std::uint32_t>(1 + order(i)));
  const std::vector<std::uint64_t> hubs = {0}, first = {0, kLeaves}, ids = {3};
  GraphView with_list = graph.view();
  with_list.hubs.nodes = hubs;
  with_list.hubs.first = first.data();
  with_list.hubs.neighbours = list.data();
  with_list.hubs.entries = list.size();
  AgentNetConfig config;
  for (std::uint64_t rollout = 0; rollout < 50; ++rollout) {
    std::vector<std::uint64_t> samples[2];
    for (const bool own_list : {false, true}) {
      const std::vector<GraphView> graphs = {own_list ? with_list : graph.view()};
      Terrain<float> terrain;
      terrain.begin(config, graphs, {32, random_key(1, Purpose::kNeighbours, rollout), ids});
      const Index hub = terrain.observe(0, 0);
      visit(terrain, hub);
      samples[own_list ? 1 : 0] = candidates_of(terrain, hub);
    }
    ASSERT_EQ(samples[0], samples[1]);
  }
}

TEST(Terrain, ReadsTheCategoriesBesideTheNeighbours) {
  GraphParts parts = path_graph(3);
  parts.node_categories = {4, 5, 6};
  const Graph graph(std::move(parts));
  GraphView view = graph.view();
  const std::vector<std::uint8_t> labels = {1, 0, 2, 1};  // of 1; of 0 and 2; of 1
  const std::vector<std::int32_t> numbers = {40, 50, 60, 70, 80};
  const Renumbering renumbering{numbers};
  view.labels = labels.data();
  view.node_categories.renumbering = &renumbering;
  const std::vector<GraphView> graphs = {view};
  AgentNetConfig config;
  Terrain<float> terrain;
  terrain.begin(config, graphs);
  const Index one = terrain.observe(0, 1);
  visit(terrain, one);
  terrain.fetch_categories(0, terrain.rows());
  EXPECT_EQ(terrain.category(terrain.observe(0, 0), 0), 40);
  EXPECT_EQ(terrain.category(terrain.observe(0, 2), 0), 60);
  EXPECT_EQ(terrain.category(one, 0), -1) << "5, from its own row, is past the end of the vocabulary";
}

TEST(Terrain, RefusesNeighbourListsThatAreDamaged) {
  const Graph graph = star(3, false);
  const std::vector<std::uint64_t> backwards = {0, 3, 2, 4, 5}, too_far = {0, 300, 301, 302, 6};
  const std::vector<std::uint32_t> nobody = {1, 2, 77, 0, 0, 0};
  const auto expect_refusal = [](const GraphView& view, std::uint64_t node) {
    const std::vector<GraphView> graphs = {view};
    AgentNetConfig config;
    Terrain<float> terrain;
    terrain.begin(config, graphs);
    try {
      visit(terrain, terrain.observe(0, node));
      ADD_FAILURE() << "no exception";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
    }
  };
  GraphView view = graph.view();
  view.offsets = backwards.data();
  expect_refusal(view, 1);
  view.offsets = too_far.data();
  expect_refusal(view, 0);
  view = graph.view();
  view.neighbours = nobody.data();
  expect_refusal(view, 0);
}

}  // namespace
}  // namespace agentnet
