#include "graph/content_key.h"

#include <gtest/gtest.h>

#include <set>

#include "support/graphs.h"

namespace agentnet {
namespace {

std::uint64_t key_of(const GraphParts& parts) { return content_key(Graph(parts).view()); }

GraphParts labelled_path(const std::vector<std::int32_t>& labels) {
  GraphParts parts = path_graph(static_cast<std::uint32_t>(labels.size()));
  parts.node_categories = labels;
  return parts;
}

TEST(ContentKey, IsOfTheGraphAndNotOfTheOrderOfItsNodes) {
  EXPECT_EQ(key_of(labelled_path({1, 2, 2, 3})), key_of(labelled_path({3, 2, 2, 1})));
  EXPECT_NE(key_of(labelled_path({1, 2, 2, 3})), key_of(labelled_path({1, 2, 3, 2})));
  EXPECT_NE(key_of(path_graph(5)), key_of(cycle_graph(5)));
}

TEST(ContentKey, FitsTheCountersOfRandomDraws) {
  std::set<std::uint64_t> keys;
  for (std::uint32_t n = 2; n < 200; ++n) keys.insert(key_of(path_graph(n)));
  EXPECT_EQ(keys.size(), 198U);
  EXPECT_LT(*keys.rbegin(), std::uint64_t{1} << 48);
  EXPECT_GT(*keys.rbegin(), std::uint64_t{1} << 40) << "all of the bits are used";
}

TEST(ContentKey, SeesCategoriesAsTheModelDoes) {
  const Graph a(labelled_path({0, 1, 0})), b(labelled_path({5, 4, 5}));
  std::vector<std::int32_t> numbers = {-1, -1, -1, -1, 1, 0};
  const Renumbering to_model{numbers};
  GraphView fitted = b.view();
  fitted.node_categories.renumbering = &to_model;
  EXPECT_EQ(content_key(fitted), content_key(a.view()));
  EXPECT_NE(content_key(b.view()), content_key(a.view()));
}

// Graphs above the limit are not read: what lies between the sampled nodes may be anything.
TEST(ContentKey, ReadsAFewPlacesOfALargeGraph) {
  const auto n = static_cast<std::uint32_t>(kWholeGraph);
  const GraphParts parts = cycle_graph(n);
  const Graph graph(parts);
  const GraphView view = graph.view();
  std::vector<std::uint32_t> neighbours(view.neighbours, view.neighbours + view.num_edges());
  GraphView changed = view;
  changed.neighbours = neighbours.data();
  std::size_t seen = 0;
  for (std::size_t e = 0; e < 4096; ++e) {
    ++neighbours[e];
    if (content_key(changed) != content_key(view)) ++seen;
    --neighbours[e];
  }
  EXPECT_EQ(seen, 1U) << "the first neighbour of node 0";
  EXPECT_NE(key_of(cycle_graph(n + 1)), content_key(view));
}

}  // namespace
}  // namespace agentnet
