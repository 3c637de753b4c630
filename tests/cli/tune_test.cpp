// agentnet tune as a user runs it: alone, resumed, and by workers of which some are killed.
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

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

const std::vector<std::string> kTune = {"tune",      "synthetic:triangle?graphs=60",
                                        "--model",   "kgnn1",
                                        "--epochs",  "4",
                                        "--set",     "train.steps_per_epoch=2",
                                        "--trials",  "4",
                                        "--keep",    "2",
                                        "--batch",   "8",
                                        "--threads", "1"};

ProgramResult tune(const std::vector<std::string>& more) { return run_agentnet(with(kTune, more)); }

TEST(TuneCommand, PrintsTrialsImportanceAndTheTest) {
  const TempFolder temp;
  const std::string folder = temp / "t";
  const ProgramResult result = tune({"-o", folder});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"accuracy, 4 trials, one of 2 goes on after 2, 4 epochs", "rank  trial", "learning_rate=",
                           "p by permutation", "on 6 graphs that the search has not seen", "majority class"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
  EXPECT_THAT(result.err, HasSubstr("not searched, since it is set: train.batch"));
  for (const char* file : {"tune.json", "results.json", "trials.csv", "trials.svg", "best/config.toml",
                           "best/model.safetensors", "best/summary.json"}) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(folder) / file)) << file;
  }
  EXPECT_EQ(tune({"-o", folder}).exit_code, 2) << "nothing is overwritten without --force";
  EXPECT_EQ(tune({"-o", folder, "--force"}).exit_code, 0);
  const ProgramResult predicted = run_agentnet({"predict", folder + "/best/model.safetensors", kTune[1]});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
  const ProgramResult resumed = run_agentnet({"tune", "--resume", folder, "--json"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  const json all = json::parse(resumed.out);
  EXPECT_EQ(all["searches"][0]["trials"].size(), 4U);
  EXPECT_EQ(all["rungs"], (std::vector<int>{2, 4}));
  EXPECT_EQ(resumed.out, read_text(temp / "t/results.json"));
}

TEST(TuneCommand, WorkersOfWhichSomeAreKilledComeToTheSameResults) {
  const TempFolder temp;
  const std::string alone = temp / "alone", shared = temp / "shared";
  std::vector<std::string> arguments = kTune;
  arguments[7] = "train.steps_per_epoch=60";
  arguments[9] = "8";
  ASSERT_EQ(run_agentnet(with(arguments, {"-o", alone})).exit_code, 0);
  const ProgramResult planned = run_agentnet(with(arguments, {"-o", shared, "--plan"}));
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  EXPECT_THAT(planned.err, HasSubstr("agentnet tune --worker"));
  EXPECT_FALSE(std::filesystem::exists(temp / "shared/results.json"));
  // Each is killed a little later than the one before, wherever it is; the last two are left to end.
  for (int round = 0; round < 6; ++round) {
    RunningProgram worker({"tune", "--worker", shared, "--threads", "1"}), helper({"tune", "--worker", shared});
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 40 * round));
    worker.signal(SIGKILL);
    helper.signal(SIGKILL);
    static_cast<void>(worker.wait());
    static_cast<void>(helper.wait());
  }
  RunningProgram one({"tune", "--worker", shared}), two({"tune", "--resume", shared});
  const ProgramResult first = one.wait(), second = two.wait();
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(first.out, "") << "a worker has nothing to tell";
  EXPECT_THAT(second.out, HasSubstr("best: trial"));
  for (const char* file : {"results.json", "trials.csv", "trials.svg", "best/model.safetensors", "best/config.toml"}) {
    EXPECT_EQ(read_text(temp / "alone" / file), read_text(temp / "shared" / file)) << file;
  }
  EXPECT_FALSE(std::filesystem::exists(temp / "shared/claims")) << "nothing is claimed any more";
}

TEST(TuneCommand, SaysWhereASpaceIsWrong) {
  const TempFolder temp;
  const std::string space = temp / "space.toml";
  write_text(space, "[train]\n  bacth = [1, 2]\n");
  const ProgramResult result = tune({"-o", temp / "t", "--space", space});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(space + ":2:3: unknown training option 'bacth'"));
  EXPECT_THAT(result.err, HasSubstr("did you mean 'batch'?"));
  EXPECT_FALSE(std::filesystem::exists(temp / "t"));
}

TEST(TuneCommand, RefusesWhatMakesNoSense) {
  const TempFolder temp;
  EXPECT_EQ(tune({}).exit_code, 2) << "no folder";
  EXPECT_EQ(tune({"-o", temp / "t", "--grid"}).exit_code, 2) << "a grid has all its points";
  EXPECT_EQ(tune({"-o", temp / "t", "--folds", "3"}).exit_code, 2) << "folds are for --nested";
  EXPECT_EQ(run_agentnet({"tune", "--resume", temp.path().string()}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"tune", "--worker", temp / "nothing"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"tune", "--worker", "a", "--epochs", "3"}).exit_code, 2);
}

}  // namespace
}  // namespace agentnet
