#include "data/tables/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "data/formats/readers.h"
#include "support/read_text.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;

SetStatistics of(const std::string& jsonl, const DataOptions& options = {}) {
  return statistics_of(read_text_as(read_jsonl, jsonl, options));
}

TEST(Statistics, AnEdgeAndItsReverseCountOnceAsDoesASelfLoop) {
  // 0 - 1 both ways, 1 -> 2 one way, a loop at 2; node 3 is alone, node 4 has a loop only.
  const SetStatistics s = of(R"({"num_nodes":5,"edge_index":[[0,1,1,2,4],[1,0,2,2,4]]})");
  EXPECT_EQ(s.edges.total, 4);
  EXPECT_EQ(s.self_loops, 2U);
  EXPECT_EQ(s.one_way_edges, 1U);
  EXPECT_EQ(s.isolated_nodes, 2U);
  EXPECT_EQ(s.disconnected_graphs, 1U);
  EXPECT_EQ(s.degree.max, 2);
  EXPECT_EQ(s.degree.min, 0);
  EXPECT_DOUBLE_EQ(s.degree.mean, 1.0);
}

TEST(Statistics, SizesAreSpreadsOverTheGraphs) {
  const SetStatistics s = of("{\"num_nodes\":4}\n{\"num_nodes\":1}\n{\"num_nodes\":2,\"edge_index\":[[1],[0]]}\n");
  EXPECT_EQ(s.graphs, 3U);
  EXPECT_EQ(s.nodes.total, 7);
  EXPECT_EQ(s.nodes.min, 1);
  EXPECT_EQ(s.nodes.max, 4);
  EXPECT_DOUBLE_EQ(s.nodes.mean, 7.0 / 3);
  EXPECT_EQ(s.edges.max, 1);
  EXPECT_EQ(s.disconnected_graphs, 1U);
}

TEST(Statistics, ClassesAndBlanksAreCounted) {
  const SetStatistics s =
      of("{\"num_nodes\":1,\"y\":\"b\"}\n{\"num_nodes\":1,\"y\":null}\n{\"num_nodes\":1,\"y\":\"a\"}\n"
         "{\"num_nodes\":1,\"y\":\"b\"}\n");
  EXPECT_THAT(s.class_counts, ElementsAre(1, 2));
  EXPECT_EQ(s.targets.at(0).blanks, 1U);
}

TEST(Statistics, NumbersHaveMeanDeviationAndRange) {
  const SetStatistics s =
      of("{\"num_nodes\":1,\"y\":[1.5,0]}\n{\"num_nodes\":1,\"y\":[2.5,null]}\n{\"num_nodes\":1,\"y\":[6.5,1]}\n");
  EXPECT_DOUBLE_EQ(s.targets.at(0).values.mean, 3.5);
  EXPECT_EQ(s.targets.at(0).values.min, 1.5);
  EXPECT_EQ(s.targets.at(0).values.max, 6.5);
  EXPECT_DOUBLE_EQ(s.targets.at(0).deviation, std::sqrt(7.0));
  EXPECT_EQ(s.targets.at(1).blanks, 1U);
  EXPECT_EQ(s.targets.at(1).positives, 1U);
}

TEST(Statistics, DuplicatesAreGroupsThatMayContradictThemselves) {
  const std::string path = "\"num_nodes\":3,\"edge_index\":[[0,1,1,2],[1,0,2,1]]",
                    renumbered = "\"num_nodes\":3,\"edge_index\":[[0,1,0,2],[1,0,2,0]]", single = "\"num_nodes\":1";
  const SetStatistics s = of("{" + path + ",\"y\":0}\n{" + renumbered + ",\"y\":1}\n{" + single + ",\"y\":1}\n{" +
                             single + ",\"y\":1}\n{" + single + ",\"y\":null}\n{\"num_nodes\":2,\"y\":0}\n");
  EXPECT_EQ(s.duplicate_groups, 2U);
  EXPECT_EQ(s.graphs_in_groups, 5U);
  EXPECT_EQ(s.conflicting_groups, 1U);
}

}  // namespace
}  // namespace agentnet
