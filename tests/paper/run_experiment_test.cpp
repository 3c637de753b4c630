#include "paper/run_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "agentnet/error.h"
#include "paper/results.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

const Experiment& experiment(const char* name) { return *experiments_named(name).front(); }

// A set of the TU collection that is learned in no time.
void put_mutag(const std::filesystem::path& folder) {
  std::string text = "12\n";
  for (int g = 0; g < 12; ++g) {
    text += g % 2 == 0 ? "2 0\n0 1 1\n0 1 0\n" : "3 1\n1 1 1\n1 2 0 2\n1 1 1\n";
  }
  write_text(folder / "MUTAG.txt", text);
}

class PaperRun : public testing::Test {
 protected:
  PaperRun() {
    options_.scale = Scale::kTiny;
    options_.folder = folder_ / "out";
    options_.data = folder_.path();
    control_.say = [this](const std::string& line) { said_ += line + "\n"; };
  }
  [[nodiscard]] bool run(const char* name) const { return run_experiment(experiment(name), options_, control_); }
  // Stops after so many questions.
  [[nodiscard]] bool run_until(const char* name, int questions) const {
    PaperControl control = control_;
    int asked = 0;
    control.should_stop = [&] { return ++asked > questions; };
    return run_experiment(experiment(name), options_, control);
  }
  [[nodiscard]] std::vector<ExperimentResult> results() const { return collect_results(options_.folder); }

  TempFolder folder_;
  PaperOptions options_;
  PaperControl control_;
  std::string said_;
};

TEST_F(PaperRun, TestsOnFreshGraphs) {
  EXPECT_TRUE(run("4cycles"));
  ASSERT_THAT(results(), SizeIs(1));
  const SeedResult result = results().front().seeds.front();
  EXPECT_EQ(result.tested_on, "40 fresh graphs");
  EXPECT_EQ(result.rollouts, 8);
  ASSERT_THAT(result.one_rollout, SizeIs(1));
  EXPECT_GE(result.one_rollout[0], 0);
  EXPECT_LE(result.one_rollout[0], 1);
  ASSERT_THAT(result.averaged, SizeIs(1));
  EXPECT_TRUE(std::filesystem::exists(options_.folder / "4cycles/seed-0/model.safetensors"));
}

// The curve of figure 4: the accuracy on graphs that nothing was learned from, every few steps.
TEST_F(PaperRun, TestsWhileLearning) {
  options_.set = {"train.epochs=4"};
  EXPECT_TRUE(run("2wl-curve"));
  const SeedResult result = results().front().seeds.front();
  EXPECT_EQ(result.tested_on, "40 fresh graphs");
  ASSERT_THAT(result.curve, SizeIs(4));
  EXPECT_EQ(result.curve.back().first, 4U * 3);
  EXPECT_EQ(result.one_rollout, std::vector<double>{result.curve.back().second});
}

// Every point of the grid has a folder of its own; the table has the best of them, by the figure it reports.
TEST_F(PaperRun, PointsOfAGridStandBesideEachOther) {
  for (const char* batch : {"4", "8"}) {
    options_.point = {std::string("batch=") + batch, {std::string("train.batch=") + batch}};
    EXPECT_TRUE(run("4cycles"));
    EXPECT_TRUE(std::filesystem::exists(options_.folder / ("4cycles@batch=" + std::string(batch)) / "seed-0"));
  }
  auto all = results();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].name(), "4cycles (batch=4)");
  all[0].seeds.front().one_rollout = {0.75};
  all[1].seeds.front().one_rollout = {0.5};
  const BestResult best = best_result(all, "4cycles", "");
  EXPECT_EQ(best.points, 2U);
  EXPECT_EQ(best.result, &all[0]);
  EXPECT_EQ(best_result(all, "4cycles", "gin").result, nullptr);
  EXPECT_THAT(results_csv(all), HasSubstr("\n4cycles,agentnet,batch=4,tiny,0,,accuracy,0.75,"));
}

TEST_F(PaperRun, CrossValidatesTuSets) {
  put_mutag(folder_.path());
  EXPECT_TRUE(run("MUTAG"));
  ASSERT_THAT(results(), SizeIs(1));
  EXPECT_THAT(results().front().seeds.front().one_rollout, SizeIs(2));
  EXPECT_EQ(results().front().over(), "2 folds");
  EXPECT_THAT(results_markdown(results()), HasSubstr("| 93.6 ± 8.6 "));
}

TEST_F(PaperRun, TestsOnTheTestPart) {
  const std::string pair =
      R"({"num_nodes":2,"edge_index":[[0,1],[1,0]],"node_feat":[[0],[1]],"edge_attr":[[1],[1]],"y":[)";
  for (const char* part : {"train", "val", "test"}) {
    write_text(folder_ / (std::string("zinc_") + part + ".jsonl"),
               pair + "0.5]}\n" + pair + "1.25]}\n" + pair + "2]}\n");
  }
  EXPECT_TRUE(run("zinc"));
  ASSERT_THAT(results(), SizeIs(1));
  EXPECT_EQ(results().front().seeds.front().metric, "mae");
  EXPECT_EQ(results().front().seeds.front().tested_on, "3 graphs of the test part");
}

