#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "data/formats/readers.h"
#include "support/read_members.h"
#include "support/same_sets.h"

namespace agentnet {
namespace {

// Two graphs: an edge 1 - 2 and a path 3 - 4 - 5.
const Members kPlain = {
    {"X_A.txt", "1, 2\n2, 1\n3, 4\n4, 3\n4, 5\n5, 4\n"},
    {"X_graph_indicator.txt", "1\n1\n2\n2\n2\n"},
    {"X_graph_labels.txt", "-1\n1\n"},
};
const Members kFull = with(with(with(with(kPlain, "X_node_labels.txt", "0\n3\n0\n0\n3\n"), "X_node_attributes.txt",
                                     "1.5, 2\n1, 2\n0.25, 2\n1, 2\n1, 2\n"),
                                "X_edge_labels.txt", "1\n1\n0\n0\n0\n0\n"),
                           "X_edge_attributes.txt", "1\n1\n2\n2\n3\n3\n");

Dataset read(const Members& members, const DataOptions& options = {}) {
  return read_members_as(read_tu, members, options);
}
std::string error(const Members& members, const DataOptions& options = {}) {
  return error_of_members(read_tu, members, options);
}

TEST(Tu, NodesWithoutFeaturesGetAConstant) {
  EXPECT_EQ(described(read(kPlain)),
            "classification class{-1,1}\nnodes constant\nedges\n"
            ": 0[1] 1[1]; 0>1 1>0; -1\n"
            ": 0[1] 1[1] 2[1]; 0>1 1>0 1>2 2>1; 1\n");
}

TEST(Tu, LabelsAreCategoriesAndAttributesNumbers) {
  EXPECT_EQ(described(read(kFull)),
            "classification class{-1,1}\nnodes label{0,3} attribute0 attribute1\nedges label{0,1} attribute\n"
            ": 0[0 1.5 2] 1[3 1 2]; 0>1[1 1] 1>0[1 1]; -1\n"
            ": 0[0 0.25 2] 1[0 1 2] 2[3 1 2]; 0>1[0 2] 1>0[0 2] 1>2[0 3] 2>1[0 3]; 1\n");
}

TEST(Tu, EdgesMayComeInAnyOrder) {
  const Members mixed = with(
      with(with(kFull, "X_A.txt", "5, 4\n1, 2\n4, 3\n3, 4\n2, 1\n4, 5\n"), "X_edge_labels.txt", "0\n1\n0\n0\n1\n0\n"),
      "X_edge_attributes.txt", "3\n1\n2\n2\n1\n3\n");
  EXPECT_EQ(described(read(mixed)), described(read(kFull)));
}

TEST(Tu, NodesOfAGraphNeedNotStandTogether) {
  const Members mixed = {{"X_A.txt", "1, 3\n2, 4\n"}, {"X_graph_indicator.txt", "1\n2\n1\n2\n"}};
  EXPECT_EQ(described(read(mixed)), "none \nnodes constant\nedges\n: 0[1] 1[1]; 0>1;\n: 0[1] 1[1]; 0>1;\n");
}

TEST(Tu, LabelsOfSeveralColumnsAreAsManyColumns) {
  const Dataset data = read(with(kPlain, "X_node_labels.txt", "0,10\n1,10\n1,11\n0,10\n0,10\n"));
  EXPECT_EQ(data.schema.nodes.categories,
            (std::vector<CategoryColumn>{{"label0", {"0", "1"}}, {"label1", {"10", "11"}}}));
}

TEST(Tu, EdgesGoOneWayAsListedUnlessAsked) {
  const Members one_way = with(kPlain, "X_A.txt", "1,2\n3,4\n5,4\n");
  const auto edges = [&](Direction direction) {
    DataOptions options;
    options.direction = direction;
    return edges_of(read(one_way, options).graphs.view(1));
  };
  EXPECT_EQ(edges(Direction::kAsFormat), (Ends{{0, 1}, {2, 1}}));
  EXPECT_EQ(edges(Direction::kDirected), (Ends{{0, 1}, {2, 1}}));
  EXPECT_EQ(edges(Direction::kUndirected), (Ends{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
}

TEST(Tu, GraphAttributesAreTargetsWhereThereAreNoLabelsOrTheyAreAskedFor) {
  const Members both = with(kPlain, "X_graph_attributes.txt", "0.5, 7\nnan, 8\n");
  EXPECT_EQ(read(both).schema.task, Task::kClassification);
  DataOptions options;
  options.targets = {"attribute1"};
  options.task = Task::kRegression;
  EXPECT_EQ(read(both, options).graphs.targets(1)[0], 8);
  EXPECT_EQ(described(read(without(both, "X_graph_labels.txt"))),
            "regression attribute0,attribute1\nnodes constant\nedges\n"
            ": 0[1] 1[1]; 0>1 1>0; 0.5 7\n"
            ": 0[1] 1[1] 2[1]; 0>1 1>0 1>2 2>1; ? 8\n");
}

// n graphs of one node each, graph i with this line in a file of targets.
Members graphs_with(const std::string& file, int n) {
  std::string indicator, values;
  for (int i = 0; i < n; ++i) {
    indicator += std::to_string(i + 1) + "\n";
    values += std::to_string(7 * i % n) + "\n";
  }
  return {{"X_A.txt", ""}, {"X_graph_indicator.txt", indicator}, {"X_" + file + ".txt", values}};
}

TEST(Tu, LabelsAreClassesAndAttributesNumbersHoweverManyThereAre) {
  const Dataset labels = read(graphs_with("graph_labels", 100));
  EXPECT_EQ(labels.schema.task, Task::kClassification);
  EXPECT_EQ(labels.schema.classes.size(), 100U);
  EXPECT_EQ(read(graphs_with("graph_attributes", 3)).schema.task, Task::kRegression);
}

TEST(Tu, LabelsCanBeReadWithoutAttributes) {
  DataOptions options;
  options.node_columns = {"label"};
  options.edge_columns = {"attribute"};
  EXPECT_EQ(described(read(kFull, options)),
            "classification class{-1,1}\nnodes label{0,3}\nedges attribute\n"
            ": 0[0] 1[3]; 0>1[1] 1>0[1]; -1\n"
            ": 0[0] 1[0] 2[3]; 0>1[2] 1>0[2] 1>2[3] 2>1[3]; 1\n");
}

TEST(Tu, SeveralYesNoColumnsWithBlanksAreAMultilabelTask) {
  const Dataset data = read(with(without(kPlain, "X_graph_labels.txt"), "X_graph_attributes.txt", "0, nan\n1, 1\n"));
  EXPECT_EQ(data.schema.task, Task::kMultilabel);
  EXPECT_EQ(data.graphs.targets(0)[0], 0);
  EXPECT_TRUE(std::isnan(data.graphs.targets(0)[1]));
}

TEST(Tu, ClassesKeepTheirSpelling) {
  EXPECT_EQ(read(with(kPlain, "X_graph_labels.txt", "toxic\nharmless\n")).schema.classes,
            (std::vector<std::string>{"harmless", "toxic"}));
  EXPECT_EQ(read(with(kPlain, "X_graph_labels.txt", "10\n9\n")).schema.classes, (std::vector<std::string>{"9", "10"}));
}

TEST(Tu, WindowsLineEndsByteOrderMarksAndBlankLinesAreAccepted) {
  Members windows = kFull;
  for (auto& [name, text] : windows) {
    std::string changed = "\xEF\xBB\xBF";
    for (const char c : text) changed += c == '\n' ? std::string("\r\n\r\n") : std::string(1, c);
    text = changed;
  }
  EXPECT_EQ(described(read(windows)), described(read(kFull)));
}

TEST(Tu, GraphsWithoutEdgesAreGraphs) {
  EXPECT_EQ(described(read({{"X_A.txt", ""}, {"X_graph_indicator.txt", "1\n2\n"}})),
            "none \nnodes constant\nedges\n: 0[1];;\n: 0[1];;\n");
}

TEST(TuBad, MissingFilesAreNamed) {
  EXPECT_EQ(error(without(kPlain, "X_A.txt")),
            "set has no file that ends in _A.txt | a TU set has NAME_A.txt and NAME_graph_indicator.txt");
  EXPECT_EQ(error(without(kPlain, "X_graph_indicator.txt")),
            "set has no file X_graph_indicator.txt | it holds the number of the graph of every node");
}

TEST(TuBad, TwoSetsInOneFolderAreNotMixed) {
  EXPECT_EQ(error(with(kPlain, "Y_A.txt", "1, 2\n")),
            "set holds both X_A.txt and Y_A.txt | keep the files of one set in one folder");
}

TEST(TuBad, WrongNumbersOfGraphsAreNamedWithTheirPlace) {
  EXPECT_EQ(error(with(kPlain, "X_graph_indicator.txt", "0\n")),
            "set/X_graph_indicator.txt:1:1: there is no graph 0 | number the graphs from 1");
  EXPECT_EQ(
      error(with(kPlain, "X_graph_indicator.txt", "1\n3\n")),
      "set/X_graph_indicator.txt:2:1: graph 3 begins here, but graph 2 has no nodes yet | number the graphs from 1 "
      "in the order of their nodes; leave empty graphs out");
  EXPECT_EQ(error(with(kPlain, "X_graph_indicator.txt", "")),
            "set/X_graph_labels.txt:3:1: the file has 2 lines, but set/X_graph_indicator.txt names 0 graphs | give one "
            "line per graph, and every graph a node");
  EXPECT_EQ(error({{"X_A.txt", ""}, {"X_graph_indicator.txt", "\n"}}), "set holds no graphs | check the file");
}

TEST(TuBad, WrongNumbersOfLinesAreNamedWithTheirPlace) {
  EXPECT_EQ(error(with(kFull, "X_graph_labels.txt", "1\n")),
            "set/X_graph_labels.txt:2:1: the file has 1 lines, but set/X_graph_indicator.txt names 2 graphs | give one "
            "line per graph, and every graph a node");
  EXPECT_EQ(error(with(kFull, "X_node_labels.txt", "0\n3\n")),
            "set/X_node_labels.txt:3:1: the file ends before the line of node 3 | give one line each");
  EXPECT_EQ(error(with(kFull, "X_node_labels.txt", "0\n3\n0\n0\n3\n3\n")),
            "set/X_node_labels.txt:6:1: the file goes on after the lines of all 5 nodes | give one line each");
  EXPECT_EQ(error(with(kFull, "X_edge_labels.txt", "0\n3\n")),
            "set/X_edge_labels.txt:3:1: the file ends before the line of edge 3 | give one line each");
  EXPECT_EQ(error(with(kFull, "X_edge_attributes.txt", "1\n1\n1\n1\n1\n1\n1\n")),
            "set/X_edge_attributes.txt:7:1: the file goes on after the lines of all 6 edges | give one line each");
}

TEST(TuBad, RaggedRowsAreNamedWithTheirPlace) {
  EXPECT_EQ(error(with(kFull, "X_node_attributes.txt", "1, 2\n1\n")),
            "set/X_node_attributes.txt:2:2: the line has 1 values, the first line of the file has 2 | give every line "
            "the same number of values");
  EXPECT_EQ(error(with(kFull, "X_node_attributes.txt", "1, 2\n1, 2, 3\n")),
            "set/X_node_attributes.txt:2:7: there is more on the line than 2 values, as in the first line of the file: "
            "'3' | correct the line");
  EXPECT_EQ(
      error(with(without(kPlain, "X_graph_labels.txt"), "X_graph_attributes.txt", "1, 2\n1\n")),
      "set/X_graph_attributes.txt:2:1: the line has 1 values, the first line of the file has 2 | give every graph "
      "the same targets");
}

TEST(TuBad, WrongFeaturesAreNamedWithTheirPlace) {
  const std::string place = "set/X_node_attributes.txt:1:4: ";
  const auto attributes = [](const std::string& value) {
    return error(with(kFull, "X_node_attributes.txt", "1, " + value + "\n"));
  };
  EXPECT_EQ(attributes("x"), place +
                                 "the feature should be a finite number, but is 'x' | replace missing and infinite "
                                 "values");
  EXPECT_EQ(attributes("NaN"), place + "a feature is missing: 'NaN' | replace missing values");
  EXPECT_EQ(attributes("-inf"), place + "a feature is infinite: '-inf' | replace infinite values");
  EXPECT_EQ(attributes("1e999"), place +
                                     "the feature should be a finite number, but is '1e999' | replace missing and "
                                     "infinite values");
  EXPECT_EQ(attributes("1e39"), place + "the feature '1e39' is too large for a float | scale the column");
  EXPECT_EQ(error(with(kFull, "X_node_labels.txt", "0\n\xFF\n")),
            "set/X_node_labels.txt:2:1: the feature '\\xff' is not UTF-8 | save the file as UTF-8");
}

TEST(TuBad, WrongEdgesAreNamedWithTheirPlace) {
  const auto edge = [](const std::string& text) { return error(with(kPlain, "X_A.txt", "1, 2\n" + text + "\n")); };
  const std::string place = "set/X_A.txt:2:";
  EXPECT_EQ(edge("1, 6"), place + "4: there is no node 6: nodes are 1 to 5 | number the nodes from 1 over all graphs");
  EXPECT_EQ(edge("0, 1"), place + "1: there is no node 0: nodes are 1 to 5 | number the nodes from 1 over all graphs");
  EXPECT_EQ(edge("2, 3"), place + "1: node 2 is in graph 1, but node 3 in graph 2 | an edge joins nodes of one graph");
  EXPECT_EQ(edge("a, 3"),
            place + "1: the number of the node should be a whole number from 0, but is 'a' | correct the line");
  EXPECT_EQ(edge("-1, 3"),
            place + "1: the number of the node should be a whole number from 0, but is '-1' | correct the line");
  EXPECT_EQ(edge("18446744073709551616, 3"), place +
                                                 "1: the number of the node should be a whole number from 0, but is "
                                                 "'18446744073709551616' | correct the line");
  EXPECT_EQ(edge("1"), place + "2: the line ends where its number of the node should be | correct the line");
  EXPECT_EQ(edge("1, 2, 3"),
            place + "7: there is more on the line than the two nodes of an edge: '3' | correct the line");
}

TEST(TuBad, ATargetThatIsNotThereIsNamedWithThoseThatAre) {
  DataOptions options;
  options.targets = {"clas"};
  EXPECT_EQ(error(kPlain, options), "usage: set/X_graph_labels.txt has no target 'clas' | did you mean class?");
  EXPECT_EQ(error(without(kPlain, "X_graph_labels.txt"), options),
            "usage: set has no target 'clas' | it has no targets at all");
}

}  // namespace
}  // namespace agentnet
