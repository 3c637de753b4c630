// What network libraries write: GML, GEXF, graph6 and sparse6, node-link JSON, folders of GraphML, networkx's edge
// lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "data/formats/formats.h"
#include "data/formats/network_readers.h"
#include "data/formats/readers.h"
#include "support/read_members.h"
#include "support/same_sets.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Dataset read(Reader reader, const std::string& text, const DataOptions& options = {}) {
  return read_text_as(reader, text, options);
}
std::string error(Reader reader, const std::string& text) {
  return error_from([&] { static_cast<void>(read(reader, text)); });
}

// As networkx.write_gml has it: labels are the names of nodes.
const std::string kGml = R"(Creator "me"
graph [
  directed 0
  y 1
  name "g"
  node [ id 0 label "a" charge 0.5 kind "C" ]
  node [ id 1 label "b" charge -1 kind "N &amp; O" graphics [ x 1 y [ z 2 ] ] ]
  edge [ source 0 target 1 weight 2 ]  # a comment
]
graph [ y 0
  node [ id 7 label "a" charge 1e3 kind "C" ]
]
)";

TEST(Gml, AttributesAreFeaturesAndTargets) {
  const Dataset data = read(read_gml, kGml);
  EXPECT_EQ(described(data),
            "classification y{0,1}\nnodes kind{C,N & O} charge\nedges weight{2}\n"
            "g: 0[C 0.5] 1[N & O -1]; 0>1[2] 1>0[2]; 1\n"
            ": 0[C 1000];; 0\n");
  EXPECT_THAT(data.notes, ElementsAre("not used: node graphics"));
}

TEST(Gml, DirectedGraphsAreReadAsListed) {
  EXPECT_EQ(described(read(read_gml, "graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 1 target 0 ] ]")),
            "none \nnodes constant\nedges\n: 0[1] 1[1]; 1>0;\n");
}

TEST(GmlBad, IsNamedWithItsPlace) {
  EXPECT_EQ(error(read_gml, "graph [\n node [ label \"a\" ] ]"), "file:2:2: the node has no id | every one needs it");
  EXPECT_EQ(error(read_gml, "graph [ node [ id 0 ] node [ id 0 ] ]"),
            "file:1:33: the node '0' is there twice | give every node its own id");
  EXPECT_EQ(error(read_gml, "graph [ node [ id 0 ]\n edge [ source 0 target 3 ] ]"),
            "file:2:25: the graph has no node '3' | list the node, or leave the edge out");
  EXPECT_EQ(error(read_gml, "graph [ node [ id 0 "),
            "file:1:21: the file ends before a list does | is the file cut short?");
  EXPECT_EQ(error(read_gml, "graph [ node [ id 0 label \"a ] ]"),
            "file:1:27: this text has no closing quote | close the quotes");
  EXPECT_EQ(error(read_gml, "graph [ node [ id x ] ]"),
            "file:1:19: 'x' is neither a number nor in quotes | put quotes around a text");
  EXPECT_EQ(error(read_gml, "graph 3"), "file:1:7: 'graph' should be a list in brackets | write [ ... ]");
  EXPECT_EQ(error(read_gml, "graph [ node [ id 0 p 1 ] node [ id 1 ] ]"),
            "file:1:37: the node has no 'p', unlike others | give every node a value, or leave the attribute out with "
            "--node-columns");
  EXPECT_THAT(error(read_gml, std::string("graph [ a ") + std::string(100, '[') + "]"), HasSubstr("nested more than"));
  DataOptions options;
  options.node_columns = {"none"};
  EXPECT_EQ(read(read_gml, "graph [ node [ id 0 p 1 ] node [ id 1 ] ]", options).graphs.size(), 1U);
}

