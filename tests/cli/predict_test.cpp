// predict, as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "cli/run_agentnet.h"
#include "data/molecules/molecule.h"
#include "support/small_model.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

std::string graph(int label, const std::string& more = {}) {
  return "{\"node_feat\":[[" + std::to_string(label) + "],[1],[2]],\"edge_index\":[[0,1,1,2],[1,0,2,1]]" + more + "}\n";
}

class PredictCommand : public testing::Test {
 protected:
  PredictCommand() {
    write_text(path("train.jsonl"), graph(0, ",\"y\":\"a\"") + graph(3, ",\"y\":\"b\""));
    small_model(read_data(path("train.jsonl"), {}).schema).save(path("model"));
    std::string text;
    for (int g = 0; g < 11; ++g) text += graph(g % 4, g % 2 == 0 ? "" : ",\"id\":\"g" + std::to_string(g) + "\"");
    write_text(path("new.jsonl"), text);
    std::string many;
    for (int g = 0; g < 20000; ++g) many += graph(g % 4);
    write_text(path("long.jsonl"), many);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] ProgramResult predict(const std::string& data, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"predict", path("model"), path(data)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_agentnet(arguments);
  }
  [[nodiscard]] std::vector<std::string> files_like(const std::string& beginning) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().filename().string().starts_with(beginning)) names.push_back(entry.path().filename());
    }
    return names;
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  TempFolder folder_;
};

TEST_F(PredictCommand, WritesALinePerRowInOrder) {
  const ProgramResult result = predict("new.jsonl");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_EQ(lines[0], "id,prediction,p_a,p_b,walk_spread,status");
  EXPECT_THAT(lines[1], StartsWith("0,"));
  EXPECT_THAT(lines[2], StartsWith("g1,"));
  EXPECT_THAT(lines[11], testing::EndsWith(",ok"));
  EXPECT_THAT(result.err, StartsWith("predicted 11 of 11 rows, 8 rollouts each, "));
}

TEST_F(PredictCommand, WritesTheSameBytesForAnyThreadsAndBatch) {
  const std::string expected = predict("new.jsonl", {"--threads", "1"}).out;
  EXPECT_EQ(predict("new.jsonl", {"--threads", "2", "--batch", "1"}).out, expected);
  EXPECT_EQ(predict("new.jsonl", {"--threads", "3", "--batch", "4"}).out, expected);
  EXPECT_NE(predict("new.jsonl", {"--seed", "1"}).out, expected);
  EXPECT_NE(predict("new.jsonl", {"--greedy"}).out, expected);
  EXPECT_NE(predict("new.jsonl", {"--rollouts", "1"}).out, expected);
  ASSERT_EQ(run_agentnet({"convert", path("new.jsonl"), path("new.agentset")}).exit_code, 0);
  EXPECT_EQ(predict("new.agentset", {"--batch", "3"}).out, expected);
}

// Rows g and g + 4 of new.jsonl are the same graph.
TEST_F(PredictCommand, TheSameGraphGetsTheSameAnswerInAnyRow) {
  const auto values = [&](const std::vector<std::string>& more) {
    std::vector<std::string> lines;
    std::istringstream text(predict("new.jsonl", more).out);
    for (std::string line; std::getline(text, line);) lines.push_back(line.substr(line.find(',')));
    return lines;
  };
  const auto by_content = values({"--rollouts", "2"});
  ASSERT_EQ(by_content.size(), 12U);
  for (std::size_t line = 1; line + 4 < by_content.size(); ++line) EXPECT_EQ(by_content[line], by_content[line + 4]);
  EXPECT_NE(by_content[1], by_content[2]);
  const auto by_row = values({"--rollouts", "2", "--draws", "row"});
  EXPECT_NE(by_row[1], by_row[5]);
  EXPECT_EQ(predict("new.jsonl", {"--draws", "column"}).exit_code, 2);
}

