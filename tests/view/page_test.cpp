// The page's data: what it says of graphs, predictions and walks.
#include "view/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "agentnet/error.h"
#include "data/molecules/molecule.h"
#include "data/syntax/csv.h"
#include "data/synthetic/synthetic.h"
#include "support/small_model.h"
#include "support/temp_folder.h"
#include "view/page/page_walks.h"
#include "view/pictures/molecule_picture.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double kBlank = std::numeric_limits<double>::quiet_NaN();

// A set with every kind of thing that a page can show.
Dataset labelled_set() {
  Dataset data;
  data.source = "set";
  data.schema.task = Task::kClassification;
  data.schema.targets = {"y"};
  data.schema.classes = {"no", "<yes>"};
  data.schema.nodes.categories = {{"degree", {"1", "2"}}, {"letter", {"a", "<b>"}}};
  data.schema.edges.categories = {{"kind", {"thin", "thick"}}};
  for (int g = 0; g < 4; ++g) {
    GraphParts parts;
    parts.num_nodes = 3;
    parts.from = {0, 1};
    parts.to = {1, 2};
    parts.undirected = true;
    parts.node_categories = {0, 0, 1, 1, 0, 0};
    parts.edge_categories = {0, 1};
    const std::vector<float> positions = {0, 0, 5, 1, 0, 5, 1, 2, 5};
    const std::vector<std::uint8_t> marks = {0, 1, 0};
    const double target = g == 3 ? kBlank : g % 2;
    data.graphs.add(Graph(parts), {&target, 1}, g == 0 ? "</script>" : "", {positions, marks});
  }
  return data;
}

class Page : public testing::Test {
 protected:
  Page() : data_(labelled_set()), model_(small_model(data_.schema)) {
    page_.title = "a title";
    page_.model = &model_;
    page_.data = &data_;
    page_.graphs = {0, 1, 2, 3};
    options_.rollouts = 4;
    predictions_ = predict(model_, data_.graphs.views(), options_);
    page_.predictions = &predictions_;
  }
  Dataset data_;
  Model model_;
  PredictOptions options_;
  Predictions predictions_;
  PageData page_;
};

TEST_F(Page, ListsEveryGraphWithWhatIsTrueAndWhatIsSaid) {
  page_.graphs = {2, 0, 3};
  const Predictions some = predict(model_, std::vector<GraphView>(3, data_.graphs.view(0)), options_);
  page_.predictions = &some;
  const json found = json::parse(page_json(page_));
  EXPECT_EQ(found["version"], 1);
  EXPECT_EQ(found["task"], "classification");
  EXPECT_EQ(found["outputs"], json({"no", "<yes>"}));
  EXPECT_EQ(found["model"]["agents"], 3);
  EXPECT_EQ(found["model"]["kind"], "agentnet");
  EXPECT_EQ(found["model"]["description"], "AgentNet with 3 agents, 3 steps, hidden size 8");
  EXPECT_GT(found["model"]["parameters"], 0);
  EXPECT_TRUE(found["training"].is_null());
  ASSERT_EQ(found["graphs"].size(), 3U);
  EXPECT_EQ(found["graphs"][0]["id"], "2") << "the row stands for an id that there is not";
  EXPECT_EQ(found["graphs"][1]["id"], "</script>");
  EXPECT_EQ(found["graphs"][0]["target"], json({0}));
  EXPECT_TRUE(found["graphs"][2]["target"][0].is_null());
  EXPECT_NEAR(found["graphs"][1]["mean"][1], some.mean[3], 1e-5);
  EXPECT_EQ(found["graphs"][1]["nodes"], 3);
  EXPECT_EQ(found["graphs"][1]["edges"], 2) << "an undirected edge counts once";
  EXPECT_TRUE(found["graphs"][1]["detail"].is_null());
  EXPECT_TRUE(found["details"].empty());
  EXPECT_FALSE(found["graphs"][0].contains("smiles"));
}

