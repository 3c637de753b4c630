// Work that several processes share through a folder, of which some are killed: agentnet cv, compare and paper run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cli/run_agentnet.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kSet = "synthetic:triangle?graphs=60";

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

// Three workers, killed after a while, a few times; then two that are left to end.
void work(const std::vector<std::string>& worker) {
  for (int round = 0; round < 5; ++round) {
    std::vector<std::unique_ptr<RunningProgram>> workers;
    for (int w = 0; w < 3; ++w) workers.push_back(std::make_unique<RunningProgram>(worker));
    std::this_thread::sleep_for(std::chrono::milliseconds(80 + 60 * round));
    for (const auto& one : workers) one->signal(SIGKILL);
    for (const auto& one : workers) static_cast<void>(one->wait());
  }
  RunningProgram one(worker), two(worker);
  const ProgramResult first = one.wait(), second = two.wait();
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(second.exit_code, 0) << second.err;
}

TEST(Workers, ShareTheFoldsOfACrossValidation) {
  const TempFolder temp;
  const std::vector<std::string> cv = {
      "cv", kSet,      "--model", "kgnn1",      "--folds", "4",     "--epochs",
      "3",  "--batch", "8",       "--protocol", "all",     "--set", "train.steps_per_epoch=40"};
  ASSERT_EQ(run_agentnet(with(cv, {"-o", temp / "alone", "--no-rivals"})).exit_code, 0);
  const ProgramResult planned = run_agentnet(with(cv, {"-o", temp / "shared", "--plan"}));
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  EXPECT_THAT(planned.err, HasSubstr("agentnet cv --worker"));
  work({"cv", "--worker", temp / "shared", "--threads", "1"});
  EXPECT_EQ(read_text(temp / "alone/results.json"), read_text(temp / "shared/results.json"));
  EXPECT_EQ(read_text(temp / "alone/results.csv"), read_text(temp / "shared/results.csv"));
  for (const char* protocol : {"gin", "agentnet", "fair"}) {
    const std::string model = std::string(protocol) + "/fold-2/model.safetensors";
    EXPECT_EQ(read_text(temp / "alone" / model), read_text(temp / "shared" / model)) << model;
  }
  EXPECT_FALSE(std::filesystem::exists(temp / "shared/claims"));
}

TEST(Workers, HelpWhoeverHasTheFolder) {
  const TempFolder temp;
  const std::vector<std::string> cv = {
      "cv", kSet,      "--model", "kgnn1",     "--folds", "4",     "--epochs",
      "3",  "--batch", "8",       "--threads", "1",       "--set", "train.steps_per_epoch=60"};
  ASSERT_EQ(run_agentnet(with(cv, {"-o", temp / "alone", "--no-rivals"})).exit_code, 0);
  RunningProgram owner(with(cv, {"-o", temp / "shared", "--no-rivals"}));
  while (owner.running() && !std::filesystem::exists(temp / "shared/cv.json")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  RunningProgram helper({"cv", "--worker", temp / "shared"});
  const ProgramResult helped = helper.wait(), result = owner.wait();
  EXPECT_EQ(helped.exit_code, 0) << helped.err;
  EXPECT_EQ(helped.out, "");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(read_text(temp / "alone/results.json"), read_text(temp / "shared/results.json"));
}

TEST(Workers, ShareTheModelsOfAComparison) {
  const TempFolder temp;
  const std::vector<std::string> compare = {
      "compare", kSet, "--models", "kgnn1,gin", "--folds",  "3",  "--epochs", "2",
      "--batch", "8",  "--seeds",  "2",         "--budget", "1h", "--set",    "train.steps_per_epoch=20"};
  ASSERT_EQ(run_agentnet(with(compare, {"-o", temp / "alone"})).exit_code, 0);
  const ProgramResult planned = run_agentnet(with(compare, {"-o", temp / "shared", "--plan"}));
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  work({"compare", "--worker", temp / "shared", "--threads", "1"});
  const json a = json::parse(read_text(temp / "alone/results.json"));
  const json b = json::parse(read_text(temp / "shared/results.json"));
  ASSERT_EQ(a["models"].size(), 4U);
  for (std::size_t m = 0; m < a["models"].size(); ++m) {
    EXPECT_EQ(a["models"][m]["name"], b["models"][m]["name"]);
    EXPECT_EQ(a["models"][m]["values"], b["models"][m]["values"]);
  }
  EXPECT_EQ(a["verdict"].get<std::string>().empty(), b["verdict"].get<std::string>().empty());
}

TEST(Workers, ShareTheSeedsOfAnExperiment) {
  const TempFolder temp;
  const auto paper = [&](const std::string& folder) {
    std::vector<std::string> arguments = {"paper", "run", "4cycles", "--seeds", "3", "-o", folder};
    for (const char* setting : {"train.epochs=12", "train.evaluate_every=6", "train.batch=8", "train.test_rollouts=1",
                                "model.hidden=8", "model.agents=2", "model.steps=4"}) {
      arguments.insert(arguments.end(), {"--set", setting});
    }
    return arguments;
  };
  const ProgramResult alone = run_agentnet(paper(temp / "alone"));
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  work(paper(temp / "shared"));
  for (const char* seed : {"seed-0", "seed-1", "seed-2"}) {
    const auto model = std::filesystem::path("4cycles") / seed / "model.safetensors";
    EXPECT_EQ(read_text(temp / "alone" / model), read_text(temp / "shared" / model)) << seed;
    EXPECT_FALSE(read_text(temp / "alone" / model).empty());
  }
}

TEST(Workers, APlanNeedsAFolder) {
  EXPECT_EQ(run_agentnet({"cv", kSet, "--plan"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"cv", "--worker", "a", "--resume", "b"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"cv", "--worker", "a", "--epochs", "3"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"cv", "--worker", "/nonexistent"}).exit_code, 2);
}

}  // namespace
}  // namespace agentnet
