// Bodies of every form become the rows that the program would read from a file; what is too large or of no kind does
// not.
#include "serve/request_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentnet/error.h"
#include "serve/problem.h"
#include "served.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

class RequestDataTest : public testing::Test {
 protected:
  RequestDataTest() : graphs_(load_served_model("graphs", save_graph_model(folder_))) {
    if (can_read_smiles()) molecules_ = load_served_model("molecules", save_molecule_model(folder_));
  }
  // Nodes of each graph, and a message for each row that is none.
  static std::vector<std::string> rows(const ServedModelPointer& model, const std::string& type,
                                       const std::string& body, const ServeOptions& options = {}) {
    const RequestData data = read_request(*model, type, body, options);
    std::vector<std::string> rows(data.rows);
    for (const Dataset& part : data.parts) {
      EXPECT_EQ(part.schema.nodes, model->schema.nodes) << "renumbered to the model's categories";
      for (std::size_t g = 0; g < part.graphs.size(); ++g) {
        rows.at(part.rows[g]) = std::to_string(part.graphs.view(g).num_nodes);
      }
      for (const BadRow& bad : part.bad_rows) rows.at(bad.row) = bad.message;
    }
    return rows;
  }
  // The status and the words of a refusal.
  static std::string refusal(const ServedModelPointer& model, const std::string& type, const std::string& body,
                             const ServeOptions& options = {}) {
    try {
      static_cast<void>(rows(model, type, body, options));
    } catch (const std::exception& error) {
      const Problem problem = problem_of(error);
      return std::to_string(problem.status()) + " " + problem.what();
    }
    return "";
  }

  TempFolder folder_;
  ServedModelPointer graphs_, molecules_;
};

TEST_F(RequestDataTest, GraphsComeInEveryForm) {
  const std::string one = R"({"edge_index":[[0,1],[1,0]],"node_feat":[[1],[2]]})";
  const std::string two = R"({"edge_index":[[0,1],[1,2]],"node_feat":[[1],[2],[2]]})";
  const auto both = testing::ElementsAre("2", "3");
  for (const char* type : {"application/json", "application/x-ndjson", "", "text/plain; charset=utf-8",
                           "Application/JSON; charset=utf-8", "application/x-www-form-urlencoded"}) {
    EXPECT_THAT(rows(graphs_, type, one + "\n" + two + "\n"), both) << type;
    EXPECT_THAT(rows(graphs_, type, one), testing::ElementsAre("2")) << type;
  }
  EXPECT_THAT(rows(graphs_, "application/json", "[" + one + "," + two + "]"), both);
  EXPECT_THAT(rows(graphs_, "", " \n[" + one + ",\n" + two + "]"), both);
  EXPECT_THAT(rows(graphs_, "application/json", R"({"graphs": [)" + one + "," + two + "]}"), both);
  EXPECT_THAT(rows(graphs_, "application/json", "{\n \"edge_index\": [[0,1],[1,0]],\n \"node_feat\": [[1],[2]]\n}"),
              testing::ElementsAre("2"))
      << "over several lines";
}

TEST_F(RequestDataTest, MoleculesComeInEveryForm) {
  if (molecules_ == nullptr) GTEST_SKIP() << "this build reads no SMILES strings";
  const auto expected = testing::ElementsAre("3", HasSubstr("is no molecule"), "6");
  EXPECT_THAT(rows(molecules_, "application/json", R"({"smiles": ["CCO", "C1CC(", "c1ccccc1"]})"), expected);
  EXPECT_THAT(rows(molecules_, "application/json", R"(["CCO", "C1CC(", "c1ccccc1"])"), expected);
  EXPECT_THAT(rows(molecules_, "text/csv", "smiles\nCCO\nC1CC(\nc1ccccc1\n"), expected);
  EXPECT_THAT(rows(molecules_, "text/csv", "id,Drug,dose\na,CCO,1\nb,CC,2\nc,c1ccccc1,3\n"),
              testing::ElementsAre("3", "2", "6"))
      << "the columns of the training table are not there, and others are found";
  EXPECT_THAT(rows(molecules_, "chemical/x-daylight-smiles", "CCO ethanol\nC1CC( what\nc1ccccc1\n"), expected);
  EXPECT_THAT(rows(molecules_, "", "smiles\nCCO\nC1CC(\nc1ccccc1\n"), expected);
  EXPECT_THAT(rows(molecules_, "text/plain", "C"), testing::ElementsAre("1"));
  EXPECT_THAT(rows(molecules_, "application/json", R"({"smiles": "CCO"})"), testing::ElementsAre("3"));
  EXPECT_THAT(rows(molecules_, "application/json", R"({"smiles": ["CCO", "", "C,C", "C\"C", "C\nC"]})"),
              testing::ElementsAre("3", testing::Not(""), testing::Not(""), testing::Not(""), testing::_))
      << "no text of one row can become two rows";
}