TEST_F(PredictCommand, WritesJsonLines) {
  const ProgramResult result = predict("new.jsonl", {"--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json first = json::parse(lines_of(result.out)[1]);
  EXPECT_EQ(first["row"], 1);
  EXPECT_EQ(first["id"], "g1");
  EXPECT_EQ(first["status"], "ok");
  EXPECT_NEAR(first["probabilities"]["a"].get<double>() + first["probabilities"]["b"].get<double>(), 1, 1e-6);
}

TEST_F(PredictCommand, CountsValuesThatTheModelHasNeverSeen) {
  write_text(path("odd.jsonl"), graph(77) + graph(77) + graph(78));
  const ProgramResult result = predict("odd.jsonl", {"--batch", "1"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("node_feat0=77 (2x), node_feat0=78 (1x)\n"));
}

TEST_F(PredictCommand, BadRowsKeepTheirPlace) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build has no RDKit";
  write_text(path("train.csv"), "smiles,active\nC,0\nCCO,1\n");
  small_model(read_data(path("train.csv"), {}).schema).save(path("model"));
  write_text(path("new.csv"), "name,smiles,remark\nm1,CC,good\nm2,oops,\"bad, really\"\nm3,CCN,\nm4,,none\n");
  const ProgramResult result = predict("new.csv", {"--batch", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0], "id,smiles,prediction,p_0,p_1,walk_spread,status");
  EXPECT_THAT(lines[1], StartsWith("m1,CC,"));
  EXPECT_THAT(lines[2], StartsWith("m2,,,,,,"));
  EXPECT_THAT(lines[2], HasSubstr("'oops' is no molecule"));
  EXPECT_THAT(lines[3], StartsWith("m3,"));
  EXPECT_THAT(result.err, HasSubstr("predicted 2 of 4 rows"));
  EXPECT_THAT(result.err, HasSubstr("2 of 4 rows are not graphs, their status says why; the first: " + path("new.csv") +
                                    ":3:4: 'oops' is no molecule"));
  EXPECT_EQ(predict("new.csv", {"--batch", "100"}).out, result.out);
  const ProgramResult strict = predict("new.csv", {"--fail-on-bad-rows", "-o", path("out.csv")});
  EXPECT_EQ(strict.exit_code, 3);
  EXPECT_EQ(read_text(path("out.csv")), result.out);
}

TEST_F(PredictCommand, ColumnsOfTheInputStandBesideThePredictions) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build has no RDKit";
  write_text(path("train.csv"), "smiles,active\nC,0\nCCO,1\n");
  small_model(read_data(path("train.csv"), {}).schema).save(path("model"));
  write_text(path("new.csv"), "name,smiles,prediction\n\"m,1\",CC,\"a, b\"\nm2,oops,c\n");
  const auto all = lines_of(predict("new.csv", {"--keep", "all"}).out);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0], "id,name,smiles,input_prediction,prediction,p_0,p_1,walk_spread,status");
  EXPECT_THAT(all[1], StartsWith("\"m,1\",\"m,1\",CC,\"a, b\","));
  EXPECT_THAT(all[2], StartsWith("m2,,,,,,,,"));
  EXPECT_EQ(lines_of(predict("new.csv", {"--keep", "none"}).out)[0], "id,prediction,p_0,p_1,walk_spread,status");
  EXPECT_THAT(lines_of(predict("new.csv", {"--keep", "name", "--json"}).out)[0],
              StartsWith("{\"input\":{\"name\":\"m,1\"},\"row\":0,"));
  EXPECT_THAT(predict("new.csv", {"--keep", "nme"}).err, HasSubstr("did you mean name?"));
}

TEST_F(PredictCommand, AMoleculeMayBeTyped) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build has no RDKit";
  write_text(path("train.csv"), "smiles,active\nC,0\nCCO,1\n");
  small_model(read_data(path("train.csv"), {}).schema).save(path("model"));
  const ProgramResult typed = run_agentnet({"predict", path("model"), "CC(=O)O"});
  EXPECT_EQ(typed.exit_code, 0) << typed.err;
  EXPECT_THAT(lines_of(typed.out)[1], StartsWith("0,CC(=O)O,"));
  EXPECT_THAT(typed.err, HasSubstr("note: there is no file CC(=O)O: it is read as a molecule\n"));
}