TEST(Gexf, AttributesOfNodesAndWeightsOfEdgesAreFeatures) {
  const std::string text =
      R"(<?xml version="1.0" encoding="UTF-8"?><gexf version="1.2"><meta/><graph defaultedgetype="undirected">
<attributes class="node"><attribute id="0" title="charge" type="double"/>
<attribute id="1" title="kind" type="string"><default>C</default></attribute></attributes>
<nodes><node id="a" label="A"><attvalues><attvalue for="0" value="0.5"/></attvalues></node>
<node id="b" label="B"><attvalues><attvalue for="0" value="2"/><attvalue for="1" value="N"/></attvalues></node></nodes>
<edges><edge source="a" target="b" weight="2.5"/><edge source="b" target="b"/></edges></graph></gexf>)";
  EXPECT_EQ(described(read(read_gexf, text)),
            "none \nnodes kind{C,N} charge\nedges weight\n: 0[C 0.5] 1[N 2]; 0>1[2.5] 1>0[2.5] 1>1[1];\n");
}

TEST(GexfBad, IsNamedWithItsPlace) {
  EXPECT_EQ(error(read_gexf, "<graphml/>"),
            "file:1:1: the outermost element is 'graphml', not gexf | check the format, or name another with --format");
  EXPECT_EQ(error(read_gexf, "<gexf><graph><nodes><node/></nodes></graph></gexf>"),
            "file:1:21: the node has no id | every one needs it");
  EXPECT_THAT(error(read_gexf,
                    "<gexf><graph><nodes><node id=\"a\"><attvalues><attvalue for=\"9\" value=\"1\"/></attvalues>"
                    "</node></nodes></graph></gexf>"),
              HasSubstr("there is no attribute '9'"));
}

// From the description of the formats: K5 less some edges, and the worked example of sparse6.
TEST(Graph6, ReadsAllThreeForms) {
  EXPECT_EQ(described(read(read_graph6, ">>graph6<<DQc\n")),
            "none \nnodes constant\nedges\n: 0[1] 1[1] 2[1] 3[1] 4[1]; 0>2 0>4 1>3 2>0 3>1 3>4 4>0 4>3;\n");
  EXPECT_EQ(described(read(read_graph6, ":Fa@x^\n")),
            "none \nnodes constant\nedges\n: 0[1] 1[1] 2[1] 3[1] 4[1] 5[1] 6[1]; 0>1 0>2 1>0 1>2 2>0 2>1 5>6 6>5;\n");
  EXPECT_EQ(described(read(read_graph6, "&AO\n")), "none \nnodes constant\nedges\n: 0[1] 1[1]; 0>1;\n");
  EXPECT_EQ(read(read_graph6, "A_\nA?\n@\n").graphs.size(), 3U);
}

TEST(Graph6Bad, IsNamedWithItsPlace) {
  EXPECT_EQ(error(read_graph6, "DQ\n"),
            "file:1:1: the line has 1 characters for the edges of 5 nodes | is the line cut short?");
  EXPECT_EQ(error(read_graph6, "D Q\n"),
            "file:1:2: this character is none that graph6 and sparse6 use | check the file");
  EXPECT_EQ(error(read_graph6, "?\n"), "file:1:1: the graph has no nodes | leave empty graphs out");
  EXPECT_EQ(error(read_graph6, "~?\n"),
            "file:1:1: the line ends before the number of nodes does | is the line cut short?");
  EXPECT_THAT(error(read_graph6, "~~~~~~~~\n"), HasSubstr("more than 2^32 nodes"));
  EXPECT_THAT(error(read_graph6, ":~~?@????\n"), HasSubstr("nodes, but lists 0 edges"));
}

const std::string kNodeLink = R"({"directed": false, "multigraph": false, "graph": {"y": 1, "name": "g"},
 "nodes": [{"charge": 0.5, "kind": "C", "xy": [1.5, 2], "id": "a"}, {"id": "b", "charge": 1, "kind": "N", "xy": [0, 0.5]}],
 "links": [{"source": "a", "target": "b", "weight": 3}]}
)";

