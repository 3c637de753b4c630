#include "view/pictures/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "support/graphs.h"

namespace agentnet {
namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Edges edges_of(const GraphParts& parts) {
  Edges edges;
  for (std::size_t i = 0; i < parts.from.size(); ++i) edges.emplace_back(parts.from[i], parts.to[i]);
  return edges;
}

double apart(const Layout& layout, std::size_t i, std::size_t j) {
  return std::hypot(layout.places[i].x - layout.places[j].x, layout.places[i].y - layout.places[j].y);
}

double closest_pair(const Layout& layout) {
  double closest = 1e9;
  for (std::size_t i = 0; i < layout.places.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) closest = std::min(closest, apart(layout, i, j));
  }
  return closest;
}

TEST(Layout, ACycleBecomesARoundOne) {
  const Layout layout = layout_graph(12, edges_of(cycle_graph(12)));
  Point centre;
  for (const Point& p : layout.places) centre = {centre.x + p.x / 12, centre.y + p.y / 12};
  const double radius = std::hypot(layout.places[0].x - centre.x, layout.places[0].y - centre.y);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(std::hypot(layout.places[i].x - centre.x, layout.places[i].y - centre.y), radius, 0.05 * radius) << i;
    EXPECT_NEAR(apart(layout, i, (i + 1) % 12), 1, 0.3);
  }
}

TEST(Layout, APathIsLaidOutAcrossThePage) {
  const Layout layout = layout_graph(10, edges_of(path_graph(10)));
  EXPECT_GT(layout.width, 7);
  EXPECT_LT(layout.height, 2);
  for (std::size_t i = 0; i + 1 < 10; ++i) EXPECT_NEAR(apart(layout, i, i + 1), 1, 0.3);
}

TEST(Layout, NoTwoNodesHideOneAnother) {
  EXPECT_GE(closest_pair(layout_graph(40, edges_of(star_graph(40)))), 0.95 * kClosest);
  EXPECT_GE(closest_pair(layout_graph(15, edges_of(complete_graph(15)))), 0.95 * kClosest);
  RandomSequence random(1, Purpose::kTest);
  EXPECT_GE(closest_pair(layout_graph(120, edges_of(random_graph(random, 120, 0.03)))), 0.95 * kClosest);
}

TEST(Layout, NeighboursAreNearerThanOthers) {
  RandomSequence random(2, Purpose::kTest);
  const Edges edges = edges_of(random_graph(random, 80, 0.04));
  const Layout layout = layout_graph(80, edges);
  double near = 0, all = 0;
  for (const auto& [u, v] : edges) near += apart(layout, u, v) / static_cast<double>(edges.size());
  for (std::size_t i = 0; i < 80; ++i) {
    for (std::size_t j = 0; j < i; ++j) all += apart(layout, i, j) / (80.0 * 79 / 2);
  }
  EXPECT_LT(near, 0.5 * all);
}

TEST(Layout, PiecesLieBesideEachOther) {
  Edges edges;
  for (std::uint32_t piece = 0; piece < 6; ++piece) {  // triangles, and four nodes on their own
    const std::uint32_t first = 3 * piece;
    edges.insert(edges.end(), {{first, first + 1}, {first + 1, first + 2}, {first + 2, first}});
  }
  const Layout layout = layout_graph(22, edges);
  for (std::size_t i = 0; i < 22; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool together = i / 3 == j / 3 && i < 18;
      if (together) continue;
      EXPECT_GE(apart(layout, i, j), 0.9) << i << " " << j;
    }
  }
  EXPECT_LT(layout.width, 4 * layout.height);
}

TEST(Layout, EveryPlaceIsOnThePageAndTheSameAgain) {
  RandomSequence random(3, Purpose::kTest);
  const Edges edges =
      edges_of(random_graph(random, 60, 0.05, {.isolated_nodes = 3, .multi_edges = 0.3, .self_loops = 0.2}));
  const Layout layout = layout_graph(63, edges), again = layout_graph(63, edges);
  for (std::size_t i = 0; i < 63; ++i) {
    EXPECT_GE(layout.places[i].x, -1e-9);
    EXPECT_GE(layout.places[i].y, -1e-9);
    EXPECT_LE(layout.places[i].x, layout.width + 1e-9);
    EXPECT_LE(layout.places[i].y, layout.height + 1e-9);
    EXPECT_EQ(layout.places[i].x, again.places[i].x);
    EXPECT_EQ(layout.places[i].y, again.places[i].y);
  }
  EXPECT_TRUE(layout_graph(0, {}).places.empty());
  EXPECT_EQ(layout_graph(1, {}).places.size(), 1U);
}

}  // namespace
}  // namespace agentnet
