#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "data/formats/readers.h"
#include "support/read_members.h"
#include "support/same_sets.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;

Dataset read(const std::string& text, const DataOptions& options = {}) {
  return read_text_as(read_jsonl, text, options);
}
std::string error(const std::string& text, const DataOptions& options = {}) {
  return error_from([&] { static_cast<void>(read(text, options)); });
}

const std::string kTwo =
    R"({"edge_index": [[0, 1], [1, 0]], "node_feat": [[6, 0.5], [8, 1]], "edge_attr": [[1], [1]], "num_nodes": 2, "y": [0]})"
    "\n"
    R"({"id": "b", "num_nodes": 1, "node_feat": [[6, -2e3]], "edge_index": [[], []], "edge_attr": [], "y": 1})"
    "\n";

TEST(Jsonl, ReadsTheKeysOfTheHuggingFaceGraphSets) {
  EXPECT_EQ(described(read(kTwo)),
            "classification y{0,1}\nnodes node_feat0{6,8} node_feat1\nedges edge_attr0{1}\n"
            ": 0[6 0.5] 1[8 1]; 0>1[1] 1>0[1]; 0\n"
            "b: 0[6 -2000];; 1\n");
}

TEST(Jsonl, ReadsTheKeysOfPyTorchGeometric) {
  const std::string pyg =
      R"({"x": [[6, 0.5], [8, 1]], "edge_index": [[0, 1], [1, 0]], "edge_attr": [[1], [1]], "y": [0]})"
      "\n"
      R"({"x": [[6, -2e3]], "edge_index": [[], []], "edge_attr": [], "y": [1], "id": "b"})"
      "\n";
  EXPECT_EQ(described(read(pyg)), described(read(kTwo)));
  EXPECT_EQ(described(read("{\"num_nodes\":1,\"label\":\"a\"}\n{\"num_nodes\":1,\"label\":\"b\"}\n")),
            "classification label{a,b}\nnodes constant\nedges\n: 0[1];; a\n: 0[1];; b\n");
  EXPECT_EQ(error("{\"x\":[1],\"node_feat\":[1]}\n"),
            "file:1:22: 'node_feat' means what another key of the line says already | leave one of them out");
}

TEST(Jsonl, KeysThatAreNotUsedAreNamed) {
  const Dataset data =
      read("{\"num_nodes\":1,\"y\":0,\"smiles\":\"C\",\"z\":[1]}\n{\"num_nodes\":1,\"y\":1,\"ptr\":{}}\n");
  EXPECT_THAT(data.notes, ElementsAre("the keys smiles, z, ptr are not used; --target or --keep takes them"));
  EXPECT_TRUE(read(kTwo).notes.empty());
  DataOptions options;
  options.keep = {"smiles"};
  EXPECT_THAT(read("{\"num_nodes\":1,\"smiles\":\"C\",\"z\":[1]}\n", options).notes,
              ElementsAre("the key z is not used; --target or --keep takes it"));
}

TEST(Jsonl, NodesFollowFromEdgesOrFeaturesWhereTheyAreNotCounted) {
  EXPECT_EQ(described(read("{\"edge_index\":[[0],[2]]}\n{\"num_nodes\":1}\n")),
            "none \nnodes constant\nedges\n: 0[1] 1[1] 2[1]; 0>2;\n: 0[1];;\n");
  EXPECT_EQ(described(read("{\"node_feat\":[\"a\",\"b\"]}")), "none \nnodes node_feat0{a,b}\nedges\n: 0[a] 1[b];;\n");
}

TEST(Jsonl, TextInQuotesIsACategoryWhateverItLooksLike) {
  EXPECT_EQ(read(R"({"node_feat":[["7"],["7.5"],["nan"],[""],[3]]})").schema.nodes.categories.at(0).values,
            (std::vector<std::string>{"3", "", "7", "7.5", "nan"}));
}

TEST(Jsonl, StringsMayHoldEscapesAndAnyLetter) {
  const Dataset data = read(R"({"num_nodes":1,"id":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é","y":"x"})");
  EXPECT_EQ(data.graphs.id(0), "a\"\\/\b\f\n\r\t\u00e9\U0001F600\u00e9");
}

