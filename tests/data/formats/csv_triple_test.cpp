#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "data/formats/readers.h"
#include "data/syntax/csv.h"
#include "support/read_members.h"
#include "support/same_sets.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;

const Members kTables = {
    {"graphs.csv", "graph,label,note\ng1,yes,first\ng2,no,\"a, b\"\n"},
    {"nodes.csv", "graph,node,element,mass\ng1,a,C,12.5\ng1,b,O,16\ng2,x,C,12\n"},
    {"edges.csv", "graph,source,target,order\ng1,a,b,2\n"},
};

Dataset read(const Members& members, const DataOptions& options = {}) {
  return read_members_as(read_csv_triple, members, options);
}
std::string error(const Members& members, const DataOptions& options = {}) {
  return error_of_members(read_csv_triple, members, options);
}

DataOptions with_target(const std::string& name) {
  DataOptions options;
  options.targets = {name};
  return options;
}

TEST(CsvTriple, ReadsGraphsNodesAndEdges) {
  DataOptions options = with_target("label");
  options.keep = {"note"};
  const Dataset data = read(kTables, options);
  EXPECT_EQ(described(data),
            "classification label{no,yes}\nnodes element{C,O} mass\nedges order{2}\n"
            "g1: 0[C 12.5] 1[O 16]; 0>1[2] 1>0[2]; yes\n"
            "g2: 0[C 12];; no\n");
  EXPECT_THAT(data.columns.at("note"), ElementsAre("first", "a, b"));
}

TEST(CsvTriple, AllOtherColumnsOfNumbersAreTargets) {
  EXPECT_EQ(described(read(with(kTables, "graphs.csv", "id,p,remark,q\ng2,0.5,x,\ng1,1,y,2\n"))),
            "regression p,q\nnodes element{C,O} mass\nedges order{2}\n"
            "g2: 0[C 12];; 0.5 ?\n"
            "g1: 0[C 12.5] 1[O 16]; 0>1[2] 1>0[2]; 1 2\n");
}

TEST(CsvTriple, AGraphWithAOneInDirectedHasEdgesAsListed) {
  const Members members = with(kTables, "graphs.csv", "graph,directed\ng1,1\ng2,0\n");
  EXPECT_EQ(edges_of(read(members).graphs.view(0)), (Ends{{0, 1}}));
  DataOptions options;
  options.direction = Direction::kUndirected;
  EXPECT_EQ(edges_of(read(members, options).graphs.view(0)), (Ends{{0, 1}, {1, 0}}));
}

TEST(CsvTriple, WithoutGraphsThereAreNoTargetsAndWithoutNamesNodesAreNumbered) {
  EXPECT_EQ(
      described(read({{"nodes.csv", "graph_id,kind\n1,a\n1,b\n2,a\n"}, {"edges.csv", "graph_id,from,to\n1,1,0\n"}})),
      "none \nnodes kind{a,b}\nedges\n1: 0[a] 1[b]; 0>1 1>0;\n2: 0[a];;\n");
}

TEST(CsvTriple, SpaceAroundFieldsWindowsLineEndsAByteOrderMarkAndBlankLinesAreAccepted) {
  const Members windows = {
      {"x/graphs.csv", "\xEF\xBB\xBFgraph , label, note\r\n\r\n g1 ,yes , first\r\ng2,no, \"a, b\" \r\n"},
      {"x/nodes.csv", "\xEF\xBB\xBFGraph, Node, element, mass\r\ng1, a, C, 12.5\r\ng1, b, O, 16\r\ng2,x ,C,12"},
      {"x/edges.csv", "graph,source,target,order\r\ng1, a, b, 2\r\n"},
  };
  EXPECT_EQ(described(read(windows, with_target("label"))), described(read(kTables, with_target("label"))));
}