TEST_F(PredictCommand, AFileAppearsCompleteOrNotAtAll) {
  const std::string expected = predict("new.jsonl").out;
  EXPECT_EQ(predict("new.jsonl", {"-o", path("out.csv")}).exit_code, 0);
  EXPECT_EQ(read_text(path("out.csv")), expected);
  const ProgramResult refused = predict("new.jsonl", {"-o", path("out.csv")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("out.csv exists already\nhint: choose another name, or replace it with --force"));
  EXPECT_EQ(predict("new.jsonl", {"-o", path("out.csv"), "--force", "--json"}).exit_code, 0);
  EXPECT_THAT(read_text(path("out.csv")), StartsWith("{"));

  write_text(path("broken.jsonl"), graph(1) + graph(2) + "{\"num_nodes\":");
  EXPECT_EQ(predict("broken.jsonl", {"-o", path("broken.csv"), "--batch", "1"}).exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(path("broken.csv")));
  const ProgramResult nowhere = predict("new.jsonl", {"-o", path("none/out.csv")});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("none/out.csv"));
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_EQ(run_agentnet({"predict", path("model"), path("new.jsonl")}, "/dev/full").exit_code, 1);
  }
}

TEST_F(PredictCommand, AnInterruptLeavesNoFileBehind) {
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningProgram program({"predict", path("model"), path("long.jsonl"), "--rollouts", "1000", "-o", path("out.csv")});
    while (program.running() && files_like("out.csv").empty()) ::usleep(1000);
    program.signal(signal);
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.exit_code, 130) << result.err;
    EXPECT_THAT(result.err, MatchesRegex("error: interrupted after [0-9]+ rows?: nothing was written\n"
                                         "hint: run the same command again\n"));
    EXPECT_THAT(files_like("out.csv"), IsEmpty());
  }
}

TEST_F(PredictCommand, AnInterruptSaysThatWhatWentToTheScreenIsIncomplete) {
  RunningProgram program({"predict", path("model"), path("long.jsonl"), "--rollouts", "1000", "--batch", "10"});
  while (program.running() && program.out_so_far().empty()) ::usleep(1000);
  program.signal(SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 130) << result.err;
  const auto rows = lines_of(result.out).size() - 1;
  EXPECT_THAT(result.err, StartsWith("error: interrupted after " + std::to_string(rows) +
                                     " rows: the output is incomplete\nhint: "));
}

TEST_F(PredictCommand, WhatAKilledRunLeftIsRemovedByTheNext) {
  {
    RunningProgram program({"predict", path("model"), path("long.jsonl"), "--rollouts", "1000", "-o", path("out.csv")});
    while (program.running() && files_like("out.csv").empty()) ::usleep(1000);
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait().exit_code, -1);
  }
  ASSERT_EQ(files_like("out.csv").size(), 1U);
  EXPECT_EQ(predict("new.jsonl", {"-o", path("out.csv")}).exit_code, 0);
  EXPECT_THAT(files_like("out.csv"), ElementsAre("out.csv"));
}

TEST_F(PredictCommand, AModelAndDataThatDoNotMatchExitWithFour) {
  write_text(path("bare.jsonl"), "{\"num_nodes\":2,\"edge_index\":[[0],[1]]}\n");
  write_text(path("wide.jsonl"), "{\"node_feat\":[[1,2]],\"edge_index\":[[0],[0]]}\n");
  for (const char* name : {"bare.jsonl", "wide.jsonl"}) {
    const ProgramResult result = predict(name, {"-o", path("out.csv")});
    EXPECT_EQ(result.exit_code, 4) << name;
    EXPECT_THAT(result.err, StartsWith("error: the model was trained on the node columns 'node_feat0' (categories)"));
    EXPECT_THAT(result.err, HasSubstr("\nhint: "));
    EXPECT_FALSE(std::filesystem::exists(path("out.csv")));
  }
  Model model = Model::load(path("model"));
  model.card().schema = "";
  model.save(path("model"));
  EXPECT_EQ(predict("new.jsonl").exit_code, 4);
}