TEST(Jsonl, TargetsMayBeNestedBlankOrMissing) {
  EXPECT_EQ(
      described(read("{\"num_nodes\":1,\"y\":[[0.5,1],null]}\n{\"num_nodes\":1}\n{\"num_nodes\":1,\"y\":[1,NaN,2]}\n")),
      "regression y0,y1,y2\nnodes constant\nedges\n: 0[1];; 0.5 1 ?\n: 0[1];; ? ? ?\n: 0[1];; 1 ? 2\n");
  EXPECT_EQ(described(read("{\"num_nodes\":1,\"y\":true}\n{\"num_nodes\":1,\"y\":false}\n")),
            "classification y{false,true}\nnodes constant\nedges\n: 0[1];; true\n: 0[1];; false\n");
}

TEST(Jsonl, OtherKeysCanBeTargetsIdsOrKept) {
  DataOptions options;
  options.targets = {"mu", "gap"};
  options.id_column = "name";
  options.keep = {"split"};
  const Dataset data = read(
      R"({"num_nodes":1,"mu":1.5,"gap":2.5,"name":"m","split":"train","other":{"a":[1,{"b":"]"}]},"y":9})", options);
  EXPECT_EQ(described(data), "regression mu,gap\nnodes constant\nedges\nm: 0[1];; 1.5 2.5\n");
  EXPECT_THAT(data.columns.at("split"), ElementsAre("train"));
}

TEST(Jsonl, ALineWithoutTheKeyOfIdsIsNamedByItsId) {
  DataOptions options;
  options.id_column = "name";
  const Dataset data = read("{\"num_nodes\":1,\"id\":\"a\",\"name\":\"b\"}\n{\"num_nodes\":1,\"id\":\"c\"}\n", options);
  EXPECT_EQ(data.graphs.id(0), "b");
  EXPECT_EQ(data.graphs.id(1), "c");
}

TEST(Jsonl, PositionsAndMarksAreKept) {
  const Dataset data = read(R"({"num_nodes":2,"pos":[[0,1,2.5],[3,4,-5]],"node_marks":[0,1]})");
  EXPECT_THAT(data.graphs.notes(0).positions, ElementsAre(0, 1, 2.5F, 3, 4, -5));
  EXPECT_THAT(data.graphs.notes(0).marks, ElementsAre(0, 1));
}

TEST(Jsonl, RepeatedEdgesKeepAllTheirRows) {
  EXPECT_EQ(described(read(R"({"num_nodes":2,"edge_index":[[0,0,1],[1,1,1]],"edge_attr":[[0.5],[0.25],[1]]})")),
            "none \nnodes constant\nedges edge_attr0\n: 0[1] 1[1]; 0>1[0.5][0.25] 1>1[1];\n");
}

TEST(Jsonl, EdgesGoAsListedUnlessAsked) {
  DataOptions options;
  options.direction = Direction::kUndirected;
  const std::string text = R"({"num_nodes":3,"edge_index":[[0,1,1],[1,0,2]],"edge_attr":[[1],[2],[3]]})";
  EXPECT_EQ(described(read(text)),
            "none \nnodes constant\nedges edge_attr0{1,2,3}\n: 0[1] 1[1] 2[1]; 0>1[1] 1>0[2] 1>2[3];\n");
  EXPECT_EQ(described(read(text, options)),
            "none \nnodes constant\nedges edge_attr0{1,2,3}\n: 0[1] 1[1] 2[1]; 0>1[1] 1>0[2] 1>2[3] 2>1[3];\n");
}

TEST(Jsonl, WindowsLineEndsAByteOrderMarkTabsAndBlankLinesAreAccepted) {
  EXPECT_EQ(described(read("\xEF\xBB\xBF\r\n{\t\"num_nodes\"\t:\t2\t,\t\"edge_index\":[[0\t],[1]]\t}\t\r\n\r\n")),
            "none \nnodes constant\nedges\n: 0[1] 1[1]; 0>1;\n");
}

struct BadLine {
  const char* name;
  const char* line;
  std::string message;
};

std::ostream& operator<<(std::ostream& out, const BadLine& bad) { return out << bad.name; }

class BadJsonl : public testing::TestWithParam<BadLine> {};

// Each follows a good line, whose graph has two nodes, an edge feature and one target.
TEST_P(BadJsonl, IsRefusedWithAReason) {
  const std::string good =
      R"({"id":"a","num_nodes":2,"edge_index":[[0],[1]],"edge_attr":[[0.5]],"node_feat":[[1],[2]],"y":1})";
  EXPECT_EQ(error(good + "\n" + GetParam().line + "\n"), "file:2:" + GetParam().message);
}

std::string cut_at(const std::string& column) {
  return column +
         ": the line ends before the object does | write each object on one line; if the file was cut off, get it "
         "again";
}