// Ethanoic acid, an ion, and a ring: what a reader of SMILES texts makes of them.
TEST(PageOfMolecules, DrawsThemWithRdkitsCoordinatesAndSaysTheirText) {
  if (!can_read_smiles() || !can_draw_molecules()) GTEST_SKIP() << "this build has no RDKit";
  const TempFolder folder;
  write_text(folder / "a.csv", "smiles,y\nCC(=O)[O-],0\nc1ccccc1,1\n");
  DataOptions reading;
  reading.keep = {kSmilesColumn};
  Dataset data = read_data(folder / "a.csv", reading);
  const Model model = small_model(data.schema);
  const Predictions predictions = predict(model, data.graphs.views(), {.rollouts = 2});
  PageData page;
  page.model = &model;
  page.data = &data;
  page.graphs = {0, 1};
  page.predictions = &predictions;
  add_walks(page, {.graphs = 2, .walks = {.rollouts = 2}, .recorded = 1});
  const json found = json::parse(page_json(page));
  EXPECT_EQ(found["graphs"][0]["smiles"], "CC(=O)[O-]");
  ASSERT_EQ(found["details"].size(), 2U);
  for (const json& detail : found["details"]) {
    ASSERT_TRUE(detail.contains("molecule"));
    const json& molecule = detail["molecule"];
    const json& places = detail["nodes"]["positions"];
    const std::size_t atoms = detail["nodes"]["count"];
    ASSERT_EQ(places.size(), atoms);
    ASSERT_EQ(molecule["orders"].size(), detail["edges"].size());
    for (const json& edge : detail["edges"]) {  // bonds have the length 1, rings are regular
      const json &u = places[edge[0].get<std::size_t>()], &v = places[edge[1].get<std::size_t>()];
      EXPECT_NEAR(std::hypot(u[0].get<double>() - v[0].get<double>(), u[1].get<double>() - v[1].get<double>()), 1,
                  0.01);
    }
    std::vector<int> orders = molecule["orders"].get<std::vector<int>>();
    std::sort(orders.begin(), orders.end());
    if (atoms == 6) {
      EXPECT_EQ(orders, (std::vector<int>{1, 1, 1, 2, 2, 2})) << "single and double bonds in turn";
      EXPECT_EQ(molecule["hydrogens"], json({1, 1, 1, 1, 1, 1}));
    } else {
      EXPECT_EQ(molecule["symbols"], json({"C", "C", "O", "O"}));
      EXPECT_EQ(molecule["hydrogens"], json({3, 0, 0, 0}));
      EXPECT_EQ(molecule["charges"], json({0, 0, 0, -1}));
      EXPECT_EQ(orders, (std::vector<int>{1, 1, 2}));
    }
  }
}

TEST_F(Page, HoldsTheWalksOfTheGraphsThatWereExplained) {
  add_walks(page_, {.graphs = 2, .walks = options_, .recorded = 3});
  const json found = json::parse(page_json(page_));
  ASSERT_EQ(found["details"].size(), 2U);
  std::size_t with_walks = 0;
  for (std::size_t g = 0; g < 4; ++g) {
    const json& at = found["graphs"][g]["detail"];
    if (at.is_null()) continue;
    ++with_walks;
    const json& detail = found["details"][at.get<std::size_t>()];
    EXPECT_EQ(detail["graph"], g);
    EXPECT_EQ(detail["nodes"]["count"], 3);
    EXPECT_TRUE(detail["nodes"]["ids"].is_null());
    EXPECT_EQ(detail["nodes"]["marks"], json({0, 1, 0}));
    EXPECT_EQ(detail["nodes"]["positions"].size(), 3U);
    EXPECT_EQ(detail["edges"], json({{0, 1}, {1, 2}}));
    EXPECT_EQ(detail["edge_labels"], json({"thin", "thick"}));
    EXPECT_EQ(detail["directed"], false);
    EXPECT_EQ(detail["influence"].size(), 3U);
    double visits = 0;
    for (const double v : detail["visits"]) visits += v;
    EXPECT_NEAR(visits, 3 * 4, 0.01) << "three agents make four visits each";
    ASSERT_EQ(detail["rollouts"].size(), 3U);
    for (const json& rollout : detail["rollouts"]) {
      EXPECT_EQ(rollout["outputs"].size(), 4U);
      ASSERT_EQ(rollout["agents"].size(), 3U);
      EXPECT_EQ(rollout["agents"][0]["path"].size(), 4U);
      EXPECT_EQ(rollout["agents"][0]["moves"].size(), 3U);
    }
  }
  EXPECT_EQ(with_walks, 2U);
}

