#include "view/tables/explained_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "support/graphs.h"
#include "view/explained.h"

namespace agentnet {
namespace {

using nlohmann::json;

class Explained : public testing::Test {
 protected:
  Explained() {
    explanation_.left_out = {0.5, 0, -0.5};
    explanation_.edges[0].left_out = 0.25;
    RecordedRollout rollout;
    rollout.raw = {1, 2, 3, 6};
    rollout.outputs = {0.3, 0.7, 0.1, 0.9};
    rollout.agents = {{{0, 1}, {{{0, 1}, {0.25F, 0.75F}}}}};
    explanation_.walks = {rollout};
    explanation_.fidelity = {.nodes = 1, .all = 0.75, .only_top = 0.6, .without_top = 0.4};
  }
  Graph graph_{path_graph(3)};
  GraphView view_ = graph_.view();
  Explanation explanation_ = made_explanation(view_);
  Spelling spelling_{Schema{}};
  ExplainedSet set_{Task::kClassification, {"no", "yes"}, spelling_};
  std::vector<double> targets_ = {0};
  std::vector<std::uint8_t> marks_ = {0, 1, 0};
};

TEST_F(Explained, JsonHoldsEverything) {
  const std::string line = explanation_json({set_, "g\xff", 7, view_, targets_, marks_, explanation_});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const json j = json::parse(line);
  EXPECT_EQ(j["row"], 7);
  EXPECT_EQ(j["prediction"], "yes");
  EXPECT_EQ(j["truth"], "no");
  EXPECT_EQ(j["probabilities"]["yes"], 0.75);
  EXPECT_EQ(j["explained_output"], "yes");
  ASSERT_EQ(j["nodes"].size(), 3U);
  EXPECT_EQ(j["nodes"][2], json::parse(R"({"node":2,"visits":2.0,"touched":1.0,"gradient_times_input":0.5,)"
                                       R"("leave_one_out":-0.5,"mark":0})"));
  EXPECT_EQ(j["edges"][0], json::parse(R"({"from":0,"to":1,"crossings":1.0,"gradient_times_input":0.0,)"
                                       R"("leave_one_out":0.25})"));
  EXPECT_EQ(j["fidelity"]["without_top"], 0.4);
  const json& steps = j["recorded"][0]["steps"];
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1]["raw"], json({3, 6}));
  EXPECT_EQ(steps[1]["raw_so_far"], json({2, 4}));
  EXPECT_EQ(steps[1]["outputs_so_far"], json({0.1, 0.9}));
  EXPECT_EQ(steps[0]["agents"][0]["position"], 0);
  EXPECT_EQ(steps[0]["agents"][0]["candidates"], json({0, 1}));
  EXPECT_EQ(steps[0]["agents"][0]["probabilities"], json({0.25, 0.75}));
  EXPECT_FALSE(steps[1]["agents"][0].contains("candidates"));
}

TEST_F(Explained, JsonLeavesOutWhatWasNotMeasured) {
  explanation_.influence.clear();
  explanation_.left_out.clear();
  explanation_.fidelity = {};
  explanation_.visits[0] = std::numeric_limits<double>::quiet_NaN();
  const json j = json::parse(explanation_json({set_, "g", 0, view_, {}, {}, explanation_}));
  EXPECT_FALSE(j.contains("truth"));
  EXPECT_TRUE(j["fidelity"].is_null());
  EXPECT_EQ(j["nodes"][0], json::parse(R"({"node":0,"visits":null,"touched":1.0})"));
  EXPECT_EQ(j["edges"][0], json::parse(R"({"from":0,"to":1,"crossings":1.0})"));
}

TEST_F(Explained, GraphmlHasTheSameValues) {
  const auto elements = elements_of(explanation_graphml({set_, "<g>", 0, view_, targets_, marks_, explanation_}));
  EXPECT_EQ(count_of(elements, "graph"), 1U);
  EXPECT_EQ(count_of(elements, "node"), 3U);
  EXPECT_EQ(count_of(elements, "edge"), 2U);
  std::set<std::string> keys, used;
  for (const XmlElement& element : elements) {
    if (element.name == "key") keys.insert(element["id"]);
    if (element.name == "data") used.insert(element["key"]);
    if (element.name == "data" && element["key"] == "graph_id") {
      EXPECT_EQ(element.text, "<g>");
    }
  }
  for (const std::string& key : used) EXPECT_TRUE(keys.contains(key)) << key;
  for (const char* key : {"node_visits", "node_touched", "node_gradient_times_input", "node_leave_one_out", "node_mark",
                          "edge_crossings", "edge_gradient_times_input", "edge_leave_one_out"}) {
    EXPECT_TRUE(used.contains(key)) << key;
  }
}

TEST_F(Explained, SaysWhatIsPredictedOfWhat) {
  EXPECT_EQ(verdict({set_, "g", 0, view_, targets_, {}, explanation_}),
            "predicted yes (p = 0.75, walk spread 0.10), truth: no");
  EXPECT_EQ(explained_output({set_, "g", 0, view_, {}, {}, explanation_}), "class 'yes'");
  const ExplainedSet questions{Task::kMultilabel, {"toxic", "bitter"}, spelling_};
  const std::vector<double> blank = {1, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(verdict({questions, "g", 0, view_, blank, {}, explanation_}),
            "predicted bitter: yes (p = 0.75, walk spread 0.10)");
  const ExplainedSet numbers{Task::kRegression, {"a", "weight"}, spelling_};
  const std::vector<double> two = {1, 2.5};
  EXPECT_EQ(verdict({numbers, "g", 0, view_, two, {}, explanation_}),
            "predicted weight: 0.75 (walk spread 0.1), truth: 2.5");
}

TEST_F(Explained, WhatIsNotFiniteIsNoPrediction) {
  explanation_.mean[0] = std::numeric_limits<double>::quiet_NaN();
  const ExplainedGraph explained{set_, "g", 7, view_, targets_, marks_, explanation_};
  EXPECT_FALSE(answer_of(explained).is_finite);
  EXPECT_EQ(verdict(explained), "no prediction: the model's output is not a finite number");
  const json j = json::parse(explanation_json(explained));
  EXPECT_TRUE(j["prediction"].is_null());
  EXPECT_TRUE(j["probabilities"]["no"].is_null());
  EXPECT_EQ(j["status"], "the model's output is not a finite number");
}

TEST_F(Explained, JsonHoldsTheSmallestNumbers) {
  explanation_.mean = {1e-310, 1};
  const json j = json::parse(explanation_json({set_, "g", 7, view_, targets_, marks_, explanation_}));
  EXPECT_EQ(j["probabilities"]["no"], 1e-310);
  EXPECT_FALSE(j.contains("status"));
}

}  // namespace
}  // namespace agentnet