TEST(Csv, QuotedFieldsMayHoldCommasQuotesSpaceAndLineEnds) {
  const Input input = Input::from_text("file", "a,b,c\n\" x\",\"1,\"\"2\"\"\",\"two\nlines\"\n,,\n");
  CsvReader table(input, "file");
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.field(0), " x");
  EXPECT_EQ(table.field(1), "1,\"2\"");
  EXPECT_EQ(table.field(2), "two\nlines");
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.field(2), "");
  EXPECT_EQ(table.where(2), "file:4:3");
  EXPECT_FALSE(table.next());
}

TEST(CsvBad, BrokenTablesAreNamedWithTheirPlace) {
  const auto nodes = [](const std::string& text) { return error(with(kTables, "nodes.csv", text)); };
  const std::string place = "set/nodes.csv:";
  EXPECT_EQ(nodes(""), place + "1:1: the file is empty | its first line should name the columns");
  EXPECT_EQ(nodes("graph,node,x,x\n"), place + "1:14: there are two columns 'x' | rename one of them");
  EXPECT_EQ(nodes("graph,node,\xFF\n"), place + "1:12: the name '\\xff' is not UTF-8 | save the file as UTF-8");
  const std::string ragged = " | give every row the same fields; put quotes around a field that holds a comma";
  EXPECT_EQ(nodes("graph,node\ng1,a,1\n"),
            place + "2:6: the row has 3 fields, but the header names 2 columns" + ragged);
  EXPECT_EQ(nodes("graph,node\ng1\n"), place + "2:1: the row has 1 field, but the header names 2 columns" + ragged);
  EXPECT_EQ(nodes("graph,node\ng1,\"a\n\n"), place + "2:4: this quoted field has no end | close the quotes");
  EXPECT_EQ(nodes("graph,node\ng1,\"a\"b\n"),
            place +
                "2:7: there is text behind the closing quote of this field | double the quotes inside a quoted "
                "field");
}

TEST(CsvTripleBad, MissingFilesAndColumnsAreNamed) {
  const std::string three = " | a CSV set has graphs.csv, nodes.csv and edges.csv";
  EXPECT_EQ(error(without(kTables, "nodes.csv")), "set has no file nodes.csv" + three);
  EXPECT_EQ(error(without(kTables, "edges.csv")), "set has no file edges.csv" + three);
  EXPECT_EQ(error(with(kTables, "graphs.csv", "name\n")),
            "set/graphs.csv:1:1: the header has no column 'graph' | name it one of: graph, graph_id, id");
  EXPECT_EQ(error(with(kTables, "edges.csv", "graph,source,end\n"), with_target("label")),
            "set/edges.csv:1:1: the header has no column 'target' | name it one of: target, to, dst, v");
  EXPECT_EQ(error(kTables, with_target("labl")), "usage: set/graphs.csv has no column 'labl' | did you mean label?");
}

