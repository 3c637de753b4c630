// How columns are typed, features that are computed, and vocabularies of models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agentnet/data.h"
#include "data/formats/readers.h"
#include "support/read_members.h"
#include "support/same_sets.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Dataset read(const std::string& text, const DataOptions& options = {}) {
  return read_text_as(read_jsonl, text, options);
}

// A graph whose nodes have these values in their only column.
std::string nodes(const std::string& values) { return "{\"node_feat\":[" + values + "]}\n"; }

FeatureSchema schema_of(const std::string& values, FeatureKind kind) {
  DataOptions options;
  options.node_features = kind;
  return read(nodes(values), options).schema.nodes;
}

FeatureSchema category(const std::vector<std::string>& values) { return {{}, {{"node_feat0", values}}}; }
const FeatureSchema kDenseColumn = {{"node_feat0"}, {}};

TEST(Columns, WholeNumbersAreCategoriesUnlessNumbersAreAskedFor) {
  EXPECT_EQ(schema_of("3,-1,3", FeatureKind::kAuto), category({"-1", "3"}));
  EXPECT_EQ(schema_of("3,-1,3", FeatureKind::kDense), kDenseColumn);
}

TEST(Columns, FractionsAreNumbersUnlessCategoriesAreAskedFor) {
  EXPECT_EQ(schema_of("3,0.5,1e-400", FeatureKind::kAuto), kDenseColumn);
  EXPECT_EQ(schema_of("3,0.5,10", FeatureKind::kCategories), category({"3", "10", "0.5"}));
}

TEST(Columns, WordsAreCategoriesAndCannotBeNumbers) {
  EXPECT_EQ(schema_of("\"b\",2,\"a\",true", FeatureKind::kAuto), category({"2", "a", "b", "true"}));
  DataOptions options;
  options.node_features = FeatureKind::kDense;
  EXPECT_EQ(error_from([&] { static_cast<void>(read(nodes("1,\"b\""), options)); }),
            "file:1:17: the feature should be a finite number, but is 'b' | replace missing and infinite values");
}

TEST(Columns, ManyDifferentWholeNumbersAreNumbers) {
  std::string values = "0";
  for (int i = 1; i < 256; ++i) values += "," + std::to_string(i);
  EXPECT_EQ(schema_of(values, FeatureKind::kAuto).categories.size(), 1U);
  EXPECT_EQ(schema_of(values + ",256", FeatureKind::kAuto), kDenseColumn);
  EXPECT_EQ(schema_of(values + ",256", FeatureKind::kCategories).categories.at(0).values.size(), 257U);
}

TEST(Columns, LargeWholeNumbersAreNumbersOrCategoriesOfTheirOwn) {
  EXPECT_EQ(schema_of("8388607,1", FeatureKind::kAuto), category({"1", "8388607"}));
  EXPECT_EQ(schema_of("8388608,1", FeatureKind::kAuto), kDenseColumn);
  EXPECT_EQ(schema_of("8388608,8388609", FeatureKind::kCategories), category({"8388608", "8388609"}));
}

TEST(ChosenColumns, AreReadAndTheOthersAreNot) {
  const std::string text =
      "{\"node_feat\":[[\"a\",0.5,1],[\"b\",1.5,2]],\"edge_index\":[[0,0],[1,1]],\"edge_attr\":[[1,7],[2,8]]}\n";
  DataOptions options;
  options.node_columns = {"node_feat1", "node_feat0"};
  options.edge_columns = {"none"};
  EXPECT_EQ(described(read(text, options)),
            "none \nnodes node_feat0{a,b} node_feat1\nedges\n: 0[a 0.5] 1[b 1.5]; 0>1;\n");
  options.node_columns = {"none"};
  options.edge_columns = {"edge_attr1"};
  EXPECT_EQ(described(read(text, options)), "none \nnodes constant\nedges edge_attr1{7,8}\n: 0[1] 1[1]; 0>1[7][8];\n");
  options.node_columns = {"node_feat"};  // stands for all that are numbered
  EXPECT_EQ(read(text, options).schema.nodes.categories.size() + read(text, options).schema.nodes.dense.size(), 3U);
}

TEST(ChosenColumns, WhatStandsInAnotherColumnDoesNotMatter) {
  DataOptions options;
  options.node_columns = {"node_feat0"};
  options.node_features = FeatureKind::kDense;
  EXPECT_EQ(described(read("{\"node_feat\":[[0.5,\"word\"],[1,null]]}", options)),
            "none \nnodes node_feat0\nedges\n: 0[0.5] 1[1];;\n");
}

