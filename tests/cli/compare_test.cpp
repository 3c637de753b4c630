// agentnet compare, and the models that need no network, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "classic/learners/linear_learner.h"
#include "classic/learners/trees.h"
#include "cli/run_agentnet.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSet = "synthetic:triangle?graphs=40";

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

ProgramResult compare(const std::vector<std::string>& more) {
  return run_agentnet(with({"compare", kSet, "--models", "wl,kgnn1", "--folds", "3", "--epochs", "1", "--batch", "8",
                            "--set", "train.steps_per_epoch=2", "--threads", "2"},
                           more));
}

struct CompareCommand : testing::Test {
  void SetUp() override {
    if (!has_liblinear() || !has_xgboost()) GTEST_SKIP() << "this build has no liblinear or no XGBoost";
  }
  const TempFolder temp;
};

TEST_F(CompareCommand, PrintsATableAndAVerdict) {
  const std::string folder = temp / "c";
  const ProgramResult result = compare({"-o", folder});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"accuracy, protocol fair", "majority class", "without edges", "\n  wl ", "\n  kgnn1 ",
                           "to best", "corrected resampled t-test"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
  for (const char* file : {"results.json", "results.csv", "comparison.svg", "compare.json", "wl/seed-0/results.json"}) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(folder) / file)) << file;
  }
  const ProgramResult again = compare({"-o", folder});
  EXPECT_EQ(again.exit_code, 2) << "nothing is overwritten without --force";
  EXPECT_EQ(compare({"-o", folder, "--force"}).exit_code, 0);
}

TEST_F(CompareCommand, GivesTheSameScoresWhenItIsTakenUpAgain) {
  const std::filesystem::path folder = temp / "c";
  const ProgramResult whole = compare({"-o", folder.string(), "--json"});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  std::filesystem::remove_all(folder / "kgnn1" / "seed-0" / "fair" / "fold-1");
  std::filesystem::remove_all(folder / "wl" / "seed-0" / "fair" / "fold-2");
  const ProgramResult resumed = run_agentnet({"compare", "--resume", folder.string(), "--json", "--jobs", "1"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  const json a = json::parse(whole.out), b = json::parse(resumed.out);
  ASSERT_EQ(a["models"].size(), 4U);
  for (std::size_t m = 0; m < a["models"].size(); ++m) {
    EXPECT_EQ(a["models"][m]["name"], b["models"][m]["name"]);
    EXPECT_EQ(a["models"][m]["values"], b["models"][m]["values"]);
    EXPECT_EQ(a["models"][m]["p_corrected"], b["models"][m]["p_corrected"]);
  }
  EXPECT_EQ(a["best"], b["best"]);
}

TEST_F(CompareCommand, SeedsRepeatWithOtherFolds) {
  const json result = json::parse(compare({"--seeds", "2", "--json"}).out);
  EXPECT_EQ(result["seeds"], 2);
  EXPECT_EQ(result["models"][2]["values"].size(), 6U);
}

TEST_F(CompareCommand, ASmallBudgetMakesFewerEpochsAndSaysSo) {
  const ProgramResult result =
      run_agentnet({"compare", kSet, "--models", "gin", "--folds", "2", "--epochs", "100000", "--budget", "1s"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" of 100000 epochs fit into its share of the budget"));
  const ProgramResult chosen = run_agentnet({"compare", kSet, "--folds", "2", "--epochs", "100000", "--budget", "1s"});
  EXPECT_EQ(chosen.exit_code, 0) << chosen.err;
  EXPECT_THAT(chosen.err, HasSubstr("gin is left out"));
  EXPECT_THAT(chosen.out, HasSubstr("\n  forest "));
}

TEST_F(CompareCommand, RefusesWhatMakesNoSense) {
  EXPECT_EQ(compare({"--models", "nosuch"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"compare", kSet, "--models", "wl,wl"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"compare", kSet, "--budget", "0s"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"compare", kSet, "--protocol", "all"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"compare", "--resume", temp.path().string()}).exit_code, 2);
}

TEST_F(CompareCommand, ModelsWithoutANetworkTrainPredictAndTell) {
  for (const std::string kind : {"wl", "forest", "boosting"}) {
    const std::string run = temp / ("run-" + kind), model = run + "/model.safetensors";
    const ProgramResult trained = run_agentnet({"train", kSet, "-o", run, "--model", kind, "--no-rivals"});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_THAT(trained.out, HasSubstr("test (4 graphs)"));
    EXPECT_THAT(trained.err, Not(HasSubstr("train.learning_rate")));  // nothing is learned step by step
    const ProgramResult scored = run_agentnet({"eval", model, kSet, "--json"});
    ASSERT_EQ(scored.exit_code, 0) << scored.err;
    EXPECT_GT(json::parse(scored.out)["metrics"]["accuracy"], 0.6);
    EXPECT_EQ(run_agentnet({"predict", model, kSet, "--threads", "1"}).out,
              run_agentnet({"predict", model, kSet, "--threads", "3"}).out);
    EXPECT_THAT(run_agentnet({"info", model}).out, HasSubstr("Weisfeiler-Lehman"));
    EXPECT_EQ(run_agentnet({"train", "--resume", run}).exit_code, 0);
    const ProgramResult folds =
        run_agentnet({"cv", kSet, "--model", kind, "--folds", "3", "--protocol", "gin", "--no-rivals"});
    ASSERT_EQ(folds.exit_code, 0) << folds.err;
    EXPECT_THAT(folds.out, HasSubstr("No choice has seen the test graphs"));
  }
}

TEST_F(CompareCommand, TrainingAndCrossValidationEndWithTheQuickRivals) {
  const std::vector<std::string> tiny = {"--model", "kgnn1", "--epochs", "1", "--set", "train.steps_per_epoch=2"};
  const ProgramResult trained = run_agentnet(with({"train", kSet, "-o", temp / "r"}, tiny));
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.out, HasSubstr("\n  wl "));
  EXPECT_THAT(trained.out, HasSubstr("\n  forest "));
  const ProgramResult folds = run_agentnet(with({"cv", kSet, "--folds", "2"}, tiny));
  EXPECT_THAT(folds.out, HasSubstr("\n  wl "));
  const ProgramResult alone = run_agentnet(with({"cv", kSet, "--folds", "2", "--no-rivals"}, tiny));
  EXPECT_THAT(alone.out, Not(HasSubstr("\n  wl ")));
}

}  // namespace
}  // namespace agentnet