TEST(CsvTripleBad, WrongRowsAreNamedWithTheirPlace) {
  const auto changed = [](const char* table, const std::string& text) {
    return error(with(kTables, table, text), table == std::string("graphs.csv") ? DataOptions{} : with_target("label"));
  };
  EXPECT_EQ(changed("graphs.csv", "graph\ng1\n\"\"\n"),
            "set/graphs.csv:3:1: the graph has no id | give every graph an id");
  EXPECT_EQ(changed("graphs.csv", "graph\ng1\ng1\n"),
            "set/graphs.csv:3:1: the id 'g1' is there twice | give every graph its own id");
  EXPECT_EQ(changed("graphs.csv", "graph,directed\ng1,yes\n"),
            "set/graphs.csv:2:4: directed should be 0 or 1 | correct the field");
  EXPECT_EQ(changed("nodes.csv", "graph,node\ng3,a\n"),
            "set/nodes.csv:2:1: there is no graph 'g3' | list every graph in graphs.csv");
  EXPECT_EQ(changed("nodes.csv", "graph,node\ng1,a\ng1,a\n"),
            "set/nodes.csv:3:4: graph 'g1' has two nodes 'a' | give every node of a graph its own id");
  EXPECT_EQ(changed("nodes.csv", "graph,node\ng1,a\n"),
            "set/graphs.csv:3:1: graph 'g2' has no nodes | leave empty graphs out, or list their nodes in nodes.csv");
  EXPECT_EQ(changed("nodes.csv", "graph,node,mass\ng1,a,NA\n"),
            "set/nodes.csv:2:6: a feature is missing: 'NA' | replace missing values");
  EXPECT_EQ(changed("nodes.csv", "graph,node,mass\ng1,a,infinity\n"),
            "set/nodes.csv:2:6: a feature is infinite: 'infinity' | replace infinite values");
  EXPECT_EQ(changed("nodes.csv", "graph,node,mass\ng1,a,0.5\ng1,b,heavy\n"),
            "set/nodes.csv:3:6: the feature should be a finite number, but is 'heavy' | replace missing and infinite "
            "values");
  EXPECT_EQ(changed("edges.csv", "graph,source,target\ng1,a,c\n"),
            "set/edges.csv:2:6: graph 'g1' has no node 'c' | edges name nodes as nodes.csv does");
  EXPECT_EQ(error({{"nodes.csv", "graph\n1\n"}, {"edges.csv", "graph,source,target\n1,0,1\n"}}),
            "set/edges.csv:2:5: graph '1' has no node '1' | without a column node, nodes are 0, 1, 2, ...");
  EXPECT_EQ(error({{"nodes.csv", "graph\n1\n"}, {"edges.csv", "graph,source,target\n2,0,0\n"}}),
            "set/edges.csv:2:1: there is no graph '2' | list the graph's nodes in nodes.csv");
}

TEST(CsvTripleBad, TargetsThatCannotMakeATaskAreRefused) {
  const std::string hint = " | use --task regression, or choose the target columns with --target";
  DataOptions options;
  options.task = Task::kMultilabel;
  EXPECT_EQ(error(with(kTables, "graphs.csv", "graph,p\ng1,2\ng2,0\n"), options),
            "usage: set: target column 'p' holds 2; yes/no questions have 0, 1 or blanks" + hint);
  options.task = Task::kRegression;
  EXPECT_EQ(error(with(kTables, "graphs.csv", "graph,p\ng1,x\ng2,y\n"), options),
            "usage: set: target column 'p' holds text, such as 'x', which is no number | use --task classification, or "
            "choose the target columns with --target");
  EXPECT_EQ(
      error(with(kTables, "graphs.csv", "graph,p,note\ng1,a,x\ng2,b,y\n")),
      "usage: set: target column 'p' holds text, such as 'a', which is no number | choose the target columns with "
      "--target");
  options.task = Task::kClassification;
  EXPECT_EQ(
      error(with(kTables, "graphs.csv", "graph,p,q\ng1,1,0\ng2,0,1\n"), options),
      "usage: set: classification has one target, but 2 columns are given: p, q | choose one of them with --target, or "
      "--task multilabel");
  EXPECT_EQ(
      error(with(kTables, "graphs.csv", "graph\ng1\ng2\n"), options),
      "usage: set: the data has no targets, as classification needs | leave the task out, or name the target column");
  EXPECT_EQ(error(with(kTables, "graphs.csv", "graph,p\ng1,\xFF\ng2,0\n")),
            "set: the class '\\xff' is not UTF-8 | save the file as UTF-8");
}

