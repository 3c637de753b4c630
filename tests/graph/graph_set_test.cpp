#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "agentnet/graph.h"
#include "support/graphs.h"

namespace agentnet {
namespace {

using testing::ElementsAre;

Graph featured(GraphParts parts, const FeatureOptions& options) {
  RandomSequence random(1, Purpose::kTest);
  return Graph(with_features(std::move(parts), random, options));
}

const std::vector<double> kOne = {1};

TEST(GraphSet, KeepsGraphsTargetsAndNames) {
  GraphSet set;
  set.add(Graph(cycle_graph(3)), std::vector<double>{0, 1.5}, "first");
  set.add(Graph(path_graph(4)), std::vector<double>{2, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(set.num_targets(), 2);
  EXPECT_EQ(set.view(1).num_nodes, 4u);
  EXPECT_THAT(set.targets(0), ElementsAre(0, 1.5));
  EXPECT_EQ(set.targets(1)[0], 2);
  EXPECT_TRUE(std::isnan(set.targets(1)[1]));
  EXPECT_EQ(set.id(0), "first");
  EXPECT_EQ(set.id(1), "");
}

TEST(GraphSet, TakesGraphsWithoutTargets) {
  GraphSet set;
  set.add(Graph(cycle_graph(3)), {});
  EXPECT_EQ(set.num_targets(), 0);
  EXPECT_TRUE(set.targets(0).empty());
}

TEST(GraphSet, HasNothingBeyondItsEnd) {
  GraphSet set;
  set.add(Graph(cycle_graph(3)), kOne);
  EXPECT_THROW(static_cast<void>(set.targets(1)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(set.view(1)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(set.id(1)), std::out_of_range);
}

// What the set says to a graph that it does not take.
std::string refusal(GraphSet& set, Graph graph, const std::vector<double>& targets) {
  try {
    set.add(std::move(graph), targets, "odd one");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    return error.what();
  }
  return "accepted";
}

TEST(GraphSet, RefusesOtherFeatureColumnsThanThoseOfTheFirstGraph) {
  const FeatureOptions columns = {.node_dense = 2, .node_categories = {3}, .edge_dense = 4, .edge_categories = {5, 6}};
  GraphSet set;
  set.add(featured(cycle_graph(3), columns), kOne);
  set.add(featured(path_graph(5), columns), kOne);

  FeatureOptions other = columns;
  other.node_dense = 1;
  EXPECT_EQ(refusal(set, featured(path_graph(2), other), kOne),
            "graph 2 ('odd one') has 1 dense node features, but those before it have 2");
  other = columns;
  other.node_categories.clear();
  EXPECT_EQ(refusal(set, featured(path_graph(2), other), kOne),
            "graph 2 ('odd one') has 0 categorical node features, but those before it have 1");
  other = columns;
  other.edge_dense = 0;
  EXPECT_EQ(refusal(set, featured(path_graph(2), other), kOne),
            "graph 2 ('odd one') has 0 dense edge features, but those before it have 4");
  other = columns;
  other.edge_categories.push_back(7);
  EXPECT_EQ(refusal(set, featured(path_graph(2), other), kOne),
            "graph 2 ('odd one') has 3 categorical edge features, but those before it have 2");
  EXPECT_EQ(set.size(), 2u);
}

TEST(GraphSet, TakesGraphsWithoutEdgesAmongThoseWithEdgeFeatures) {
  const FeatureOptions columns = {.node_dense = 1, .edge_dense = 2};
  GraphSet set;
  set.add(featured(path_graph(1), columns), kOne);
  set.add(featured(path_graph(3), columns), kOne);
  set.add(featured(path_graph(1), columns), kOne);
  EXPECT_EQ(refusal(set, featured(path_graph(2), {.node_dense = 1}), kOne),
            "graph 3 ('odd one') has 0 dense edge features, but those before it have 2");
}

TEST(GraphSet, TakesSingleAndDoublePrecisionTogether) {
  GraphSet set;
  set.add(featured(path_graph(2), {.node_dense = 2}), kOne);
  set.add(featured(path_graph(2), {.node_dense = 2, .double_precision = true}), kOne);
  EXPECT_EQ(set.size(), 2u);
}

TEST(GraphSet, RefusesAnotherNumberOfTargets) {
  GraphSet set;
  set.add(Graph(cycle_graph(3)), kOne);
  EXPECT_EQ(refusal(set, Graph(cycle_graph(3)), {1, 2}),
            "graph 1 ('odd one') has 2 targets, but those before it have 1");
}

TEST(GraphSet, ThatWasMovedFromThrowsInsteadOfCrashing) {
  GraphParts parts;
  parts.num_nodes = 1;
  const Graph graph(parts);
  GraphSet set;
  set.add(graph, {});
  const GraphSet taken = std::move(set);
  EXPECT_EQ(taken.size(), 1U);
  // NOLINTBEGIN(bugprone-use-after-move): that is the test
  EXPECT_THROW(static_cast<void>(set.size()), std::logic_error);
  EXPECT_THROW(static_cast<void>(set.num_targets()), std::logic_error);
  EXPECT_THROW(static_cast<void>(set.view(0)), std::logic_error);
  EXPECT_THROW(static_cast<void>(set.views()), std::logic_error);
  EXPECT_THROW(static_cast<void>(set.targets(0)), std::logic_error);
  EXPECT_THROW(static_cast<void>(set.id(0)), std::logic_error);
  EXPECT_THROW(static_cast<void>(set.notes(0)), std::logic_error);
  EXPECT_THROW(static_cast<void>(set.arrays()), std::logic_error);
  EXPECT_THROW(set.add(graph, {}), std::logic_error);
  set = GraphSet();
  EXPECT_EQ(set.size(), 0U);
  // NOLINTEND(bugprone-use-after-move)
}

TEST(GraphSet, RefusesAGraphWithoutNodes) {
  GraphSet set;
  EXPECT_EQ(refusal(set, Graph(), {1}), "graph 0 ('odd one') has no nodes");
  set.add(Graph(cycle_graph(3)), std::vector<double>{1, 2});  // the refused graph decided nothing
  EXPECT_EQ(set.num_targets(), 2);
}

}  // namespace
}  // namespace agentnet
