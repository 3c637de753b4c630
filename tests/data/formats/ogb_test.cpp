#include <gtest/gtest.h>

#include <string>

#include "data/formats/readers.h"
#include "support/read_members.h"
#include "support/same_sets.h"

namespace agentnet {
namespace {

const Members kBare = {
    {"x/raw/num-node-list.csv", "2\n3\n"},
    {"x/raw/num-edge-list.csv", "1\n2\n"},
    {"x/raw/edge.csv", "0,1\n0,1\n2,1\n"},
    {"x/raw/graph-label.csv", "0\n1\n"},
};
const Members kFull =
    with(with(kBare, "x/raw/node-feat.csv", "6,0\n8,0\n6,0\n6,1\n7,0\n"), "x/raw/edge-feat.csv", "0\n1\n0\n");

Dataset read(const Members& members, const DataOptions& options = {}) {
  return read_members_as(read_ogb, members, options);
}
std::string error(const Members& members, const DataOptions& options = {}) {
  return error_of_members(read_ogb, members, options);
}

TEST(Ogb, EdgesStandOnceAndGoBothWays) {
  EXPECT_EQ(described(read(kFull)),
            "classification label{0,1}\nnodes node_feat0{6,7,8} node_feat1{0,1}\nedges edge_feat{0,1}\n"
            ": 0[6 0] 1[8 0]; 0>1[0] 1>0[0]; 0\n"
            ": 0[6 0] 1[6 1] 2[7 0]; 0>1[1] 1>0[1] 1>2[0] 2>1[0]; 1\n");
}

TEST(Ogb, EdgesGoOneWayWhereAsked) {
  DataOptions options;
  options.direction = Direction::kDirected;
  EXPECT_EQ(edges_of(read(kBare, options).graphs.view(1)), (Ends{{0, 1}, {2, 1}}));
}

TEST(Ogb, FeaturesMayBeReadAsNumbers) {
  DataOptions options;
  options.node_features = options.edge_features = FeatureKind::kDense;
  EXPECT_EQ(described(read(kFull, options)),
            "classification label{0,1}\nnodes node_feat0 node_feat1\nedges edge_feat\n"
            ": 0[6 0] 1[8 0]; 0>1[0] 1>0[0]; 0\n"
            ": 0[6 0] 1[6 1] 2[7 0]; 0>1[1] 1>0[1] 1>2[0] 2>1[0]; 1\n");
}

TEST(Ogb, SeveralLabelsWithBlanksAreAMultilabelTask) {
  EXPECT_EQ(described(read(with(kBare, "x/raw/graph-label.csv", "0, ,1\n,1,nan\n"))),
            "multilabel label0,label1,label2\nnodes constant\nedges\n"
            ": 0[1] 1[1]; 0>1 1>0; 0 ? 1\n"
            ": 0[1] 1[1] 2[1]; 0>1 1>0 1>2 2>1; ? 1 ?\n");
}

TEST(Ogb, TheMappingNamesTargetsAndGivesColumns) {
  DataOptions options;
  options.keep = {"smiles"};
  const Dataset data = read(with(kBare, "x/mapping/mol.csv", "HIV_active,smiles,mol_id\n0,CC,m0\n1,CCC,m1\n"), options);
  EXPECT_EQ(data.schema.targets, std::vector<std::string>{"HIV_active"});
  EXPECT_EQ(data.columns.at("smiles"), (std::vector<std::string>{"CC", "CCC"}));
}

TEST(Ogb, TheOfficialSplitIsReadWhereAsked) {
  const Members members = with(with(with(kBare, "x/split/scaffold/train.csv", "1\n"), "x/split/scaffold/valid.csv", ""),
                               "x/split/scaffold/test.csv", "0\n");
  DataOptions options;
  EXPECT_FALSE(read(members, options).official.has_value());
  options.official = true;
  EXPECT_EQ(read(members, options).official, (Split{{1}, {}, {0}}));
  EXPECT_EQ(error(with(members, "x/split/scaffold/test.csv", "1\n"), options),
            "set/x/split/scaffold/test.csv:1:1: graph 1 is in the split twice | check the split");
  EXPECT_EQ(error(with(members, "x/split/scaffold/test.csv", "2\n"), options),
            "set/x/split/scaffold/test.csv:1:1: there is no graph 2: graphs are 0 to 1 | check the split");
  EXPECT_EQ(error(without(members, "x/split/scaffold/test.csv"), options),
            "set has no file 'x/split/scaffold/test.csv' | check the folder");
}

TEST(Ogb, WindowsLineEndsByteOrderMarksAndBlankLinesAreAccepted) {
  Members windows = kFull;
  for (auto& [name, text] : windows) {
    std::string changed = "\xEF\xBB\xBF";
    for (const char c : text) changed += c == '\n' ? std::string("\r\n\r\n") : std::string(1, c);
    text = changed;
  }
  EXPECT_EQ(described(read(windows)), described(read(kFull)));
}

TEST(OgbBad, MissingFilesAreNamed) {
  EXPECT_EQ(error(without(kFull, "x/raw/num-node-list.csv")),
            "set has no file num-node-list.csv | give the folder that holds raw/ and split/");
  EXPECT_EQ(error(without(kFull, "x/raw/edge.csv")), "set has no file 'x/raw/edge.csv' | check the folder");
  EXPECT_EQ(error(without(kFull, "x/raw/num-edge-list.csv")),
            "set has no file 'x/raw/num-edge-list.csv' | check the folder");
}

TEST(OgbBad, CountsThatDoNotFitAreNamedWithTheirPlace) {
  EXPECT_EQ(error(with(kFull, "x/raw/edge.csv", "0,1\n0,1\n")),
            "set/x/raw/edge.csv:3:1: the file ends before an edge of graph 1 | is it cut short?");
  EXPECT_EQ(error(with(kFull, "x/raw/edge.csv", "0,1\n0,1\n2,1\n0,2\n")),
            "set/x/raw/edge.csv:4:1: the file goes on after the last of the 2 graphs | compare with num-node-list.csv "
            "and num-edge-list.csv");
  EXPECT_EQ(error(with(kFull, "x/raw/num-edge-list.csv", "1\n")),
            "set/x/raw/num-edge-list.csv:2:1: the file ends before the number of edges of graph 1 | is it cut short?");
  EXPECT_EQ(error(with(kFull, "x/raw/node-feat.csv", "6,0\n8,0\n6,0\n6,1\n")),
            "set/x/raw/node-feat.csv:5:1: the file ends before a node of graph 1 | is it cut short?");
  EXPECT_EQ(error(with(kFull, "x/raw/edge-feat.csv", "0\n")),
            "set/x/raw/edge-feat.csv:2:1: the file ends before an edge of graph 1 | is it cut short?");
  EXPECT_EQ(error(with(kFull, "x/raw/graph-label.csv", "0\n")),
            "set/x/raw/graph-label.csv:2:1: the file ends before the label of graph 1 | is it cut short?");
  EXPECT_EQ(error(with(kFull, "x/raw/num-node-list.csv", "2\n0\n")),
            "set/x/raw/num-node-list.csv:2:1: graph 1 has no nodes | leave empty graphs out");
  EXPECT_EQ(
      error(with(kFull, "x/raw/num-node-list.csv", "2\n-3\n")),
      "set/x/raw/num-node-list.csv:2:1: the number of nodes should be a whole number from 0, but is '-3' | correct "
      "the line");
}

TEST(OgbBad, HugeCountsInATinyFileAreRefusedAtOnce) {
  const Members huge = {{"num-node-list.csv", "4000000000\n"}, {"num-edge-list.csv", "0\n"}, {"edge.csv", ""}};
  EXPECT_EQ(
      error(huge),
      "set/num-node-list.csv:1:1: the graph says it has 4000000000 nodes, but lists 0 edges | check the number of "
      "nodes");
  std::string many, none;
  for (int i = 0; i < 5000; ++i) {
    many += "1000000\n";
    none += "0\n";
  }
  EXPECT_EQ(error(with(with(huge, "num-node-list.csv", many), "num-edge-list.csv", none)),
            "set/num-node-list.csv:5:1: the graph says it has 1000000 nodes, but lists 0 edges | check the number of "
            "nodes");
  EXPECT_EQ(error(with(with(huge, "num-node-list.csv", "1\n"), "num-edge-list.csv", "18446744073709551615\n")),
            "set/edge.csv:1:1: the file ends before an edge of graph 0 | is it cut short?");
  EXPECT_EQ(error(with(huge, "num-node-list.csv", "4294967296\n")),
            "set/num-node-list.csv:1:1: graph 0 has more than 2^32 nodes | split it");
}

TEST(OgbBad, WrongFieldsAreNamedWithTheirPlace) {
  EXPECT_EQ(
      error(with(kFull, "x/raw/edge.csv", "0,2\n0,1\n2,1\n")),
      "set/x/raw/edge.csv:1:3: there is no node 2: the graph's nodes are 0 to 1 | number the nodes of every graph "
      "from 0");
  EXPECT_EQ(error(with(kFull, "x/raw/edge.csv", "0,one\n0,1\n2,1\n")),
            "set/x/raw/edge.csv:1:3: the node should be a whole number from 0, but is 'one' | correct the line");
  EXPECT_EQ(
      error(with(kFull, "x/raw/node-feat.csv", "6,0\n8\n6,0\n6,1\n7,0\n")),
      "set/x/raw/node-feat.csv:2:2: the line has 1 values, the first line of the file has 2 | give every line the "
      "same number of values");
  EXPECT_EQ(error(with(kFull, "x/raw/node-feat.csv", "6,0\n8,,1\n6,0\n6,1\n7,0\n")),
            "set/x/raw/node-feat.csv:2:3: a feature is missing: '' | replace missing values");
  EXPECT_EQ(error(with(kFull, "x/raw/graph-label.csv", "0\n1,0\n")),
            "set/x/raw/graph-label.csv:2:1: the line has 2 values, the first line of the file has 1 | give every graph "
            "the same targets; leave unknown ones blank");
}

TEST(OgbBad, AMappingOfOtherLengthIsRefused) {
  DataOptions options;
  options.keep = {"smiles"};
  EXPECT_EQ(error(with(kBare, "x/mapping/mol.csv", "smiles\nCC\n"), options),
            "set/x/mapping/mol.csv has 1 rows, but there are 2 graphs | download the set again");
}

}  // namespace
}  // namespace agentnet