TEST_F(Page, TheWalksAreThoseOfThePredictions) {
  add_walks(page_, {.graphs = 4, .walks = options_});
  ASSERT_EQ(page_.explanations.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t row = page_.explained[i];
    EXPECT_EQ(page_.explanations[i].mean[0], predictions_.mean[2 * row]);
    EXPECT_EQ(page_.explanations[i].walk_spread[1], predictions_.walk_spread[2 * row + 1]);
  }
}

TEST_F(Page, ExplanationsAloneSayWhatIsPredicted) {
  page_.predictions = nullptr;
  page_.explanations = explain(model_, data_.graphs.views(), {.walks = options_});
  const json found = json::parse(page_json(page_));
  EXPECT_EQ(found["details"].size(), 4U);
  EXPECT_NEAR(found["graphs"][1]["mean"][0], predictions_.mean[2], 1e-5);
}

TEST_F(Page, NoTextCanEndTheScriptThatHoldsIt) {
  page_.title = "</script><!-- \xff";
  add_walks(page_, {.graphs = 4, .walks = options_});
  const std::string text = page_json(page_);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(json::parse(text)["title"].get<std::string>(), HasSubstr("</script><!--"));
}

TEST_F(Page, IsTheSameForAnyNumberOfThreads) {
  PageData other = page_;
  add_walks(page_, {.graphs = 3, .walks = options_});
  options_.threads = 3;
  add_walks(other, {.graphs = 3, .walks = options_});
  EXPECT_EQ(page_json(page_), page_json(other));
}

TEST_F(Page, LeavesOutWalksThatDoNotFit) {
  add_walks(page_, {.graphs = 4, .walks = options_, .recorded = 4});
  std::size_t walks = 0;
  const std::size_t whole = page_json(page_, &walks).size();
  EXPECT_EQ(walks, 4U);
  page_.most_walk_bytes = whole / 2;
  EXPECT_LT(page_json(page_, &walks).size(), whole * 3 / 4);
  EXPECT_GT(walks, 0U);
  EXPECT_LE(walks, 4U);
  page_.most_walk_bytes = 10;
  const json found = json::parse(page_json(page_, &walks));
  EXPECT_EQ(walks, 0U);
  EXPECT_EQ(found["graphs"].size(), 4U);
}

TEST_F(Page, MeasuresWhatIsLabelled) {
  predictions_.mean = {0.9, 0.1, 0.8, 0.2, 0.3, 0.7, 0.5, 0.5};  // true: 0, 1, 0, blank
  page_.training.metric = "accuracy";
  page_.training.epochs.resize(2);
  page_.training.epochs[0].epoch = 1;
  page_.training.epochs[0].metric = 0.25;
  page_.training.epochs[0].best = true;
  page_.training.epochs[1].epoch = 2;
  page_.training.epochs[1].loss = kBlank;
  page_.baselines = {{"majority class", {{"f1", 0.1}, {"accuracy", 0.6}}}};
  const json found = json::parse(page_json(page_));
  EXPECT_NEAR(found["evaluation"]["scores"]["accuracy"], 1.0 / 3, 1e-5);
  EXPECT_EQ(found["evaluation"]["confusion"], json({{1, 1}, {1, 0}}));
  EXPECT_EQ(found["evaluation"]["calibration"].size(), 3U);
  EXPECT_EQ(found["evaluation"]["baselines"]["majority class"], 0.6);
  EXPECT_EQ(found["training"]["epochs"][0]["metric"], 0.25);
  EXPECT_EQ(found["training"]["epochs"][0]["best"], true);
  EXPECT_TRUE(found["training"]["epochs"][1]["loss"].is_null());
  EXPECT_TRUE(found["training"]["epochs"][1]["metric"].is_null());
}