TEST(ChosenColumns, ANameThatNoColumnHasIsRefused) {
  DataOptions options;
  options.node_columns = {"node_feet0"};
  const auto refused = [&] { return error_from([&] { static_cast<void>(read(nodes("1,2"), options)); }); };
  EXPECT_EQ(refused(), "usage: file has no node column 'node_feet0' | did you mean node_feat0?");
  options.node_columns = {"charge"};
  EXPECT_EQ(refused(),
            "usage: file has no node column 'charge' | its columns are node_feat0; none alone leaves all of them out");
}

TEST(ChosenColumns, HoldForBuiltInSetsToo) {
  DataOptions options;
  options.node_columns = {"none"};
  options.degree = true;
  const Dataset data = read_data("synthetic:csl", options);
  ASSERT_EQ(data.schema.nodes.categories.size(), 1U);
  EXPECT_EQ(data.schema.nodes.categories[0].name, "degree");
  EXPECT_TRUE(data.schema.nodes.dense.empty());
}

TEST(ComputedFeatures, DegreeIsACategory) {
  DataOptions options;
  options.degree = true;
  EXPECT_EQ(described(read("{\"edge_index\":[[0,0,1],[1,2,0]]}", options)),
            "none \nnodes degree{0,1,2}\nedges\n: 0[2] 1[1] 2[0]; 0>1 0>2 1>0;\n");
}

TEST(ComputedFeatures, TheConstantIsAColumnOfOnesBesideOthers) {
  DataOptions options;
  options.constant = true;
  EXPECT_EQ(described(read(nodes("5,6"), options)),
            "none \nnodes node_feat0{5,6} constant\nedges\n: 0[5 1] 1[6 1];;\n");
}

TEST(ComputedFeatures, DistancesJoinAllNodes) {
  DataOptions options;
  options.distances = true;
  const std::string text =
      R"({"num_nodes":3,"pos":[[0,0,0],[3,4,0],[0,0,2]],"edge_index":[[0,1],[1,0]],"edge_attr":[[7],[7]]})";
  EXPECT_EQ(described(read(text, options)),
            "none \nnodes constant\nedges edge_attr0 distance\n"
            ": 0[1] 1[1] 2[1]; 0>1[7 5] 0>2[0 2] 1>0[7 5] 1>2[0 5.3851647] 2>0[0 2] 2>1[0 5.3851647];\n");
  options.edge_features = FeatureKind::kCategories;
  EXPECT_EQ(described(read(text, options)),
            "none \nnodes constant\nedges edge_attr0{7,none} distance\n"
            ": 0[1] 1[1] 2[1]; 0>1[7 5] 0>2[none 2] 1>0[7 5] 1>2[none 5.3851647] 2>0[none 2] 2>1[none 5.3851647];\n");
}

TEST(ComputedFeatures, DistancesNeedPositionsAndGraphsOfSomeSize) {
  DataOptions options;
  options.distances = true;
  EXPECT_EQ(error_from([&] { static_cast<void>(read("{\"num_nodes\":2}", options)); }),
            "usage: file has no positions to take distances of | positions are the key pos of a JSONL file");
  std::string positions = "[0,0,0]";
  for (int i = 0; i < 4096; ++i) positions += ",[0,0,0]";
  EXPECT_EQ(error_from([&] { static_cast<void>(read("{\"num_nodes\":4097,\"pos\":[" + positions + "]}", options)); }),
            "usage: graph 0 has 4097 nodes, too many to join all pairs of them | distances are for graphs of at most "
            "4096 nodes");
}

TEST(Vocabulary, UnseenValuesGetTheNumberAfterTheLastAndAreCounted) {
  const Schema model = read("{\"node_feat\":[\"C\",\"N\"],\"edge_index\":[[0],[1]],\"edge_attr\":[1]}").schema;
  Dataset data = read("{\"node_feat\":[\"N\",\"Xe\",\"Xe\"],\"edge_index\":[[0,1],[1,0]],\"edge_attr\":[1,2]}");
  const UnseenValues unseen = apply_vocabulary(data, model);
  EXPECT_EQ(unseen.nodes, 2U);
  EXPECT_EQ(unseen.edges, 1U);
  EXPECT_THAT(unseen.by_value, ElementsAre(Pair("edge_attr0=2", 1), Pair("node_feat0=Xe", 2)));
  EXPECT_EQ(data.schema.nodes, model.nodes);
  const GraphView graph = data.graphs.view(0);
  EXPECT_EQ(graph.node_categories.row(0)[0], 1);
  EXPECT_EQ(graph.node_categories.row(1)[0], 2);
  EXPECT_EQ(graph.edge_categories.row(1)[0], 1);
}