TEST_F(RequestDataTest, WhatIsNoDataIsRefused) {
  EXPECT_THAT(refusal(graphs_, "application/json", ""), HasSubstr("400 the request has no body"));
  EXPECT_THAT(refusal(graphs_, "application/json", "  \n "), HasSubstr("400 the request has no body"));
  EXPECT_THAT(refusal(graphs_, "application/json", "hello"), HasSubstr("400 the body is no JSON"));
  EXPECT_THAT(refusal(graphs_, "application/json", "[]"), HasSubstr("400 the list is empty"));
  EXPECT_THAT(refusal(graphs_, "application/json", "[1]"), HasSubstr("400 a list of graphs has something else"));
  EXPECT_THAT(refusal(graphs_, "application/json", R"({"smiles":["C", 1]})"), HasSubstr("400 some of the list"));
  EXPECT_THAT(refusal(graphs_, "application/json", "{}"), HasSubstr("400 "));
  EXPECT_THAT(refusal(graphs_, "application/json", R"({"edge_index":[[0],[1]])"), HasSubstr("400 request"));
  EXPECT_THAT(refusal(graphs_, "application/json", std::string(100000, '[')), HasSubstr("400 "));
  EXPECT_THAT(refusal(graphs_, "application/x-ndjson", "{\"num_nodes\":2}\n{\"edge_index\":[[0],[5]],\"num_nodes\":2}"),
              HasSubstr("request:2:"));
  EXPECT_THAT(refusal(graphs_, "image/png", "x"), HasSubstr("415 bodies of the type 'image/png'"));
  EXPECT_THAT(refusal(graphs_, "", std::string("\x89PNG\0\0\0", 7)), HasSubstr("415 "));
  EXPECT_THAT(refusal(graphs_, "application/json", R"({"edge_index":[[0],[1]]})"), HasSubstr("422 "));
  EXPECT_THAT(refusal(graphs_, "application/json", R"({"smiles":["CCO"]})"), HasSubstr("422 "));
}

TEST_F(RequestDataTest, HasLimits) {
  ServeOptions options;
  options.rows = 2;
  options.nodes = 3;
  const std::string small = R"({"edge_index":[[0],[1]],"node_feat":[[1],[2]]})";
  EXPECT_EQ(refusal(graphs_, "application/json", small + "\n" + small, options), "");
  EXPECT_THAT(refusal(graphs_, "application/json", small + "\n" + small + "\n" + small, options), HasSubstr("413 "));
  EXPECT_THAT(refusal(graphs_, "application/json", "[" + small + "," + small + "," + small + "]", options),
              HasSubstr("413 "));
  EXPECT_THAT(
      refusal(graphs_, "application/json", R"({"edge_index":[[0],[3]],"node_feat":[[1],[2],[1],[1]]})", options),
      HasSubstr("413 row 0 has 4 nodes"));
  // Many nodes in few bytes.
  EXPECT_NE(refusal(graphs_, "application/json", R"({"num_nodes":4000000000})", options), "");
  if (molecules_ == nullptr) return;
  EXPECT_THAT(refusal(molecules_, "text/csv", "smiles\nC\nC\nC\n", options), HasSubstr("413 "));
  EXPECT_THAT(refusal(molecules_, "application/json", R"({"smiles":["C","C","C"]})", options), HasSubstr("413 "));
  EXPECT_THAT(rows(molecules_, "application/json", R"({"smiles":["CCCCC"]})", options),
              testing::ElementsAre(testing::HasSubstr("atoms")))
      << "a molecule that is too large is a row without an answer";
}

TEST_F(RequestDataTest, TextsAreMoleculesOrGraphs) {
  const std::string graph = R"({"edge_index":[[0],[1]],"node_feat":[[1],[2]]})";
  EXPECT_EQ(read_texts(*graphs_, {graph, graph}, {}).rows, 2U);
  EXPECT_THROW(static_cast<void>(read_texts(*graphs_, {}, {})), Problem);
  EXPECT_THROW(static_cast<void>(read_texts(*graphs_, {graph, "CCO"}, {})), Problem);
  if (molecules_ != nullptr) {
    EXPECT_EQ(read_texts(*molecules_, {"CCO", "C1CC("}, {}).rows, 2U);
  }
}

}  // namespace
}  // namespace agentnet