const auto kName = [](const testing::TestParamInfo<BadLine>& info) { return std::string(info.param.name); };

INSTANTIATE_TEST_SUITE_P(
    Syntax, BadJsonl,
    testing::Values(
        BadLine{"NotAnObject", "[1]", "1: '{' should be here | correct the line"},
        BadLine{"CutBeforeAKey", R"({)", cut_at("2")}, BadLine{"CutInTheMiddle", R"({"num_nodes":)", cut_at("14")},
        BadLine{"CutBehindAKey", R"({"num_nodes")", cut_at("13")},
        BadLine{"CutBehindAComma", R"({"num_nodes":2, )", cut_at("17")},
        BadLine{"CutInAList", R"({"edge_index":[[0,1)", cut_at("20")},
        BadLine{"NoClosingBrace", R"({"num_nodes":2)", cut_at("15")},
        BadLine{"NoComma", R"({"a":1 "b":2})", "8: ',' should be here | correct the line"},
        BadLine{"TrailingComma", R"({"a":1,})", "8: a key in quotes should be here | correct the line"},
        BadLine{"KeyWithoutQuotes", R"({a:1})", "2: a key in quotes should be here | correct the line"},
        BadLine{"KeyWithoutValue", R"({"a"})", "5: ':' should be here | correct the line"},
        BadLine{"UnclosedString", R"({"id":"abc})", "7: this string has no closing quote | correct the line"},
        BadLine{"UnknownEscape", R"({"id":"\x"})", "8: this is no escape sequence of JSON | correct the line"},
        BadLine{"ShortUnicodeEscape", R"({"id":"\u12"})",
                "12: four hexadecimal digits should follow \\u | correct the line"},
        BadLine{"HalfASurrogatePair", R"({"id":"\ud800"})", "8: half of a surrogate pair | correct the line"},
        BadLine{"NotUtf8", "{\"id\":\"\xFF\"}", "7: this string is not UTF-8 | save the file as UTF-8"},
        BadLine{"TwoObjects", R"({"num_nodes":1,"node_feat":[[1]]} {})",
                "35: there is something behind the end of the object | write one graph per line"},
        BadLine{"DuplicateKey", R"({"num_nodes":1,"num_nodes":2})",
                "28: the key 'num_nodes' is there twice | correct the line"},
        BadLine{"NoValue", R"({"y":,"num_nodes":2})", "6: a value should be here | text needs quotes"},
        BadLine{"BareWord", R"({"y":yes})", "6: 'yes' is no JSON value | text needs quotes"},
        BadLine{"BracketsWithoutEnd", R"({"other":[[)", cut_at("12")},
        BadLine{"BracketThatClosesNothing", R"({"other":]})", "10: this bracket closes nothing | correct the line"}),
    kName);

INSTANTIATE_TEST_SUITE_P(
    Types, BadJsonl,
    testing::Values(
        BadLine{"EdgesAreANumber", R"({"edge_index":3})", "15: '[' should be here | correct the line"},
        BadLine{"EdgesAreNotNested", R"({"edge_index":[0,1]})", "16: '[' should be here | correct the line"},
        BadLine{"NodeCountIsText", R"({"num_nodes":"2"})",
                "14: the number of nodes should be a whole number from 0, but is '2' | correct the line"},
        BadLine{"NodeCountIsNegative", R"({"num_nodes":-2})",
                "14: the number of nodes should be a whole number from 0, but is '-2' | correct the line"},
        BadLine{"NodeCountBeyond64Bits", R"({"num_nodes":18446744073709551616})",
                "14: the number of nodes should be a whole number from 0, but is '18446744073709551616' | correct the "
                "line"},
        BadLine{"EdgeEndIsAFraction", R"({"edge_index":[[0.5],[1]]})",
                "17: the node should be a whole number from 0, but is '0.5' | correct the line"},
        BadLine{"FeatureIsAnObject", R"({"node_feat":[[{}]]})", "16: a single value should be here | correct the line"},
        BadLine{"FeatureIsNull", R"({"node_feat":[[null]]})", "16: a feature is missing: '' | replace missing values"},
        BadLine{"FeatureIsNan", R"({"node_feat":[[NaN]]})", "16: a feature is missing: 'NaN' | replace missing values"},
        BadLine{"FeatureIsInfinite", R"({"node_feat":[[-Infinity]]})",
                "16: a feature is infinite: '-Infinity' | replace infinite values"},
        BadLine{"FeatureBeyondAllBounds", R"({"node_feat":[[1e999]]})",
                "16: '1e999' is no JSON value | text needs quotes"},
        BadLine{"FeatureTooLargeForAFloat", R"({"node_feat":[[1e40]]})",
                "16: the feature '1e40' is too large for a float | scale the column"},
        BadLine{"TextAmongNumbers", R"({"num_nodes":1,"node_feat":[[1]],"edge_index":[[0],[0]],"edge_attr":[["x"]]})",
                "71: the feature should be a finite number, but is 'x' | replace missing and infinite values"},
        BadLine{"CoordinateIsText", R"({"pos":[["a",0,0]]})",
                "10: a coordinate should be a finite number | correct the line"},
        BadLine{"CoordinateTooLargeForAFloat", R"({"pos":[[0,1e40,0]]})",
                "12: a coordinate should be a finite number | correct the line"},
        BadLine{"TwoCoordinates", R"({"pos":[[0,0]]})",
                "9: a position has 3 coordinates, this one has 2 | correct the line"},
        BadLine{"TargetNestedTooDeep", R"({"y":[[[[[[[[[1]]]]]]]]]})",
                "14: the lists of a target are nested too deep | correct the line"}),
    kName);

