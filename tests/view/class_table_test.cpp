#include "view/tables/class_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/graphs.h"
#include "view/explained.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

const Spelling& no_labels() {
  static const Spelling kSpelling{Schema{}};
  return kSpelling;
}

TEST(RandomWalk, APathOfThreeByHand) {
  const Graph graph(path_graph(3));
  // Without staying: p0 = (1/3, 1/3, 1/3), p1 = (1/6, 2/3, 1/6), p2 = (1/3, 1/3, 1/3).
  const auto moving = random_walk_visits(graph.view(), {.agents = 2, .steps = 2, .may_stay = false});
  EXPECT_NEAR(moving[0], 2 * 5.0 / 6, 1e-12);
  EXPECT_NEAR(moving[1], 2 * 4.0 / 3, 1e-12);
  EXPECT_NEAR(moving[2], 2 * 5.0 / 6, 1e-12);
  // With it: p1 = (1/2 + 1/3, 1/2 + 1/3 + 1/2, 1/3 + 1/2) / 3 = (5/18, 8/18, 5/18).
  const auto staying = random_walk_visits(graph.view(), {.agents = 1, .steps = 1, .may_stay = true});
  EXPECT_NEAR(staying[0], 1.0 / 3 + 5.0 / 18, 1e-12);
  EXPECT_NEAR(staying[1], 1.0 / 3 + 8.0 / 18, 1e-12);
}

TEST(RandomWalk, LoopsCountOnceAndIsolatedNodesKeepTheirWalkers) {
  GraphParts parts;
  parts.num_nodes = 3;  // 0 - 1, 0 - 0, and 2 alone
  parts.from = {0, 0};
  parts.to = {1, 0};
  parts.undirected = true;
  const Graph graph(parts);
  for (const bool may_stay : {false, true}) {
    const auto visits = random_walk_visits(graph.view(), {.agents = 3, .steps = 5, .may_stay = may_stay});
    EXPECT_NEAR(visits[2], 6, 1e-12);
    EXPECT_NEAR(std::accumulate(visits.begin(), visits.end(), 0.0), 18, 1e-12);
  }
  // From 0: to 1 or to itself, each 1/2, whether it may stay or not. From 1: to 0, and with staying half of it stays.
  const auto moving = random_walk_visits(graph.view(), {.agents = 3, .steps = 1, .may_stay = false});
  EXPECT_NEAR(moving[0], 1 + 1.5, 1e-12);
  EXPECT_NEAR(moving[1], 1 + 0.5, 1e-12);
  const auto staying = random_walk_visits(graph.view(), {.agents = 3, .steps = 1, .may_stay = true});
  EXPECT_NEAR(staying[0], 1 + 1, 1e-12);
}

TEST(ClassTable, RatiosAndErrorsByHand) {
  const Graph path(path_graph(3));
  const GraphView view = path.view();
  ClassTableBuilder builder({"a", "b"}, {.agents = 1, .steps = 1, .may_stay = false}, no_labels());
  // Expected visits are 1/2, 1, 1/2: p0 + p1 with p1 = (1/6, 2/3, 1/6). Agents stand 1 + d times in the middle.
  const double off[] = {0.2, -0.1, 0.3, 0.0, 0.1, 0.4};
  for (const double d : off) {
    Explanation e = made_explanation(view);
    e.visits = {0.5 - d / 2, 1 + d, 0.5 - d / 2};
    builder.add(1, view, e);
  }
  const ClassTable table = builder.table();
  EXPECT_EQ(table.graphs, (std::vector<std::size_t>{0, 6}));
  ASSERT_EQ(table.rows.size(), 4U);  // 2(1,1) and 1(2), and the degrees 2 and 1
  const ClassTableRow& middle = table.rows[0];
  EXPECT_EQ(middle.kind, "substructure");
  EXPECT_EQ(middle.value, "2(1,1)");
  EXPECT_EQ(middle.group, 1U);
  EXPECT_EQ(middle.graphs, 6U);
  EXPECT_EQ(middle.occurrences, 6U);
  EXPECT_NEAR(middle.visits, 1.15, 1e-12);
  EXPECT_NEAR(middle.expected, 1, 1e-12);
  EXPECT_NEAR(middle.ratio, 1.15, 1e-12);
  double squares = 0;  // R_g is 1, so that A_g - ratio R_g = d - 0.15
  for (const double d : off) squares += (d - 0.15) * (d - 0.15);
  EXPECT_NEAR(middle.error, std::sqrt(squares / 5 / 6), 1e-12);  // the standard error of a mean
  EXPECT_NEAR(middle.z, 0.15 / middle.error, 1e-9);
  EXPECT_EQ(table.rows[1].value, "1(2)");
  EXPECT_EQ(table.rows[1].occurrences, 12U);
  EXPECT_NEAR(table.rows[1].ratio, 0.85, 1e-12);
  EXPECT_EQ(table.rows[2].kind, "degree");
  EXPECT_EQ(table.rows[2].value, "2");
  EXPECT_EQ(table.rare, 0U);
}

