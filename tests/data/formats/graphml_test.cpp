#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "data/formats/readers.h"
#include "data/formats/writers.h"
#include "support/read_text.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Dataset read(const std::string& text, const DataOptions& options = {}) {
  return read_text_as(read_graphml, text, options);
}
std::string error(const std::string& text) { return error_of(read_graphml, text); }

// A file with these keys and one undirected graph with this content.
std::string file(const std::string& keys, const std::string& content) {
  return "<graphml>\n" + keys + "\n<graph edgedefault='undirected'>\n" + content + "\n</graph>\n</graphml>\n";
}

const std::string kTwo = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="element" attr.type="string"><default>C</default></key>
  <key id="d1" for="node" attr.name="mass" attr.type="double"/>
  <key id="d2" for="edge" attr.name="order" attr.type="int"/>
  <key id="d3" for="graph" attr.name="label" attr.type="string"/>
  <graph id="first" edgedefault="undirected">
    <data key="d3">toxic</data>
    <node id="a"><data key="d1">12.5</data></node>
    <node id="b"><data key="d0">Na</data><data key="d1"> 16 </data></node>
    <edge source="a" target="b"><data key="d2">2</data></edge>
  </graph>
  <graph id="second" edgedefault="directed">
    <data key="d3">harmless</data>
    <edge source="b" target="a"><data key="d2">1</data></edge>
    <edge source="b" target="b" directed="false"><data key="d2">3</data></edge>
    <node id="a"><data key="d1">1</data></node>
    <node id="b"><data key="d1">2</data></node>
  </graph>
</graphml>
)";

TEST(Graphml, HoldsGraphsWithFeaturesAndALabel) {
  const Dataset data = read(kTwo);
  EXPECT_EQ(data.format, "graphml");
  ASSERT_EQ(data.graphs.size(), 2U);
  EXPECT_EQ(data.graphs.id(0), "first");
  EXPECT_THAT(data.schema.nodes.dense, ElementsAre("mass"));
  EXPECT_THAT(data.schema.nodes.categories, ElementsAre(CategoryColumn{"element", {"C", "Na"}}));
  EXPECT_THAT(data.schema.edges.categories, ElementsAre(CategoryColumn{"order", {"1", "2", "3"}}));
  EXPECT_EQ(data.schema.task, Task::kClassification);
  EXPECT_THAT(data.schema.targets, ElementsAre("label"));
  EXPECT_THAT(data.schema.classes, ElementsAre("harmless", "toxic"));
  EXPECT_EQ(data.graphs.targets(0)[0], 1);

  const GraphView first = data.graphs.view(0), second = data.graphs.view(1);
  EXPECT_EQ(edges_of(first), (Ends{{0, 1}, {1, 0}}));
  EXPECT_EQ(edges_of(second), (Ends{{1, 0}, {1, 1}}));
  EXPECT_THAT(node_values(first), ElementsAre(12.5F, 16));
  EXPECT_EQ(first.node_categories.row(1)[0], 1);
  EXPECT_EQ(first.edge_categories.row(1)[0], 1);
  EXPECT_EQ(second.edge_categories.row(1)[0], 2);
}

TEST(Graphml, TheUserCanSetTheDirection) {
  DataOptions options;
  options.direction = Direction::kDirected;
  EXPECT_EQ(edges_of(read(kTwo, options).graphs.view(0)), (Ends{{0, 1}}));
  options.direction = Direction::kUndirected;
  EXPECT_EQ(edges_of(read(kTwo, options).graphs.view(1)), (Ends{{0, 1}, {1, 0}, {1, 1}}));
}

TEST(Graphml, TypesOfKeysDecideHowValuesAreRead) {
  const Dataset data =
      read(file("<key id='a' for='node' attr.name='flag' attr.type='boolean'/>"
                "<key id='b' for='node' attr.name='count' attr.type='long'/>"
                "<key id='c' for='node' attr.name='size' attr.type='float'/>"
                "<key id='d' for='node' attr.name='code' attr.type='string'/>",
                "<node id='1'><data key='a'>true</data><data key='b'>7</data><data key='c'>3</data><data "
                "key='d'>007</data></node>"
                "<node id='2'><data key='a'>0</data><data key='b'>8</data><data key='c'>4</data><data "
                "key='d'> &lt;x&gt;</data></node>"));
  EXPECT_THAT(data.schema.nodes.dense, ElementsAre("size"));
  EXPECT_THAT(data.schema.nodes.categories,
              ElementsAre(CategoryColumn{"flag", {"false", "true"}}, CategoryColumn{"count", {"7", "8"}},
                          CategoryColumn{"code", {" <x>", "007"}}));
}