TEST(NodeLink, ReadsWhatNetworkxWrites) {
  const std::string expected =
      "nodes kind{C,N} charge xy0 xy1\nedges weight{3}\n"
      "g: 0[C 0.5 1.5 2] 1[N 1 0 0.5]; 0>1[3] 1>0[3]; 1\n";
  EXPECT_EQ(described(read(read_node_link, kNodeLink)), "classification y{1}\n" + expected);
  EXPECT_EQ(read(read_node_link, "[{\"nodes\":[{\"id\":0}],\"edges\":[]},{\"nodes\":[{\"id\":1}]}]").graphs.size(), 2U);
  EXPECT_EQ(read(read_node_link, "{\"nodes\":[{\"id\":0}]}\n{\"nodes\":[{\"id\":1}]}\n").graphs.size(), 2U);
}

TEST(NodeLinkBad, IsNamedWithItsPlace) {
  EXPECT_EQ(error(read_node_link, "{\"links\": []}"),
            "file:1:1: the object has no nodes | a graph in node-link form has nodes and links");
  EXPECT_EQ(error(read_node_link, "{\"nodes\": [\n{\"x\": 1}]}"),
            "file:2:1: the node has no id | every node needs one");
  EXPECT_EQ(error(read_node_link, "{\"nodes\": [{\"id\": 1}],\n\n \"links\": [{\"source\": 1, \"target\": 2}]}"),
            "file:3:36: the graph has no node '2' | list the node, or leave the edge out");
  EXPECT_THAT(error(read_node_link, "{\"nodes\": [{\"id\": 1}"), StartsWith("file:1:21: the line ends"));
  EXPECT_THAT(error(read_node_link, "{\"nodes\": [{\"id\": 1}]} x"), HasSubstr("something behind the end"));
}

TEST(EdgeList, ReadsWhatNetworkxWrites) {
  EXPECT_EQ(described(read(read_edge_list, "0 1 {}\n1 2 {}\n")),
            "none \nnodes constant\nedges\n: 0[1] 1[1] 2[1]; 0>1 1>0 1>2 2>1;\n");
  EXPECT_EQ(described(read(read_edge_list, "0 1 {'weight': 3}\n1 2 {'weight': 0.5}\n")),
            "none \nnodes constant\nedges weight\n: 0[1] 1[1] 2[1]; 0>1[3] 1>0[3] 1>2[0.5] 2>1[0.5];\n");
  EXPECT_EQ(error(read_edge_list, "0 1 {}\n1 2 {'weight': 3}\n"),
            "file:2:5: the attributes are not those of the first edge | give every edge the same");
  EXPECT_THAT(error(read_edge_list, "0 1 {'a': 1, 'b': 2}\n"),
              StartsWith("file:1:5: behind the ids there should be {} or one value, as {'weight': 3} | write several"));
}

std::string graphml(const std::string& key, const std::string& kind, const std::string& value, const std::string& y) {
  return "<graphml><key id=\"" + key + "\" for=\"node\" attr.name=\"charge\" attr.type=\"" + kind +
         "\"/><key id=\"t\" for=\"graph\" attr.name=\"y\" attr.type=\"string\"/><graph edgedefault=\"undirected\">" +
         "<data key=\"t\">" + y + "</data><node id=\"n\"><data key=\"" + key + "\">" + value +
         "</data></node></graph></graphml>";
}

TEST(GraphmlFolder, FilesAreGraphsAndColumnsAreMatchedByName) {
  const Members members = {{"one.graphml", graphml("d0", "double", "0.5", "a")},
                           {"two.graphml", graphml("k9", "double", "2", "b")}};
  EXPECT_EQ(described(read_members_as(read_graphml, members)),
            "classification y{a,b}\nnodes charge\nedges\none: 0[0.5];; a\ntwo: 0[2];; b\n");
  const Members lacking =
      with(members, "two.graphml", "<graphml><graph edgedefault=\"directed\"><node id=\"n\"/></graph></graphml>");
  EXPECT_EQ(
      error_of_members(read_graphml, lacking),
      "set/two.graphml:1:40: the node 'n' has no 'charge', and the key has no default | give every one a value, or "
      "the key a default");
}

