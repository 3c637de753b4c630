#include "graph/wl_hash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <set>

#include "support/graphs.h"

namespace agentnet {
namespace {

std::uint64_t hash_of(const GraphParts& parts, int rounds = 3) { return wl_hash(Graph(parts).view(), rounds); }

// The same graph with nodes and edges in another order.
GraphParts renumbered(const GraphParts& parts, RandomSequence& random) {
  std::vector<std::uint32_t> number(parts.num_nodes);
  std::iota(number.begin(), number.end(), 0U);
  random.shuffle(number);
  std::vector<std::size_t> order(parts.from.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order);

  GraphParts result = parts;
  const auto move_rows = [](const auto& from, auto& to, std::size_t rows, const auto& new_row) {
    const std::size_t width = rows == 0 ? 0 : from.size() / rows;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < width; ++c) to[new_row(r) * width + c] = from[r * width + c];
    }
  };
  const auto node = [&](std::size_t r) { return static_cast<std::size_t>(number[r]); };
  const auto edge = [&](std::size_t r) { return order[r]; };
  for (std::size_t e = 0; e < parts.from.size(); ++e) {
    result.from[order[e]] = number[parts.from[e]];
    result.to[order[e]] = number[parts.to[e]];
    if (parts.undirected && random.below(2) == 0) std::swap(result.from[order[e]], result.to[order[e]]);
  }
  move_rows(parts.node_dense, result.node_dense, parts.num_nodes, node);
  move_rows(parts.node_categories, result.node_categories, parts.num_nodes, node);
  move_rows(parts.edge_dense, result.edge_dense, parts.from.size(), edge);
  move_rows(parts.edge_categories, result.edge_categories, parts.from.size(), edge);
  return result;
}

GraphParts any_graph(RandomSequence& random, bool directed) {
  const auto n = static_cast<std::uint32_t>(1 + random.below(15));
  return with_features(
      random_graph(random, n, 0.3, {.isolated_nodes = 1, .multi_edges = 0.3, .self_loops = 0.2, .directed = directed}),
      random, {.node_dense = 1, .node_categories = {3}, .edge_dense = 1, .edge_categories = {2, 2}});
}

RC_GTEST_PROP(WlHash, DoesNotDependOnTheNumbersOfNodesAndEdges, (std::uint64_t seed, bool directed)) {
  RandomSequence random(seed, Purpose::kTest);
  const GraphParts parts = any_graph(random, directed);
  RC_ASSERT(hash_of(parts) == hash_of(renumbered(parts, random)));
}

RC_GTEST_PROP(WlHash, SeesEveryChangeOfAFeature, (std::uint64_t seed)) {
  RandomSequence random(seed, Purpose::kTest);
  const GraphParts parts = any_graph(random, true);
  const auto differs = [&](auto GraphParts::*field) {
    GraphParts changed = parts;
    auto& values = changed.*field;
    if (values.empty()) return true;
    values[random.below(values.size())] += 5;
    return hash_of(changed) != hash_of(parts);
  };
  RC_ASSERT(differs(&GraphParts::node_dense));
  RC_ASSERT(differs(&GraphParts::node_categories));
  RC_ASSERT(differs(&GraphParts::edge_dense));
  RC_ASSERT(differs(&GraphParts::edge_categories));
}

TEST(WlHash, SmallGraphsDiffer) {
  std::set<std::uint64_t> hashes;
  for (std::uint32_t n = 4; n < 10; ++n) {
    for (const GraphParts& parts : {cycle_graph(n), path_graph(n), star_graph(n), complete_graph(n)}) {
      hashes.insert(hash_of(parts));
    }
  }
  EXPECT_EQ(hashes.size(), 24u);
}

TEST(WlHash, PairsBeyondTheTestAreSuspects) {
  GraphParts triangles = cycle_graph(3);
  triangles.num_nodes = 6;
  for (std::size_t i = 0; i < 3; ++i) {
    triangles.from.push_back(triangles.from[i] + 3);
    triangles.to.push_back(triangles.to[i] + 3);
  }
  EXPECT_EQ(hash_of(cycle_graph(6)), hash_of(triangles));
  EXPECT_EQ(hash_of(rook_4x4()), hash_of(shrikhande()));
  EXPECT_NE(hash_of(cycle_graph(6)), hash_of(path_graph(6)));
}

TEST(WlHash, EveryRoundSeesOneStepFurther) {
  // Trees of the same degrees; the branch is one node further from the end in the second.
  GraphParts near = path_graph(9), far = path_graph(9);
  for (GraphParts* parts : {&near, &far}) {
    parts->num_nodes = 10;
    parts->from.push_back(parts == &near ? 2 : 3);
    parts->to.push_back(9);
  }
  EXPECT_EQ(hash_of(near, 1), hash_of(far, 1));
  EXPECT_NE(hash_of(near, 3), hash_of(far, 3));
  EXPECT_EQ(hash_of(cycle_graph(8), 0), hash_of(regular_graph(8, 2, 1), 0));  // nodes and edges are counted
  EXPECT_NE(hash_of(cycle_graph(8), 0), hash_of(path_graph(8), 0));
}

TEST(WlHash, DirectionCounts) {
  GraphParts out, in, both;
  for (GraphParts* parts : {&out, &in, &both}) parts->num_nodes = 3;
  out.from = {0, 0}, out.to = {1, 2};
  in.from = {1, 2}, in.to = {0, 0};
  both.from = {1, 0}, both.to = {0, 2};
  EXPECT_EQ((std::set{hash_of(out), hash_of(in), hash_of(both)}.size()), 3u);
}

TEST(WlHash, RowsOfAnEdgeGivenTwiceHaveNoOrderButCount) {
  GraphParts parts = path_graph(2);
  parts.from = {0, 0}, parts.to = {1, 1};
  parts.edge_categories = {1, 2};
  GraphParts other = parts;
  other.edge_categories = {2, 1};
  EXPECT_EQ(hash_of(parts), hash_of(other));
  other.edge_categories = {1, 1};
  EXPECT_NE(hash_of(parts), hash_of(other));
  GraphParts once = path_graph(2);
  once.edge_categories = {1};
  EXPECT_NE(hash_of(once), hash_of(other));
}

TEST(WlHash, ZeroHasOneHash) {
  GraphParts plus = path_graph(2), minus = path_graph(2);
  plus.node_dense = {0.0F, 1.0F};
  minus.node_dense = {-0.0F, 1.0F};
  EXPECT_EQ(hash_of(plus), hash_of(minus));
}

TEST(WlHasher, ForgetsTheGraphBefore) {
  RandomSequence random(1, Purpose::kTest);
  WlHasher hasher;
  for (int i = 0; i < 20; ++i) {
    const Graph rich(any_graph(random, true)), plain(path_graph(1 + static_cast<std::uint32_t>(random.below(20))));
    EXPECT_EQ(hasher(rich.view()), wl_hash(rich.view()));
    EXPECT_EQ(hasher(plain.view()), wl_hash(plain.view()));
  }
}

}  // namespace
}  // namespace agentnet