TEST(Graphml, WholeNumbersCanBeReadAsNumbers) {
  DataOptions options;
  options.edge_features = FeatureKind::kDense;
  const Dataset data = read(kTwo, options);
  EXPECT_THAT(data.schema.edges.dense, ElementsAre("order"));
  EXPECT_THAT(edge_values(data.graphs.view(0)), ElementsAre(2, 2));
}

TEST(Graphml, AKeyForAllIsAColumnWhereItIsUsed) {
  const Dataset data = read(file("<key id='w' for='all' attr.name='weight' attr.type='double'/>",
                                 "<node id='1'/><node id='2'/>"
                                 "<edge source='1' target='2'><data key='w'>0.5</data></edge>"));
  EXPECT_THAT(data.schema.edges.dense, ElementsAre("weight"));
  EXPECT_THAT(data.schema.nodes.dense, ElementsAre("constant"));
}

TEST(Graphml, TargetsCanBeNamedAndOtherValuesKept) {
  const std::string text = file(
      "<key id='a' for='graph' attr.name='mu' attr.type='double'/>"
      "<key id='b' for='graph' attr.name='source' attr.type='string'/>",
      "<data key='a'>1.5</data><data key='b'>lab 3</data><node id='1'/>");
  EXPECT_EQ(read(text).schema.task, Task::kNone);
  DataOptions options;
  options.targets = {"mu"};
  options.keep = {"source"};
  const Dataset data = read(text, options);
  EXPECT_EQ(data.schema.task, Task::kRegression);
  EXPECT_EQ(data.graphs.targets(0)[0], 1.5);
  EXPECT_THAT(data.columns.at("source"), ElementsAre("lab 3"));
}

TEST(Graphml, DrawingsOfYedAreLeftOut) {
  const Dataset data = read(file("<key id='g' for='node' yfiles.type='nodegraphics'/>",
                                 "<node id='1'><data key='g'><y:ShapeNode xmlns:y='u'><y:Fill color='red'/>"
                                 "</y:ShapeNode></data></node>"));
  EXPECT_EQ(data.graphs.view(0).num_nodes, 1U);
  EXPECT_THAT(data.schema.nodes.categories, IsEmpty());
}

TEST(Graphml, WindowsLineEndsAndAByteOrderMarkAreAccepted) {
  std::string text = "\xEF\xBB\xBF" + kTwo;
  for (std::size_t i = 0; (i = text.find('\n', i)) != std::string::npos; i += 2) text.replace(i, 1, "\r\n");
  EXPECT_EQ(read(text).schema, read(kTwo).schema);
}

TEST(Graphml, WhatItCannotHoldIsRefusedWithItsPlace) {
  EXPECT_EQ(error(file("", "<node id='1'><graph edgedefault='directed'/></node>")),
            "file:4:14: graphs inside nodes cannot be read | give every graph its own place in the file");
  EXPECT_EQ(error(file("", "<hyperedge/>")), "file:4:1: hyperedges cannot be read | an edge joins two nodes");
  EXPECT_EQ(error(file("", "<node id='1'><port name='p'/></node>")),
            "file:4:14: ports cannot be read | join the nodes themselves");
  EXPECT_EQ(error(file("", "<node id='1'/><edge source='1' target='1' sourceport='p'/>")),
            "file:4:55: ports cannot be read | join the nodes themselves");
  EXPECT_EQ(error(file("", "<locator/>")), "file:4:1: the element 'locator' is not expected in 'graph' | leave it out");
  EXPECT_EQ(error("<gexf/>"),
            "file:1:1: the outermost element is 'gexf', not graphml | check the format, or name another with --format");
}

TEST(Graphml, WrongNodesAndEdgesAreNamedWithTheirPlace) {
  EXPECT_EQ(error(file("", "<node/>")), "file:4:1: the node has no id | every one needs it");
  EXPECT_EQ(error(file("", "<node id='1'/>\n<node id='1'/>")),
            "file:5:11: the node '1' is there twice | give every node its own id");
  EXPECT_EQ(error(file("", "<node id='1'/><edge source='1'/>")),
            "file:4:15: the edge has no target | every one needs it");
  EXPECT_EQ(error(file("", "<node id='1'/><edge source='1' target='2'/>")),
            "file:4:40: the graph has no node '2' | list the node, or leave the edge out");
  EXPECT_EQ(error("<graphml>\n<graph><node id='1'/></graph></graphml>"),
            "file:2:1: the graph has no edgedefault | every one needs it");
  EXPECT_EQ(error("<graphml>\n<graph edgedefault='yes'><node id='1'/></graph></graphml>"),
            "file:2:21: edgedefault is 'yes' | write directed or undirected");
  EXPECT_EQ(error(file("", "words")),
            "file:3:33: here should be an element, not the text '\\x0awords\\x0a' | correct the file there");
  EXPECT_EQ(error(file("", "")), "file:3:1: the graph has no nodes | leave empty graphs out");
  EXPECT_EQ(error("<graphml/>"), "file holds no graphs | check the file");
  EXPECT_EQ(error("<graphml>\n"
                  "<graph id='a' edgedefault='directed'><node id='1'/></graph>\n"
                  "<graph id='a' edgedefault='directed'><node id='1'/></graph></graphml>"),
            "file:3:1: the id 'a' is there twice | give every graph its own id");
}