// Runs of a rival stand beside those of AgentNet, on the same folds, and have the paper's figure for it.
TEST_F(PaperRun, AnotherMethodHasAFolderOfItsOwn) {
  put_mutag(folder_.path());
  EXPECT_TRUE(run("MUTAG"));
  options_.method = "gin";
  EXPECT_TRUE(run("MUTAG"));
  const auto all = results();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].name(), "MUTAG");
  EXPECT_EQ(all[1].name(), "MUTAG --model gin");
  EXPECT_EQ(all[1].paper(), "89.4 ± 5.6");
  EXPECT_THAT(all[1].seeds.front().one_rollout, SizeIs(2));
  EXPECT_TRUE(std::filesystem::exists(options_.folder / "MUTAG--gin/seed-0/result.json"));
  EXPECT_THAT(results_csv(all), HasSubstr("\nMUTAG,gin,,tiny,0,0,accuracy,"));
  said_.clear();
  EXPECT_TRUE(run("MUTAG"));
  EXPECT_EQ(said_, "");  // it is done
}

TEST_F(PaperRun, WhatIsDoneIsNotDoneAgain) {
  options_.seeds = 2;
  EXPECT_TRUE(run("4cycles"));
  EXPECT_THAT(said_, HasSubstr("4cycles, seed 1: "));
  said_.clear();
  EXPECT_TRUE(run("4cycles"));
  EXPECT_EQ(said_, "");
  options_.seeds = 3;
  EXPECT_TRUE(run("4cycles"));
  EXPECT_THAT(said_, HasSubstr("4cycles, seed 2: "));
  EXPECT_EQ(results().front().over(), "3 seeds");
}

TEST_F(PaperRun, GoesOnFromWhereItWasStopped) {
  EXPECT_TRUE(run("4cycles"));
  const SeedResult straight = results().front().seeds.front();
  const std::string weights = read_text(options_.folder / "4cycles/seed-0/model.safetensors");
  options_.folder = folder_ / "other";
  EXPECT_FALSE(run_until("4cycles", 2));
  EXPECT_THAT(results(), SizeIs(0));
  EXPECT_TRUE(run("4cycles"));
  EXPECT_THAT(said_, HasSubstr("resumed after 0 epochs and 2 steps"));
  EXPECT_EQ(results().front().seeds.front().averaged, straight.averaged);
  EXPECT_EQ(read_text(options_.folder / "4cycles/seed-0/model.safetensors"), weights);
}

TEST_F(PaperRun, AStoppedCrossValidationGoesOnToo) {
  put_mutag(folder_.path());
  EXPECT_TRUE(run("MUTAG"));
  const auto straight = results().front().seeds.front().one_rollout;
  EXPECT_GT(results().front().seeds.front().parameters, 0U);
  EXPECT_GT(results().front().seeds.front().seconds, 0);
  options_.folder = folder_ / "other";
  EXPECT_FALSE(run_until("MUTAG", 2));
  EXPECT_THAT(results(), SizeIs(0));
  EXPECT_TRUE(run("MUTAG"));
  EXPECT_EQ(results().front().seeds.front().one_rollout, straight);
}

TEST_F(PaperRun, OtherSettingsNeedAnotherFolder) {
  EXPECT_TRUE(run("4cycles"));
  options_.set = {"train.learning_rate=0.5"};
  try {
    static_cast<void>(run("4cycles"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kMismatch);
    EXPECT_THAT(e.what(), HasSubstr("4cycles/seed-0 was run with other settings (scale tiny)"));
  }
}

TEST_F(PaperRun, ADamagedResultIsNamed) {
  EXPECT_TRUE(run("4cycles"));
  write_text(options_.folder / "4cycles/seed-0/result.json", "{\"seed\":");
  try {
    static_cast<void>(results());
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kData);
    EXPECT_THAT(e.what(), HasSubstr("result.json is damaged"));
  }
}

ExperimentResult made_up(const char* name, const std::vector<std::vector<double>>& seeds) {
  ExperimentResult result;
  result.experiment = &experiment(name);
  for (const auto& values : seeds) {
    SeedResult seed;
    seed.experiment = name;
    seed.scale = "small";
    seed.seed = result.seeds.size();
    seed.metric = result.experiment->metric;
    seed.one_rollout = values;
    result.seeds.push_back(seed);
  }
  return result;
}

TEST(PaperResults, StandInTheUnitsOfThePaper) {
  const ExperimentResult cycles = made_up("4cycles", {{0.98}, {1.0}});
  EXPECT_EQ(cycles.text(cycles.one_rollout()), "99.0 ± 1.4");
  EXPECT_EQ(cycles.text(cycles.averaged()), "-");
  const ExperimentResult zinc = made_up("zinc", {{0.2504}});
  EXPECT_EQ(zinc.text(zinc.one_rollout()), "0.250");
  const ExperimentResult mutag = made_up("MUTAG", {{0.9, 0.8}, {1.0, 0.9}});
  EXPECT_EQ(mutag.over(), "2 x 2 folds");
  EXPECT_EQ(mutag.text(mutag.one_rollout()), "90.0 ± 8.2");
}

TEST(PaperResults, AreALineOfTheTablesEach) {
  const std::vector<ExperimentResult> results = {made_up("4cycles", {{0.98}, {1.0}}), made_up("MUTAG", {{0.9, 0.8}})};
  const std::string csv = results_csv(results);
  EXPECT_THAT(csv, HasSubstr("\n4cycles,agentnet,,small,1,,accuracy,1,,1,0,0,0.0\n"));
  EXPECT_THAT(csv, HasSubstr("\nMUTAG,agentnet,,small,0,1,accuracy,0.8,,1,0,0,0.0\n"));
  const std::string table = results_markdown(results);
  EXPECT_THAT(table, HasSubstr("\n| 4cycles    | accuracy % | 100.0 ± 0.0 "));
  const auto json = nlohmann::json::parse(results_json(results));
  EXPECT_EQ(json[1]["one_rollout"]["values"], 2);
  EXPECT_TRUE(json[1]["averaged"]["mean"].is_null());
}

}  // namespace
}  // namespace agentnet