// A model for nodes with the numbers charge and mass, and tables with nodes of these columns.
class PredictTables : public PredictCommand {
 protected:
  PredictTables() {
    write_tables("train", "charge,mass");
    small_model(read_data(path("train"), {}).schema).save(path("model"));
  }
  void write_tables(const std::string& name, const std::string& columns) const {
    std::filesystem::create_directory(path(name));
    write_text(path(name + "/graphs.csv"), "graph,y\n1,a\n2,b\n");
    write_text(path(name + "/nodes.csv"), "graph,node," + columns + "\n1,0,0.5,1.5\n2,0,2.5,3.5\n");
    write_text(path(name + "/edges.csv"), "graph,source,target\n1,0,0\n2,0,0\n");
  }
};

TEST_F(PredictTables, ColumnsOfWhichOnlySomeNamesAgreeExitWithFour) {
  write_tables("other", "mass,radius");
  const ProgramResult result = predict("other", {"-o", path("out.csv")});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("; missing: 'charge'; too much: 'radius'\nhint: "));
  EXPECT_FALSE(std::filesystem::exists(path("out.csv")));
}

TEST_F(PredictTables, ColumnsTakenByTheirPlacesAreToldOncePerCommand) {
  std::string text;
  for (int g = 0; g < 3; ++g) text += "{\"node_feat\":[[0.5,1.5]],\"edge_index\":[[0],[0]],\"y\":\"a\"}\n";
  write_text(path("new.jsonl"), text);
  const std::string note =
      "note: the model's node columns 'charge', 'mass' are taken from 'node_feat0', 'node_feat1', by their places\n";
  for (const ProgramResult& result :
       {predict("new.jsonl", {"--batch", "1"}), run_agentnet({"eval", path("model"), path("new.jsonl")})}) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::size_t first = result.err.find(note);
    ASSERT_NE(first, std::string::npos) << result.err;
    EXPECT_EQ(result.err.find(note, first + 1), std::string::npos) << result.err;
  }
  EXPECT_THAT(predict("train").err, Not(HasSubstr("note: ")));
}

TEST_F(PredictCommand, MissingFeaturesAreNotReplacedByAConstant) {
  const std::string numbers = "{\"node_feat\":[[0.5],[1.5]],\"edge_index\":[[0],[1]],\"y\":\"a\"}\n";
  const std::string bare = "{\"num_nodes\":2,\"edge_index\":[[0],[1]],\"y\":\"a\"}\n";
  for (const auto& [train, asked] : {std::pair(numbers, bare), std::pair(bare, numbers)}) {
    write_text(path("train.jsonl"), train);
    small_model(read_data(path("train.jsonl"), {}).schema).save(path("model"));
    EXPECT_EQ(predict("train.jsonl").exit_code, 0);
    write_text(path("asked.jsonl"), asked);
    const ProgramResult result = predict("asked.jsonl");
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("'constant' (numbers)"));
    EXPECT_THAT(result.err, HasSubstr("'node_feat0' (numbers)"));
  }
}

TEST_F(PredictCommand, WordsWhereTheModelHasNumbersExitWithFourAndTheirPlace) {
  write_text(path("train.jsonl"), "{\"node_feat\":[[0.5],[1.5]],\"edge_index\":[[0],[1]],\"y\":\"a\"}\n");
  small_model(read_data(path("train.jsonl"), {}).schema).save(path("model"));
  write_text(path("words.jsonl"), "{\"node_feat\":[[\"C\"],[\"N\"]],\"edge_index\":[[0],[1]]}\n");
  const ProgramResult result = predict("words.jsonl");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(
      result.err,
      StartsWith("error: the model was trained on numbers where the data has words: " + path("words.jsonl") + ":1:"));
  EXPECT_EQ(predict("words.jsonl", {"--node-features", "dense"}).exit_code, 3);
}