TEST(CsvTripleBad, TextAmongTheNumbersOfATargetIsNamedWithItsPlace) {
  const auto changed = [](const std::string& text, const DataOptions& options = {}) {
    return error(with(kTables, "graphs.csv", text), options);
  };
  EXPECT_EQ(
      changed("graph,p\ng1,0.5\ng2,inf\n"),
      "set/graphs.csv:3:4: target column 'p' holds numbers, but also 'inf' | correct the value or leave it blank");
  DataOptions options;
  options.task = Task::kRegression;
  EXPECT_EQ(
      changed("graph,p\ng1,x\ng2,0\n", options),
      "set/graphs.csv:2:4: target column 'p' holds numbers, but also 'x' | correct the value or leave it blank, or "
      "use --task classification");
  const std::string hint = " | correct the value or leave it blank, or name the columns to learn with --target";
  EXPECT_EQ(changed("graph,p,q\ng1,>10,1.5\ng2,7,2.5\n"),
            "set/graphs.csv:2:4: target column 'p' holds bounded values, 1 of 2, such as '>10' | --bounds blank leaves "
            "them out, --bounds value takes their numbers");
  EXPECT_EQ(changed("graph,p,q\ng1,1.5,3\ng2,2.5,-Infinity\n"),
            "set/graphs.csv:3:8: target column 'q' holds numbers, but also '-Infinity'" + hint);
}

TEST(CsvTriple, ColumnsOfTextBesideNumbersAreLeftOutAndNamed) {
  const Members members = with(kTables, "graphs.csv", "graph,p,remark,grade\ng1,0.5,x,good\ng2,1,,7\n");
  EXPECT_THAT(error(members), ::testing::HasSubstr("'grade' holds numbers, but also 'good'"));
  const Dataset data = read(with(kTables, "graphs.csv", "graph,p,remark,grade\ng1,0.5,x,good\ng2,1,,bad\n"));
  EXPECT_THAT(data.schema.targets, ElementsAre("p"));
  EXPECT_THAT(data.unused_columns, ElementsAre("remark", "grade"));
  EXPECT_TRUE(read(kTables, with_target("label")).unused_columns.empty()) << "what was named leaves nothing out";
}

TEST(CsvTriple, WithoutATaskNobodyLooksAtTheTargets) {
  DataOptions options;
  options.task = Task::kNone;
  const Dataset data = read(with(kTables, "graphs.csv", "graph,p,q\ng1,>10,1.5\ng2,7,2.5\n"), options);
  EXPECT_EQ(data.graphs.size(), 2U);
  EXPECT_TRUE(data.schema.targets.empty());
  EXPECT_TRUE(data.unused_columns.empty());
}

TEST(CsvTriple, LargeTargetsStayNumbers) {
  EXPECT_EQ(described(read(with(kTables, "graphs.csv", "graph,p\ng1,1e300\ng2,-0.5\n"))),
            "regression p\nnodes element{C,O} mass\nedges order{2}\n"
            "g1: 0[C 12.5] 1[O 16]; 0>1[2] 1>0[2]; 1e+300\n"
            "g2: 0[C 12];; -0.5\n");
}

TEST(CsvField, ForSpreadsheetsFormulasBecomeTexts) {
  const auto field = [](const char* text) { return csv_field(text, CsvFor::kSpreadsheets); };
  EXPECT_EQ(field("=1+1"), "'=1+1");
  EXPECT_EQ(field("+cmd"), "'+cmd");
  EXPECT_EQ(field("-1-1"), "'-1-1");
  EXPECT_EQ(field("@x"), "'@x");
  EXPECT_EQ(field("  =x"), "'  =x");
  EXPECT_EQ(field("\t=x"), "'\t=x");
  EXPECT_EQ(field("=\"a\",b"), "\"'=\"\"a\"\",b\"");
  EXPECT_EQ(field("\xEF\xBC\x9D"
                  "x"),
            "'\xEF\xBC\x9D"
            "x");
  for (const char* plain : {"", "C1CC", "-1.5", "+2", "-1e-310", "a=b", "'"}) EXPECT_EQ(field(plain), plain);
  EXPECT_EQ(csv_field("=1+1", CsvFor::kPrograms), "=1+1");
}

}  // namespace
}  // namespace agentnet