INSTANTIATE_TEST_SUITE_P(
    Counts, BadJsonl,
    testing::Values(
        BadLine{"NoGraphAtAll", R"({"y":1})",
                "1: the line has none of edge_index, num_nodes and node_feat | these keys describe a graph"},
        BadLine{"NoNodes", R"({"num_nodes":0})", "14: the graph has no nodes | leave empty graphs out"},
        BadLine{"NoNodesThatFollowFromEdges", R"({"edge_index":[[],[]]})",
                "15: the graph has no nodes | leave empty graphs out"},
        BadLine{"TooManyNodes", R"({"num_nodes":4294967296})",
                "14: the graph has more than 2^32 nodes | split the graph"},
        BadLine{"EndBeyond32Bits", R"({"edge_index":[[4294967295],[0]]})",
                "17: node 4294967295 is beyond 2^32 nodes | correct the line"},
        BadLine{"EndsOfDifferentNumber", R"({"edge_index":[[0,1],[1]]})",
                "15: edge_index has 2 first ends but 1 second ends | give two lists of the same length"},
        BadLine{"ThreeListsOfEnds", R"({"edge_index":[[0],[1],[2]]})",
                "24: edge_index has more than two lists | it is a list of first ends and a list of second ends"},
        BadLine{"EndOutOfRange", R"({"num_nodes":2,"edge_index":[[0],[2]],"node_feat":[[1],[1]]})",
                "29: edge_index names node 2, but the graph's nodes are 0 to 1 | number the nodes of every graph from "
                "0"},
        BadLine{"TooFewNodeRows", R"({"num_nodes":2,"node_feat":[[1]]})",
                "28: node_feat has 1 rows, but the graph has 2 nodes | give one row per node"},
        BadLine{"TooManyEdgeRows", R"({"num_nodes":1,"node_feat":[[1]],"edge_index":[[0],[0]],"edge_attr":[[1],[2]]})",
                "69: edge_attr has 2 rows, but the graph has 1 edges | give one row per edge"},
        BadLine{"NodeRowTooWide", R"({"node_feat":[[1,2]]})",
                "18: this row of node_feat has more than 1 values | give all rows the same number of values"},
        BadLine{"NodeRowTooNarrow", R"({"node_feat":[[]]})",
                "15: this row of node_feat has 0 values, others have 1 | give all rows the same number of values"},
        BadLine{"NoNodeFeatures", R"({"num_nodes":1})",
                "1: the graph has no node_feat, unlike others | give all graphs the same features"},
        BadLine{"NoEdgeFeatures", R"({"num_nodes":1,"node_feat":[[1]],"edge_index":[[0],[0]]})",
                "1: the graph has no edge_attr, unlike others | give all graphs the same features"},
        BadLine{"PositionsUnlikeTheFirst", R"({"num_nodes":1,"node_feat":[[1]],"pos":[[0,0,0]]})",
                "1: graph 1 has its positions, unlike those before it | give them for every graph or for none"},
        BadLine{"TooFewPositions", R"({"num_nodes":2,"node_feat":[[1],[1]],"pos":[[0,0,0]]})",
                "44: pos has 1 rows, but the graph has 2 nodes | give one row per node"},
        BadLine{"TooManyMarks", R"({"num_nodes":1,"node_feat":[[1]],"node_marks":[0,1]})",
                "47: node_marks has 2 values, but the graph has 1 nodes | give one per node"},
        BadLine{"TooManyTargets", R"({"num_nodes":1,"node_feat":[[1]],"y":[1,2]})",
                "1: y has 2 values, that of the first graph has 1 | give every graph the same number of targets; null "
                "stands for a blank"},
        BadLine{"DuplicateId", R"({"id":"a","num_nodes":1,"node_feat":[[1]]})",
                "1: the id 'a' is there twice | give every graph its own id"}),
    kName);

