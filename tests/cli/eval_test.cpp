// eval, and what info says of a model's data, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/run_agentnet.h"
#include "support/small_model.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

std::string graph(int label, const std::string& target, const std::string& part = "train") {
  return "{\"node_feat\":[[" + std::to_string(label) + "],[1]],\"edge_index\":[[0,1],[1,0]],\"y\":" + target +
         ",\"split\":\"" + part + "\"}\n";
}

class EvalCommand : public testing::Test {
 protected:
  EvalCommand() {
    write_text(path("set.jsonl"), graph(0, "\"a\"") + graph(3, "\"b\"") + graph(2, "\"b\"", "test") +
                                      graph(0, "\"a\"", "test") + graph(1, "null", "test"));
    small_model(read_data(path("set.jsonl"), {}).schema).save(path("model"));
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] ProgramResult eval(const std::string& data, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"eval", path("model"), path(data)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_agentnet(arguments);
  }
  TempFolder folder_;
};

TEST_F(EvalCommand, TellsMetricsByName) {
  const ProgramResult result = eval("set.jsonl", {"--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["graphs"], 5);
  EXPECT_EQ(found["rollouts"], 8);
  EXPECT_EQ(found["task"], "classification");
  EXPECT_EQ(found["blanks"], 1);
  EXPECT_TRUE(found["metrics"]["accuracy"].is_number());
  EXPECT_TRUE(found["metrics"]["roc-auc"].is_number());
  const ProgramResult text = eval("set.jsonl");
  EXPECT_THAT(text.out, StartsWith(path("set.jsonl") + ": 5 graphs, classification, 8 rollouts each\n"));
  EXPECT_THAT(text.out, HasSubstr("\n  accuracy "));
  EXPECT_THAT(text.out, HasSubstr("\n  blank targets      1, which count for nothing\n"));
}

TEST_F(EvalCommand, TellsEveryTargetByItself) {
  write_text(path("two.jsonl"), graph(0, "[0.5,10]") + graph(3, "[1.5,30]") + graph(2, "[0.25,null]"));
  small_model(read_data(path("two.jsonl"), {}).schema).save(path("model"));
  const json found = json::parse(eval("two.jsonl", {"--json"}).out);
  ASSERT_EQ(found["targets"].size(), 2U);
  const json first = found["targets"]["y0"], second = found["targets"]["y1"];
  EXPECT_NEAR((first["mae"].get<double>() + second["mae"].get<double>()) / 2, found["metrics"]["mae"].get<double>(),
              1e-12);
  for (const char* metric : {"mae", "rmse", "r2", "pearson", "spearman"}) EXPECT_TRUE(first.contains(metric)) << metric;
  const ProgramResult text = eval("two.jsonl");
  EXPECT_THAT(text.out, HasSubstr("\n  r2 "));
  EXPECT_THAT(text.out, HasSubstr("\neach target\n"));
  EXPECT_THAT(text.out, HasSubstr("\n  y1 "));
  write_text(path("one.jsonl"), graph(0, "0.5") + graph(3, "1.5"));
  small_model(read_data(path("one.jsonl"), {}).schema).save(path("model"));
  EXPECT_FALSE(json::parse(eval("one.jsonl", {"--json"}).out).contains("targets")) << "one target is its own table";
}

TEST_F(EvalCommand, OneGraphIsOneGraph) {
  write_text(path("one.jsonl"), graph(0, "\"a\""));
  EXPECT_THAT(eval("one.jsonl", {"--rollouts", "1"}).out,
              HasSubstr("one.jsonl: 1 graph, classification, 1 rollout each\n"));
}

TEST_F(EvalCommand, SaysHowManyRolloutsAConfidenceTook) {
  const ProgramResult result = eval("set.jsonl", {"--json", "--confidence", "0.5"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const double rollouts = json::parse(result.out)["rollouts"];
  EXPECT_GT(rollouts, 1);
  EXPECT_LT(rollouts, 1000) << "the limit, which an easy decision does not need";
}

TEST_F(EvalCommand, MeasuresAPartOfASplit) {
  const ProgramResult result = eval("set.jsonl", {"--json", "--split", "column:split", "--part", "test"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["graphs"], 3);
  EXPECT_EQ(eval("set.jsonl", {"--part", "test"}).exit_code, 2);
}

TEST_F(EvalCommand, GivesTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(eval("set.jsonl", {"--json", "--threads", "1"}).out, eval("set.jsonl", {"--json", "--threads", "2"}).out);
}

TEST_F(EvalCommand, AMetricThatIsNotDefinedIsNull) {
  write_text(path("one.jsonl"), graph(0, "\"a\""));
  const ProgramResult result = eval("one.jsonl", {"--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(json::parse(result.out)["metrics"]["roc-auc"].is_null());
  EXPECT_THAT(eval("one.jsonl").out, Not(HasSubstr("roc-auc")));
}

TEST_F(EvalCommand, AModelAndDataThatDoNotMatchExitWithFour) {
  write_text(path("class.jsonl"), graph(0, "\"c\""));
  write_text(path("numbers.jsonl"), graph(0, "0.5"));
  write_text(path("several.jsonl"), graph(0, "[0,1]"));
  write_text(path("none.jsonl"), "{\"node_feat\":[[0]],\"edge_index\":[[],[]]}\n");
  write_text(path("wide.jsonl"), "{\"node_feat\":[[0,1]],\"edge_index\":[[],[]],\"y\":\"a\"}\n");
  for (const char* name : {"class.jsonl", "numbers.jsonl", "several.jsonl", "none.jsonl", "wide.jsonl"}) {
    const ProgramResult result = eval(name);
    EXPECT_EQ(result.exit_code, 4) << name << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("\nhint: "));
  }
}

TEST_F(EvalCommand, ATargetThatOnlyTheModelNamesExitsWithFourWhereItIsMissing) {
  DataOptions options;
  options.targets = {"y"};
  small_model(read_data(path("set.jsonl"), options).schema, options).save(path("model"));
  EXPECT_EQ(eval("set.jsonl").exit_code, 0);
  write_text(path("none.jsonl"), "{\"node_feat\":[[0]],\"edge_index\":[[],[]],\"z\":\"a\"}\n");
  const ProgramResult result = eval("none.jsonl");
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_THAT(result.err, StartsWith("error: the data does not have what the model was trained to predict: "));
  EXPECT_THAT(result.err, HasSubstr("'y'\nhint: name the columns that hold the true values with --target\n"));
  EXPECT_EQ(eval("none.jsonl", {"--target", "y"}).exit_code, 2) << "the user named it";
  EXPECT_EQ(eval("none.jsonl", {"--target", "z"}).exit_code, 0);
}

TEST_F(EvalCommand, InfoSaysWhatDataAModelReads) {
  const ProgramResult text = run_agentnet({"info", path("model")});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out,
              HasSubstr("\npredicts  y\nclasses   a, b\nnodes     node_feat0 (4 categories)\nedges     none"));
  const json found = json::parse(run_agentnet({"info", path("model"), "--json"}).out);
  EXPECT_EQ(found["schema"]["classes"], json({"a", "b"}));
  EXPECT_EQ(found["reading"]["degree"], false);
}

TEST_F(EvalCommand, HasIntervalsOfItsMetrics) {
  std::string lines;
  for (int g = 0; g < 20; ++g) lines += graph(g % 4, g % 2 == 0 ? "\"a\"" : "\"b\"");
  write_text(path("many.jsonl"), lines);
  const std::string out = eval("many.jsonl", {"--json"}).out;
  EXPECT_EQ(eval("many.jsonl", {"--json", "--threads", "2"}).out, out);
  const json found = json::parse(out);
  EXPECT_EQ(found["intervals"]["coverage"], 0.95);
  EXPECT_EQ(found["intervals"]["samples"], 1000);
  for (const char* metric : {"accuracy", "mcc", "specificity", "log-loss"}) {
    const json& interval = found["intervals"]["metrics"][metric];
    ASSERT_EQ(interval.size(), 2U) << metric;
    EXPECT_LE(interval[0].get<double>(), found["metrics"][metric].get<double>());
    EXPECT_GE(interval[1].get<double>(), found["metrics"][metric].get<double>());
  }
  EXPECT_THAT(eval("many.jsonl").out,
              HasSubstr("\n95 % intervals (1000 bootstrap samples of the tested graphs)\n  accuracy "));
}

}  // namespace
}  // namespace agentnet