TEST(ClassTable, WhatOccursInFewGraphsIsLeftOut) {
  const Graph path(path_graph(3)), cycle(cycle_graph(5)), large(path_graph(kMostWalkedNodes + 1));
  ClassTableBuilder builder({"all"}, {}, no_labels());
  for (int i = 0; i < 4; ++i) builder.add(0, path.view(), made_explanation(path.view()));
  for (int i = 0; i < 5; ++i) builder.add(0, cycle.view(), made_explanation(cycle.view()));
  builder.add(0, large.view(), made_explanation(large.view()));
  Explanation part = made_explanation(path.view());
  part.nodes.pop_back();
  builder.add(0, path.view(), part);
  const ClassTable table = builder.table();
  EXPECT_EQ(table.too_large, 2U);
  EXPECT_EQ(table.rare, 3U);  // 2(1,1), 1(2), degree 1
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].value, "2(2,2)");
  EXPECT_EQ(table.rows[1].value, "2");
  EXPECT_EQ(table.rows[1].graphs, 9U);
}

TEST(ClassTable, SubstructuresNameNeighboursAndBonds) {
  GraphParts parts;  // C - N(=O)=O with a loop on N
  parts.num_nodes = 5;
  parts.undirected = true;
  parts.from = {0, 1, 1, 1};
  parts.to = {1, 2, 3, 1};
  parts.node_categories = {0, 1, 2, 2, 0};
  parts.edge_categories = {0, 1, 1, 0};
  const Graph graph(parts);
  Schema schema;
  schema.nodes.categories = {{"atom", {"C", "N", "O"}}};
  schema.edges.categories = {{"bond", {"single", "double"}}};
  const Spelling spelling(schema);
  EXPECT_EQ(substructure_at(graph.view(), 1, spelling), "N(C,=O,=O)");
  EXPECT_EQ(substructure_at(graph.view(), 2, spelling), "O(=N)");
  EXPECT_EQ(substructure_at(graph.view(), 4, spelling), "C");
  schema.edges.categories = {{"bond", {"x", "y"}}};
  EXPECT_EQ(substructure_at(graph.view(), 1, Spelling(schema)), "N([x]C,[y]O,[y]O)");
}

TEST(ClassTable, AsCsvAndAsAPicture) {
  const Graph path(path_graph(3));
  ClassTableBuilder builder({"never", "<b>, \"x\""}, {.agents = 1, .steps = 1, .may_stay = false}, no_labels());
  for (int i = 0; i < 6; ++i) {
    Explanation e = made_explanation(path.view());
    e.visits = {0.4, 1.0 + 0.1 * i, 0.4};
    builder.add(1, path.view(), e);
  }
  const ClassTable table = builder.table();
  const std::string csv = class_table_csv(table);
  EXPECT_THAT(csv,
              testing::StartsWith("class,kind,value,graphs,occurrences,visits,random_walk,ratio,standard_error,z\n"));
  EXPECT_THAT(csv, HasSubstr("\n\"<b>, \"\"x\"\"\",substructure,1(2),6,12,0.4,0.5,0.8,"));
  EXPECT_TRUE(std::isnan(table.rows[1].z));  // all graphs agree
  EXPECT_THAT(csv, HasSubstr(",\n\"<b>"));   // which is an empty field
  const auto elements = elements_of(class_table_svg(table));
  EXPECT_TRUE(says(elements, "<b>, \"x\" (6 graphs)"));
  EXPECT_FALSE(says(elements, "never"));
  EXPECT_TRUE(says(elements, "2(1,1)"));
  EXPECT_TRUE(says(elements, "1.25x in 6 graphs"));
  EXPECT_TRUE(says(elements_of(class_table_svg(ClassTable{})), "no graphs"));
}

}  // namespace
}  // namespace agentnet