TEST_F(PredictCommand, WithAConfidenceSaysHowManyRolloutsItTook) {
  const ProgramResult result = predict("new.jsonl", {"--confidence", "0.9", "--rollouts", "40"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lines_of(result.out)[0], "id,prediction,p_a,p_b,walk_spread,rollouts,settled,status");
  EXPECT_EQ(predict("new.jsonl", {"--confidence", "0.9", "--rollouts", "40", "--threads", "1", "--batch", "2"}).out,
            result.out);
  const ProgramResult wrong = predict("new.jsonl", {"--confidence", "1.5"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--confidence 1.5 is not between 0 and 1"));
}

TEST_F(PredictCommand, StatisticsSayWhatItCost) {
  ASSERT_EQ(run_agentnet({"convert", path("new.jsonl"), path("new.agentset")}).exit_code, 0);
  const ProgramResult text = predict("new.agentset", {"--stats", "--verify"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* what : {"every checksum matches", "nodes touched", "edges read", "read of the file", "walking"}) {
    EXPECT_THAT(text.err, HasSubstr(what));
  }
  const ProgramResult result = predict("new.agentset", {"--stats", "--json"});
  const auto stats = json::parse(lines_of(result.err)[0]);
  EXPECT_EQ(stats["rollouts"], 88);
  EXPECT_GT(stats["nodes_touched"], 88);
  EXPECT_LE(stats["nodes_touched"], 8 * 33);
  EXPECT_GT(stats["pages_read"], 0);
  EXPECT_GT(stats["seconds"]["walking"], 0);
}

// Of seven rows the middle one has features so large that the model's sums overflow.
class NotFinite : public PredictCommand {
 protected:
  NotFinite() {
    std::string text;
    for (int g = 0; g < 7; ++g) {
      const std::string x = g == 3 ? "3e38" : "0.5";
      text += "{\"node_feat\":[[" + x + "],[" + x +
              "]],\"edge_index\":[[0,1],[1,0]],\"y\":" + std::string(g % 2 == 0 ? "\"a\"" : "\"b\"") + ",\"id\":\"g" +
              std::to_string(g) + "\"}\n";
    }
    write_text(path("wild.jsonl"), text);
    Model model = small_model(read_data(path("wild.jsonl"), {}).schema);
    std::vector<float> weights(model.parameters().begin(), model.parameters().end());
    for (float& weight : weights) weight *= 1000;
    model.set_parameters(weights);
    model.save(path("model"));
  }
};

constexpr const char* kWarning =
    "warning: the model's output is not a finite number for 1 of 7 graphs, their status says so; the first: g3\n";

TEST_F(NotFinite, RowsHaveAStatusACountAndAnExitCode) {
  const ProgramResult result = predict("wild.jsonl");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lines_of(result.out)[4], "g3,,,,,the model's output is not a finite number");
  EXPECT_THAT(lines_of(result.out)[3], testing::EndsWith(",ok"));
  EXPECT_THAT(result.err, HasSubstr("predicted 6 of 7 rows"));
  EXPECT_THAT(result.err, HasSubstr(kWarning));
  EXPECT_EQ(predict("wild.jsonl", {"--batch", "1"}).out, result.out);

  const ProgramResult strict = predict("wild.jsonl", {"--fail-on-bad-rows", "-o", path("out.csv")});
  EXPECT_EQ(strict.exit_code, 3);
  EXPECT_THAT(strict.err, HasSubstr("error: the model's output is not a finite number for 1 of 7 graphs\nhint: "));
  EXPECT_EQ(read_text(path("out.csv")), result.out);

  const ProgramResult lines = predict("wild.jsonl", {"--json"});
  EXPECT_EQ(lines.exit_code, 0) << lines.err;
  EXPECT_EQ(json::parse(lines_of(lines.out)[3]),
            json({{"row", 3}, {"id", "g3"}, {"status", "the model's output is not a finite number"}}));
}

TEST_F(NotFinite, EvalDoesNotBlameTheTargets) {
  const ProgramResult text = run_agentnet({"eval", path("model"), path("wild.jsonl")});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("no metric is defined: the model's output is not a finite number for 1 of 7 graphs"));
  EXPECT_THAT(text.err,
              HasSubstr("warning: the model's output is not a finite number for 1 of 7 graphs; the first: g3"));
  const json found = json::parse(run_agentnet({"eval", path("model"), path("wild.jsonl"), "--json"}).out);
  EXPECT_EQ(found["not_finite"], 1);
  EXPECT_TRUE(found["metrics"]["accuracy"].is_null());
}

TEST_F(NotFinite, ExplainSaysSo) {
  const ProgramResult result = run_agentnet({"explain", path("model"), path("wild.jsonl"), "--rollouts", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json row = json::parse(lines_of(result.out)[3]);
  EXPECT_TRUE(row["prediction"].is_null());
  EXPECT_EQ(row["status"], "the model's output is not a finite number");
  EXPECT_THAT(result.err, HasSubstr("warning: the model's output is not a finite number for 1 of 7 graphs"));
  EXPECT_THAT(result.err, HasSubstr("not finite"));
}

TEST_F(PredictCommand, ProbabilitiesMayBeVerySmall) {
  Model model = Model::load(path("model"));
  // The last layer's biases: one class is e^-700 times as likely as the other, which is no normal number of a float.
  std::vector<float> weights(model.parameters().begin(), model.parameters().end());
  const auto infos = model.parameter_infos();
  const auto bias = std::ranges::find_if(infos, [](const ParameterInfo& p) {
    return p.name.starts_with("head.") && p.name.ends_with(".bias") && p.shape == std::vector<std::int64_t>{2};
  });
  ASSERT_NE(bias, infos.end());
  weights[bias->offset] = 720;
  model.set_parameters(weights);
  model.save(path("model"));
  for (const ProgramResult& result : {predict("new.jsonl", {"--json"}),
                                      run_agentnet({"explain", path("model"), path("new.jsonl"), "--rollouts", "2"})}) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_GE(lines_of(result.out).size(), 11U);
  }
}

TEST_F(PredictCommand, ForSpreadsheetsIdsAreNoFormulas) {
  write_text(path("formulas.jsonl"), graph(0, ",\"id\":\"=1+1\"") + graph(1, ",\"id\":\"-5\""));
  const auto lines = lines_of(predict("formulas.jsonl", {"--safe-csv"}).out);
  EXPECT_THAT(lines[1], StartsWith("'=1+1,"));
  EXPECT_THAT(lines[2], StartsWith("-5,"));
  EXPECT_THAT(lines_of(predict("formulas.jsonl").out)[1], StartsWith("=1+1,")) << "unasked every byte stays";
  EXPECT_EQ(predict("formulas.jsonl", {"--safe-csv", "--json"}).exit_code, 2);
}

TEST_F(PredictCommand, EndsQuietlyWhenNobodyReadsOn) {
  const std::string line = "bash -c 'set -o pipefail; " + std::string(AGENTNET_PROGRAM) + " predict " + path("model") +
                           " " + path("long.jsonl") + " --rollouts 1 --batch 100 2>" + path("err") + " | head -n 1 >" +
                           path("out") + "'";
  const int status = std::system(line.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 141);
  EXPECT_EQ(read_text(path("err")), "");
  EXPECT_EQ(read_text(path("out")), "id,prediction,p_a,p_b,walk_spread,status\n");
}

}  // namespace
}  // namespace agentnet
