// The folder of a run where a model may stand: predict, eval, explain and info.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_agentnet.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class RunSourceOfCommands : public testing::Test {
 protected:
  // One short training on a file for all tests.
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    std::string lines;
    for (int g = 0; g < 40; ++g) {
      lines += R"({"id":"g)" + std::to_string(g) + R"(","node_feat":[[)" + std::to_string(g % 4) +
               R"(],[1],[2]],"edge_index":[[0,1,1,2],[1,0,2,1]],"y":)" + std::to_string(g % 2) + "}\n";
    }
    write_text(place("set.jsonl"), lines);
    const ProgramResult trained =
        run_agentnet({"train", place("set.jsonl"), "--hidden", "4", "--agents", "2", "--steps", "3", "--epochs", "2",
                      "--seed", "7", "--rollouts", "3", "--split", "random:0.5,0.25,0.25", "-o", place("run")});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
  }
  static void TearDownTestSuite() { delete folder_; }

  static std::string place(const std::string& name) { return (*folder_ / name).string(); }
  static std::string model() { return place("run/model.safetensors"); }

  // The fields of a CSV text by its first column.
  static std::map<std::string, std::vector<std::string>> rows_by(const std::string& text, std::size_t key) {
    std::map<std::string, std::vector<std::string>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> fields;
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) fields.push_back(cell);
      rows[fields.at(key)] = fields;
    }
    return rows;
  }

  static TempFolder* folder_;
};
TempFolder* RunSourceOfCommands::folder_ = nullptr;

TEST_F(RunSourceOfCommands, TheFolderOfARunStandsForItsModel) {
  const auto same = [&](const std::vector<std::string>& before, const std::vector<std::string>& behind) {
    std::vector<std::string> of_run = before, of_model = before;
    of_run.push_back(place("run"));
    of_model.push_back(model());
    of_run.insert(of_run.end(), behind.begin(), behind.end());
    of_model.insert(of_model.end(), behind.begin(), behind.end());
    const ProgramResult run = run_agentnet(of_run), file = run_agentnet(of_model);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_FALSE(run.out.empty());
    EXPECT_EQ(run.out, file.out) << before.front();
  };
  same({"predict"}, {place("set.jsonl")});
  same({"eval"}, {place("set.jsonl"), "--json"});
  same({"explain"}, {place("set.jsonl"), "--first", "2"});
  same({"info"}, {"--json"});

  std::filesystem::create_directories(place("empty"));
  for (const char* command : {"predict", "eval", "explain"}) {
    const ProgramResult none = run_agentnet({command, place("empty"), place("set.jsonl")});
    EXPECT_EQ(none.exit_code, 2) << command;
    EXPECT_THAT(none.err, HasSubstr("holds no run"));
  }
}

TEST_F(RunSourceOfCommands, EvalOfARunAloneIsItsSummary) {
  const json summary = json::parse(read_text(place("run/summary.json")));
  for (const char* part : {"test", "valid"}) {
    const ProgramResult result = run_agentnet({"eval", place("run"), "--part", part, "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json found = json::parse(result.out);
    EXPECT_EQ(found["graphs"], 10);
    EXPECT_EQ(found["rollouts"], 3);
    for (const auto& [name, value] : summary[part].items()) {
      EXPECT_NEAR(found["metrics"][name].get<double>(), value.get<double>(), 1e-12) << part << " " << name;
    }
  }
  const std::string test = run_agentnet({"eval", place("run"), "--json", "--part", "test"}).out;
  EXPECT_EQ(run_agentnet({"eval", place("run"), "--json"}).out, test) << "the part that says most";
  EXPECT_THAT(run_agentnet({"eval", place("run")}).out, HasSubstr("set.jsonl (test part): 10 graphs"));
  EXPECT_NE(run_agentnet({"eval", place("run"), "--json", "--rollouts", "1"}).out, test);
}

TEST_F(RunSourceOfCommands, PredictOfARunsPartIsItsPredictions) {
  const ProgramResult result = run_agentnet({"predict", place("run"), "--part", "test"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("predicted 10 of 10 rows, 3 rollouts each"));
  const auto found = rows_by(result.out, 0);
  ASSERT_EQ(found.size(), 11U) << "with the header";
  const auto expected = rows_by(read_text(place("run/predictions.csv")), 1);  // row,id,part,target,prediction,...
  for (const auto& [id, fields] : found) {
    if (id == "id") continue;
    ASSERT_TRUE(expected.contains(id)) << id;
    EXPECT_EQ(expected.at(id).at(2), "test");
    EXPECT_EQ(fields.at(1), expected.at(id).at(4)) << id;
  }
}

TEST_F(RunSourceOfCommands, PredictsOnePartOfASplit) {
  const std::string spec = "file:" + place("run/splits.json");
  const ProgramResult part = run_agentnet({"predict", model(), place("set.jsonl"), "--split", spec, "--part", "test"});
  ASSERT_EQ(part.exit_code, 0) << part.err;
  const auto found = rows_by(part.out, 0), all = rows_by(run_agentnet({"predict", model(), place("set.jsonl")}).out, 0);
  const auto of_run = rows_by(run_agentnet({"predict", place("run"), "--part", "test"}).out, 0);
  ASSERT_EQ(found.size(), 11U);
  for (const auto& [id, fields] : found) {
    EXPECT_EQ(fields, all.at(id)) << "an answer does not depend on who else is asked about";
    EXPECT_TRUE(of_run.contains(id)) << id;
  }
  std::size_t rows = 0;  // the parts of a split by the labels hold every graph once
  for (const char* name : {"train", "valid", "test"}) {
    const ProgramResult result =
        run_agentnet({"predict", model(), place("set.jsonl"), "--split", "stratified", "--part", name, "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    rows += static_cast<std::size_t>(std::count(result.out.begin(), result.out.end(), '\n'));
  }
  EXPECT_EQ(rows, 40U);
}

TEST_F(RunSourceOfCommands, SaysWhatIsMissingOrTooMuch) {
  const auto refused = [&](std::vector<std::string> arguments, const std::string& why) {
    const ProgramResult result = run_agentnet(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(why));
  };
  refused({"predict", model()}, "hint: name them: agentnet predict " + model() + " DATA");
  refused({"eval", model()}, "a model file does not say which graphs are meant");
  refused({"predict", place("run")}, "a part of the run's own data: --part test");
  refused({"predict", place("run"), "--part", "test", "--degree"}, "leave --degree out, or name other data");
  refused({"eval", place("run"), "--split", "random"}, "leave --split out, or name other data");
  refused({"predict", model(), place("set.jsonl"), "--part", "test"}, "--split and --part go together");
  refused({"predict", model(), place("set.jsonl"), "--split", "random", "--part", "test", "--shard", "1/2", "-o",
           place("parts")},
          "--shard divides all rows of the data, and --part chooses some");
  EXPECT_EQ(run_agentnet({"predict", place("nothing")}).exit_code, 3);
}

}  // namespace
}  // namespace agentnet