TEST(Graphml, WrongKeysAndValuesAreNamedWithTheirPlace) {
  const std::string whole = "<key id='k' for='node' attr.name='count' attr.type='int'/>";
  const auto node = [](const std::string& content) { return "<node id='1'>" + content + "</node>"; };
  EXPECT_EQ(
      error(file(whole, node("<data key='k'>1.5</data>"))),
      "file:4:14: the value of 'count' should be a whole number, but is '1.5' | correct the value, or the type of "
      "the key");
  EXPECT_EQ(error(file("<key id='k' for='node' attr.type='double'/>", node("<data key='k'>NaN</data>"))),
            "file:4:14: the value of 'k' should be a finite number, but is 'NaN' | correct the value, or the type of "
            "the key");
  EXPECT_EQ(error(file("<key id='k' for='node' attr.type='boolean'/>", node("<data key='k'>yes</data>"))),
            "file:4:14: the value of 'k' should be true or false, but is 'yes' | correct the value, or the type of the "
            "key");
  EXPECT_EQ(error(file("<key id='k' attr.type='decimal'/>", node(""))),
            "file:2:24: there is no attribute type 'decimal' | types are boolean, int, long, float, double and string");
  EXPECT_EQ(error(file(whole, node("<data key='k'>1</data>") + "\n<node id='2'/>")),
            "file:5:1: the node '2' has no 'count', and the key has no default | give every one a value, or the key a "
            "default");
  EXPECT_EQ(error(file(whole, node("<data key='k'>1</data><data key='k'>2</data>"))),
            "file:4:36: the node has two values of 'count' | leave one of them out");
  EXPECT_EQ(error(file(whole, node("<data key='x'>1</data>"))),
            "file:4:25: there is no key 'x' | declare it with <key>");
  EXPECT_EQ(error(file(whole, "<data key='k'>1</data>" + node("<data key='k'>1</data>"))),
            "file:4:12: the key 'k' is for 'node', not for 'graph' | correct the key");
  EXPECT_EQ(error(file(whole + whole, node(""))), "file:2:68: the key 'k' is there twice | correct the file there");
  EXPECT_EQ(error(file("<key for='node'/>", node(""))), "file:2:1: the key has no id | correct the file there");
  EXPECT_EQ(error(file(whole, node("<data key='k'><b/></data>"))),
            "file:4:28: here should be text, not an element 'b' | correct the file there");
}

void expect_same(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.schema, b.schema);
  ASSERT_EQ(a.graphs.size(), b.graphs.size());
  for (std::size_t g = 0; g < a.graphs.size(); ++g) {
    const GraphView x = a.graphs.view(g), y = b.graphs.view(g);
    EXPECT_EQ(a.graphs.id(g), b.graphs.id(g));
    EXPECT_EQ(edges_of(x), edges_of(y));
    ASSERT_EQ(x.num_nodes, y.num_nodes);
    for (std::uint64_t u = 0; u < x.num_nodes; ++u) {
      EXPECT_THAT(x.node_categories.row(u), ::testing::ElementsAreArray(y.node_categories.row(u)));
    }
    EXPECT_EQ(node_values(x), node_values(y));
    EXPECT_EQ(x.edge_rows == nullptr, y.edge_rows == nullptr);
    for (std::uint64_t e = 0; e < x.num_edges(); ++e) {
      ASSERT_EQ(x.edge_rows_of(e).last, y.edge_rows_of(e).last);
      for (auto [row, last_row] = x.edge_rows_of(e); row < last_row; ++row) {
        EXPECT_THAT(x.edge_categories.row(row), ::testing::ElementsAreArray(y.edge_categories.row(row)));
        for (int c = 0; c < x.edge_dense.width; ++c) {
          EXPECT_EQ(
              x.edge_dense.f32[row * static_cast<std::uint64_t>(x.edge_dense.width) + static_cast<std::uint64_t>(c)],
              y.edge_dense.f32[row * static_cast<std::uint64_t>(y.edge_dense.width) + static_cast<std::uint64_t>(c)]);
        }
      }
    }
    for (std::size_t t = 0; t < a.schema.targets.size(); ++t) {
      const double p = a.graphs.targets(g)[t], q = b.graphs.targets(g)[t];
      EXPECT_TRUE(p == q || (std::isnan(p) && std::isnan(q)));
    }
  }
}