TEST(Vocabulary, ColumnsAreFoundByNameWhateverTheirOrder) {
  const Members model_tables = {{"nodes.csv", "graph,a,b\n1,x,0.5\n"}, {"edges.csv", "graph,source,target\n"}};
  const Members data_tables = {{"nodes.csv", "graph,b,extra,a\n1,2.5,9,x\n"}, {"edges.csv", "graph,source,target\n"}};
  Dataset data = read_members_as(read_csv_triple, data_tables);
  EXPECT_EQ(apply_vocabulary(data, read_members_as(read_csv_triple, model_tables).schema).nodes, 0U);
  EXPECT_EQ(described(data), "none \nnodes a{x} b\nedges\n1: 0[x 2.5];;\n");
}

TEST(Vocabulary, NumbersAndCategoriesAreConvertedWhereTheModelReadsTheOther) {
  const Schema numbers = read(nodes("0.5,1")).schema, categories = read(nodes("1,2")).schema;
  Dataset to_numbers = read(nodes("3,4"));
  EXPECT_EQ(apply_vocabulary(to_numbers, numbers).nodes, 0U);
  EXPECT_EQ(described(to_numbers), "none \nnodes node_feat0\nedges\n: 0[3] 1[4];;\n");
  Dataset to_categories = read(nodes("2,0.5"));
  const UnseenValues unseen = apply_vocabulary(to_categories, categories);
  EXPECT_THAT(unseen.by_value, ElementsAre(Pair("node_feat0=0.5", 1)));
  EXPECT_EQ(to_categories.graphs.view(0).node_categories.row(0)[0], 1);
  Dataset words = read(nodes("\"a\""));
  EXPECT_EQ(error_from([&] { apply_vocabulary(words, numbers); }),
            "mismatch: the model reads column 'node_feat0' as numbers, but the data has 'a' there | correct the data");
}

TEST(Vocabulary, OtherColumnsAreAMismatch) {
  const Schema model = read("{\"node_feat\":[[1,2]]}").schema;
  Dataset data = read("{\"node_feat\":[[1]]}");
  EXPECT_EQ(error_from([&] { apply_vocabulary(data, model); }),
            "mismatch: the model reads 0 dense and 2 categorical node columns (node_feat0, node_feat1), the data has 0 "
            "and 1 | give the data the columns that the model was trained with");
}

TEST(Vocabulary, DataWithoutEdgesFitsAnyEdgeColumns) {
  const Schema model = read("{\"num_nodes\":1,\"edge_index\":[[0],[0]],\"edge_attr\":[0.5]}").schema;
  Dataset data = read("{\"num_nodes\":1}");
  EXPECT_EQ(apply_vocabulary(data, model).edges, 0U);
  EXPECT_EQ(data.schema.edges, model.edges);
  EXPECT_EQ(data.graphs.view(0).edge_dense.width, 1);
}

TEST(Options, ThoseThatComeTooLateForABuiltInSetAreRefused) {
  DataOptions options;
  options.direction = Direction::kUndirected;
  EXPECT_EQ(error_from([&] { static_cast<void>(read_data("synthetic:csl", options)); }),
            "usage: --directed or --undirected has no effect on synthetic:csl: its graphs are made already | give the "
            "option when the set is read from text");
  options = {};
  options.max_atoms = 10;
  EXPECT_THAT(error_from([&] { static_cast<void>(read_data("synthetic:csl", options)); }),
              ::testing::StartsWith("usage: --max-atoms has no effect on synthetic:csl"));
  options = {};
  options.task = Task::kRegression;
  EXPECT_EQ(error_from([&] { static_cast<void>(read_data("synthetic:csl", options)); }),
            "usage: synthetic:csl is a set for classification, not for regression | leave --task out");
  options.task = Task::kNone;
  EXPECT_EQ(read_data("synthetic:csl", options).graphs.num_targets(), 0);
}

}  // namespace
}  // namespace agentnet