TEST_F(Page, AMetricThatIsNotDefinedIsNull) {
  page_.graphs = {0};
  predictions_.mean.resize(2);
  predictions_.walk_spread.resize(2);
  EXPECT_TRUE(json::parse(page_json(page_))["evaluation"]["scores"]["roc-auc"].is_null());
  page_.graphs = {3};
  EXPECT_TRUE(json::parse(page_json(page_))["evaluation"].is_null()) << "nothing is labelled";
}

TEST_F(Page, WhatIsNotFiniteIsSaid) {
  predictions_.mean[2] = kBlank;
  const json found = json::parse(page_json(page_));
  EXPECT_EQ(found["graphs"][1]["finite"], false);
  EXPECT_EQ(found["graphs"][1]["mean"][0], 0) << "for the page's sake";
  EXPECT_FALSE(found["graphs"][0].contains("finite"));
}

TEST_F(Page, PartsThatDoNotBelongTogetherAreRefused) {
  const auto refused = [&] { EXPECT_THROW((void)page_json(page_), Error); };
  page_.graphs = {0, 1, 2};
  refused();
  page_.graphs = {0, 1, 2, 9};
  refused();
  page_.graphs = {0, 1, 2, 3};
  page_.explanations.resize(1);
  page_.explained = {0};
  refused();
  page_.model = nullptr;
  refused();
}

TEST(PageOfNumbers, ShowsTargetsAndBlanks) {
  Dataset data;
  data.schema.task = Task::kRegression;
  data.schema.targets = {"mass", "charge"};
  data.schema.nodes.dense = {"x"};
  GraphParts parts;
  parts.num_nodes = 2;
  parts.from = {0};
  parts.to = {1};
  parts.node_dense = {1, 2};
  const std::vector<double> targets = {2.5, kBlank};
  data.graphs.add(Graph(parts), targets);
  const Model model = small_model(data.schema);
  PageData page;
  page.model = &model;
  page.data = &data;
  page.graphs = {0};
  page.explanations = explain(model, data.graphs.views(), {.walks = {.rollouts = 2}});
  const json found = json::parse(page_json(page));
  EXPECT_EQ(found["task"], "regression");
  EXPECT_EQ(found["graphs"][0]["target"], json({2.5, nullptr}));
  EXPECT_TRUE(found["evaluation"]["confusion"].is_null());
  EXPECT_TRUE(found["evaluation"]["calibration"].is_null());
  EXPECT_TRUE(found["details"][0]["directed"]) << "the edge has no reverse";
  EXPECT_TRUE(found["details"][0]["nodes"]["labels"].is_null());
  EXPECT_TRUE(found["details"][0]["nodes"]["marks"].is_null());
}

TEST(PageFile, HoldsItsDataInPlaceOfTheToken) {
  if (!has_viewer()) {
    try {
      (void)page_with("{}");
      FAIL() << "a page without a viewer";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kFailure);
      EXPECT_THAT(error.what(), HasSubstr("no viewer"));
    }
    return;
  }
  EXPECT_THAT(std::string(empty_page()), HasSubstr("__AGENTNET_DATA__"));
  const std::string page = page_with("{\"version\":1}");
  EXPECT_THAT(page, HasSubstr("id=\"agentnet-data\">{\"version\":1}</script>"));
  EXPECT_THAT(page, Not(HasSubstr("__AGENTNET_DATA__")));
}

}  // namespace
}  // namespace agentnet