TEST(Graphml, WhatIsWrittenReadsBackTheSame) {
  const TempFolder folder;
  const std::string odd = file(
      "<key id='a' for='node' attr.name='&lt;name&gt; &amp; &quot;' attr.type='string'/>"
      "<key id='b' for='edge' attr.name='length' attr.type='double'/>"
      "<key id='c' for='edge' attr.name='kind' attr.type='int'/>"
      "<key id='y0' for='graph' attr.name='mu' attr.type='double'/>"
      "<key id='y1' for='graph' attr.name='alpha' attr.type='double'/>",
      "<data key='y1'>0.1</data>"
      "<node id='1'><data key='a'> &lt;&amp;&#10;</data></node>"
      "<node id='2'><data key='a'>10</data></node><node id='3'><data key='a'>9</data></node>"
      "<edge source='1' target='2'><data key='b'>0.1</data><data key='c'>4</data></edge>"
      "<edge source='1' target='2'><data key='b'>3</data><data key='c'>10</data></edge>"
      "<edge directed='true' source='3' target='1'><data key='b'>1e-30</data><data "
      "key='c'>9</data></edge>");
  for (const std::string& text : {kTwo, odd}) {
    const Dataset data = read(text);
    const auto path = folder / "out.graphml";
    EXPECT_THAT(write_graphml(data, path), IsEmpty());
    expect_same(data, read_graphml(Input::open(path), {}));
  }
}

TEST(Graphml, WhatXmlCannotHoldIsNotWritten) {
  const TempFolder folder;
  Dataset data = read(kTwo);
  data.schema.nodes.categories[0].values[0] = "\x01";
  try {
    static_cast<void>(write_graphml(data, folder / "out.graphml"));
    FAIL() << "written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), "graphml cannot hold the text '\\x01'");
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out.graphml"));
}

TEST(EdgeListWriter, WhatIsWrittenReadsBackTheSame) {
  const TempFolder folder;
  DataOptions directed;
  directed.direction = Direction::kDirected;
  const auto path = folder / "out.edgelist";
  for (const char* text : {"# Nodes: 9\n0 1\n1 2\n5 5\n", "0 1 0.5\n0 1 4\n1 2 0.1\n"}) {
    for (const DataOptions& options : {DataOptions{}, directed}) {
      const Dataset data = read_text_as(read_edge_list, text, options);
      EXPECT_THAT(write_edge_list(data, path), IsEmpty());
      expect_same(data, read_edge_list(Input::open(path), {}));
    }
  }
}

TEST(EdgeListWriter, ListsAnUndirectedEdgeOnce) {
  const TempFolder folder;
  static_cast<void>(write_edge_list(read_text_as(read_edge_list, "0 1\n1 2\n"), folder / "out.edgelist"));
  EXPECT_EQ(read_text(folder / "out.edgelist"), "# Nodes: 3 Edges: 2\n0\t1\n1\t2\n");
}

TEST(EdgeListWriter, RefusesWhatItCannotHold) {
  const TempFolder folder;
  const auto refusal = [&](const Dataset& data) -> std::string {
    try {
      static_cast<void>(write_edge_list(data, folder / "out.edgelist"));
      return "written";
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kUsage ? error.what() : "the wrong kind of error";
    }
  };
  EXPECT_EQ(refusal(read(kTwo)), "an edge list cannot hold more than one graph");
  const std::string node = "<node id='1'><data key='k'>1</data></node>";
  EXPECT_EQ(refusal(read(file("<key id='k' for='node' attr.type='double'/>", node))),
            "an edge list cannot hold node features");
  EXPECT_EQ(refusal(read(file("<key id='y' for='graph' attr.type='int'/>", "<data key='y'>1</data><node id='1'/>"))),
            "an edge list cannot hold targets");
  const std::string edge = "<node id='1'/><edge source='1' target='1'><data key='k'>1</data></edge>";
  EXPECT_EQ(refusal(read(file("<key id='k' for='edge' attr.type='int'/>", edge))),
            "an edge list cannot hold categories of edges");
}

}  // namespace
}  // namespace agentnet