TEST(JsonlBad, HugeCountsInATinyFileAreRefusedAtOnce) {
  EXPECT_EQ(error(R"({"num_nodes":4000000000,"edge_index":[[0],[1]]})"),
            "file:1:1: the graph says it has 4000000000 nodes, but lists 1 edges | check the number of nodes");
  EXPECT_EQ(error(R"({"edge_index":[[0],[4000000000]]})"),
            "file:1:1: the graph says it has 4000000001 nodes, but lists 1 edges | check the number of nodes");
}

TEST(JsonlBad, DeepNestingIsRefused) {
  EXPECT_EQ(error("{\"other\":" + std::string(100000, '[')),
            "file:1:74: brackets are nested more than 64 deep | correct the line");
}

TEST(JsonlBad, AFileWithoutGraphsIsRefused) { EXPECT_EQ(error("\n\n"), "file holds no graphs | check the file"); }

TEST(JsonlBad, TargetsAndColumnsThatAreNotThereAreRefused) {
  DataOptions options;
  options.targets = {"mu"};
  EXPECT_EQ(error("{\"num_nodes\":1}", options), "usage: file has no target 'mu' | it has no targets at all");
  options.targets.clear();
  options.keep = {"split"};
  EXPECT_EQ(error("{\"num_nodes\":1}", options), "usage: no line of file has the key 'split' | correct the name");
}

TEST(JsonlBad, OnlyKeysThatCanBeTargetsAreOfferedAsTargets) {
  const std::string line =
      R"({"num_nodes":2,"edge_index":[[0],[1]],"node_feat":[1,2],"edge_attr":[1],"pos":[[0,0,0],[1,0,0]],)"
      R"("node_marks":[0,1],"id":"a","code":"b","other":{"z":1},"y":0.5,"gap":[1,2]})";
  DataOptions options;
  options.id_column = "code";
  const auto wanting = [&](const std::string& target) {
    options.targets = {target};
    return error(line, options);
  };
  EXPECT_EQ(wanting("zzz"), "usage: file has no target 'zzz' | its targets are y, gap");
  EXPECT_EQ(wanting("num_nodes"), "usage: file has no target 'num_nodes' | its targets are y, gap");
  EXPECT_EQ(wanting("gaps"), "usage: file has no target 'gaps' | did you mean gap?");
  options.id_column.clear();
  EXPECT_EQ(wanting("id"), "accepted");
}

TEST(JsonlBad, AListOfTargetsIsNoClassAndTheHintSaysWhatItCanBe) {
  DataOptions options;
  options.task = Task::kClassification;
  const std::string line = R"({"num_nodes":1,"y":[0,1,1,0],"z":1})";
  const std::string message =
      "usage: file:1:21: classification has one target, but the key 'y' holds 4 values | use "
      "--task multilabel or regression, or give each value a key of its own and choose one with --target";
  EXPECT_EQ(error(line, options), message);
  options.targets = {"z", "y"};
  EXPECT_EQ(error(line, options), message);
  options.targets = {"z"};
  EXPECT_EQ(read(line, options).schema.task, Task::kClassification);
  options.targets.clear();
  for (const Task task : {Task::kMultilabel, Task::kRegression}) {
    options.task = task;
    EXPECT_THAT(read(line, options).schema.targets, ElementsAre("y0", "y1", "y2", "y3"));
  }
}

TEST(JsonlBad, TextAmongTheNumbersOfATargetIsNamedWithItsPlace) {
  EXPECT_EQ(error("{\"num_nodes\":1,\"y\":[1,2.5]}\n{\"num_nodes\":1,\"y\":[3, \"bad\"]}\n"),
            "file:2:24: target column 'y1' holds numbers, but also 'bad' | correct the value or leave it blank");
  EXPECT_EQ(error("{\"num_nodes\":1,\"y\":0.5}\n{\"num_nodes\":1,\"y\":Infinity}\n"),
            "file:2:20: target column 'y' holds numbers, but also 'Infinity' | correct the value or leave it blank");
}

}  // namespace
}  // namespace agentnet