std::string refused(const std::string& text) {
  return error_from([&] { static_cast<void>(format_for(Input::from_text("file", text), {})); });
}

TEST(Foreign, FilesAreCalledWhatTheyAreWithAWayOut) {
  EXPECT_EQ(refused("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n"),
            "file is a pointer of git-LFS: the file itself was not downloaded | run git lfs pull in its repository, or "
            "download the file from its page");
  EXPECT_EQ(refused("PAR1...."),
            "file is a Parquet file, which is not read | write a CSV table in Python: "
            "pandas.read_parquet('FILE').to_csv('table.csv', index=False)");
  EXPECT_THAT(refused("ethanol\n  RDKit\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n"),
              StartsWith("file is an SDF or MOL file, which is not read | write a table of SMILES in Python: "));
  EXPECT_THAT(refused("\x80\x04\x95rest"), StartsWith("file is a Python pickle, which is not read | write it as text"));
  EXPECT_THAT(refused("\x89HDF\r\n\x1a\n"), StartsWith("file is an HDF5 file"));
  EXPECT_THAT(error_from([&] {
                static_cast<void>(format_for(Input::from_texts("set.pt", {{"archive/data.pkl", "x"}}), {}));
              }),
              StartsWith("set.pt is a PyTorch file, which is not read | write JSON lines in Python"));
}

TEST(Detection, NewFormatsAreRecognised) {
  const auto found = [](const std::string& name, const std::string& text) {
    const Format* const format = find_format(Input::from_text(name, text), {});
    return std::string(format != nullptr ? format->name : "nothing");
  };
  EXPECT_EQ(found("x", kGml), "gml");
  EXPECT_EQ(found("x", kNodeLink), "nodelink");
  EXPECT_EQ(found("x.g6", "A_\n"), "graph6");
  EXPECT_EQ(found("x", ">>sparse6<<:Fa@x^\n"), "graph6");
  EXPECT_EQ(found("x", "<gexf/>"), "gexf");
  EXPECT_EQ(found("x", "0 1 {}\n"), "edgelist");
  EXPECT_EQ(found("x", "{\"num_nodes\":1,\"nodes\":3}\n"), "jsonl");
}

TEST(Tu, OneFileOfASetStandsForTheSetBesideIt) {
  const TempFolder temp;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(temp.path() / name) << text;
  };
  write("X_A.txt", "1, 2\n");
  write("X_graph_indicator.txt", "1\n1\n2\n");
  write("X_graph_labels.txt", "0\n1\n");
  write("Y_A.txt", "1, 1\n");  // another set in the same folder
  const Dataset data = read_data((temp.path() / "X_A.txt").string(), {});
  EXPECT_EQ(data.graphs.size(), 2U);
  EXPECT_EQ(data.schema.task, Task::kClassification);
}

TEST(Tu, WordsBecomeNumbersWithAFileOfNames) {
  const TempFolder temp;
  const Dataset data =
      read_text_as(read_jsonl, "{\"num_nodes\":1,\"y\":\"toxic, very\"}\n{\"num_nodes\":2,\"y\":\"fine\"}\n");
  static_cast<void>(write_data(data, temp.path() / "SET", "tu"));
  const auto text = [&](const char* name) {
    std::ifstream in(temp.path() / "SET" / name);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(text("SET_graph_labels.txt"), "1\n0\n");
  EXPECT_EQ(text("SET_class_names.txt"), "0 fine\n1 toxic, very\n");
  EXPECT_THAT(read_data((temp.path() / "SET").string(), {}).schema.classes, ElementsAre("fine", "toxic, very"));
}

}  // namespace
}  // namespace agentnet
