// agentnet train as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "run_agentnet.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kTiny = {
    "train", "synthetic:cycles?graphs=30", "--hidden", "4", "--agents", "2", "--steps", "2", "--epochs", "3",
    "--set", "train.steps_per_epoch=2"};

class Train : public testing::Test {
 protected:
  // A training of well under a second.
  ProgramResult train(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = kTiny;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_agentnet(arguments);
  }
  // The same, in a process that gets a signal as soon as the first epoch is over. One that ends before that is as good.
  ProgramResult train_until_signalled(const std::vector<std::string>& more, const std::filesystem::path& run,
                                      int signal) {
    std::vector<std::string> arguments = kTiny;
    arguments.insert(arguments.end(), more.begin(), more.end());
    RunningProgram program(arguments);
    while (program.running() && read_text(run / "metrics.jsonl").find('\n') == std::string::npos) ::usleep(1000);
    program.signal(signal);
    return program.wait();
  }
  std::string place(const std::string& name) { return (temp_ / name).string(); }
  TempFolder temp_;
};

TEST_F(Train, TellsItsChoicesOnceAndTheResultOnStandardOutput) {
  const ProgramResult result = train({"-o", place("run")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("chosen from the data"), HasSubstr("data.split"), Not(HasSubstr("model.agents")),
                    HasSubstr("epoch    3"), HasSubstr("next: agentnet predict")));
  EXPECT_THAT(result.out, AllOf(HasSubstr("test (3 graphs)"), HasSubstr("majority class"), HasSubstr("without edges")));
  const ProgramResult info = run_agentnet({"info", place("run") + "/model.safetensors"});
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_THAT(info.out, HasSubstr("2 agents, 2 steps, hidden size 4"));
}

TEST_F(Train, GivesItsSummaryAsJson) {
  const ProgramResult result = train({"-o", place("run"), "--json"});
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("ending"), "finished");
  EXPECT_EQ(json.at("graphs").at("train"), 24);
  EXPECT_TRUE(json.at("test").contains("accuracy"));
  EXPECT_TRUE(json.at("baselines").at("test").contains("structure-blind"));
}

TEST_F(Train, HasTheSameBytesForAnyNumberOfThreads) {
  EXPECT_EQ(train({"-o", place("one"), "--threads", "1"}).exit_code, 0);
  EXPECT_EQ(train({"-o", place("three"), "--threads", "3"}).exit_code, 0);
  for (const char* name : {"model.safetensors", "predictions.csv", "splits.json"}) {
    EXPECT_EQ(read_text(temp_ / "one" / name), read_text(temp_ / "three" / name)) << name;
    EXPECT_FALSE(read_text(temp_ / "one" / name).empty());
  }
}

TEST_F(Train, PrintsAConfigThatRunsTheSameTraining) {
  const ProgramResult config = train({"--print-config"});
  EXPECT_EQ(config.exit_code, 0) << config.err;
  write_text(temp_ / "run.toml", config.out);
  EXPECT_EQ(run_agentnet({"train", "-c", place("run.toml"), "-o", place("from-file")}).exit_code, 0);
  EXPECT_EQ(train({"-o", place("from-flags")}).exit_code, 0);
  EXPECT_EQ(read_text(temp_ / "from-file" / "model.safetensors"),
            read_text(temp_ / "from-flags" / "model.safetensors"));
  EXPECT_EQ(read_text(temp_ / "from-file" / "config.toml"), config.out);
}

TEST_F(Train, StopsForASignalAndGoesOnToTheSameEnd) {
  const std::vector<std::string> longer = {"--set", "train.epochs=400"};
  auto whole = longer;
  whole.insert(whole.end(), {"-o", place("whole")});
  ASSERT_EQ(train(whole).exit_code, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string name = "stopped-" + std::to_string(signal);
    auto stopped = longer;
    stopped.insert(stopped.end(), {"-o", place(name)});
    const ProgramResult result = train_until_signalled(stopped, temp_ / name, signal);
    if (result.exit_code == 130) {
      EXPECT_THAT(result.err,
                  AllOf(HasSubstr("interrupted in epoch"), HasSubstr("agentnet train --resume " + place(name))));
    } else {
      EXPECT_EQ(result.exit_code, 0) << result.err;
    }
    const ProgramResult rest = run_agentnet({"train", "--resume", place(name)});
    EXPECT_EQ(rest.exit_code, 0) << rest.err;
    EXPECT_EQ(read_text(temp_ / name / "model.safetensors"), read_text(temp_ / "whole" / "model.safetensors"));
  }
}

TEST_F(Train, RefusesWithAReasonAndANextStep) {
  EXPECT_EQ(train({"-o", place("run")}).exit_code, 0);
  const auto refused = [&](const std::vector<std::string>& more, int code, const std::string& error,
                           const std::string& hint) {
    const ProgramResult result = train(more);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr("error: " + error));
    EXPECT_THAT(result.err, HasSubstr("hint: " + hint));
  };
  refused({"-o", place("run")}, 2, "the folder " + place("run") + " holds a run already", "go on with it");
  refused({}, 2, "no folder given for the run", "name one with -o");
  refused({"-o", place("x"), "--set", "model.agentz=3"}, 2, "--set 'model.agentz=3'", "did you mean 'agents'?");
  refused({"-o", place("x"), "--epochs", "many"}, 2, "--epochs", "");
  refused({"-o", place("x"), "--metric", "mae"}, 2, "the metric mae does not fit", "choose one of");
  refused({"-o", place("x"), "--split", "kfold:3"}, 2, "the split kfold:3 has 3 folds",
          "train on all folds with agentnet cv");
  refused({"-o", place("x"), "--max-time", "soon"}, 2, "--max-time is 'soon', which is no time", "give seconds");
  refused({"-o", "/proc/no/such"}, 1, "cannot make the folder", "choose a place");
  refused({"-o", place("x"), "--target", "nothing"}, 2, "", "");
  EXPECT_EQ(train({"-o", place("run"), "--force"}).exit_code, 0);
  const ProgramResult resume = run_agentnet({"train", "--resume", place("nowhere")});
  EXPECT_EQ(resume.exit_code, 2);
  EXPECT_THAT(resume.err, HasSubstr("holds no run"));
}

TEST_F(Train, RowsThatAreNoGraphsAreNeverLeftOutSilently) {
  std::string table = "smiles,y\nC1CC,1\n";
  for (int i = 0; i < 10; ++i) table += std::string(i + 1, 'C') + "O,1\n" + std::string(i + 1, 'C') + ",0\n";
  write_text(temp_ / "table.csv", table);
  const std::vector<std::string> base = {"train", place("table.csv"), "--preset", "fast", "--epochs", "1",
                                         "-o",    place("run")};
  const ProgramResult refused = run_agentnet(base);
  if (refused.err.find("RDKit") != std::string::npos) GTEST_SKIP() << "built without RDKit";
  EXPECT_EQ(refused.exit_code, 3) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("table.csv:2:1"), HasSubstr("--skip-bad-rows")));
  auto skipping = base;
  skipping.emplace_back("--skip-bad-rows");
  const ProgramResult result = run_agentnet(skipping);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("1 of 21 rows are not graphs, and are left out"));
  const ProgramResult resumed = run_agentnet({"train", "--resume", place("run")});
  EXPECT_EQ(resumed.exit_code, 0) << "what may be left out is a setting of the run: " << resumed.err;
  const ProgramResult again = run_agentnet({"train", "-c", place("run/config.toml"), "-o", place("again")});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  // The split's file counts rows, so that others find the same graphs by it.
  const ProgramResult test = run_agentnet({"eval", place("run/model.safetensors"), place("table.csv"), "--json",
                                           "--split", "file:" + place("run/splits.json"), "--part", "test"});
  EXPECT_EQ(test.exit_code, 0) << test.err;
  const auto summary = nlohmann::json::parse(read_text(place("run/summary.json")));
  EXPECT_EQ(nlohmann::json::parse(test.out)["graphs"], summary["graphs"]["test"]);
  EXPECT_EQ(nlohmann::json::parse(test.out)["metrics"]["log-loss"], summary["test"]["log-loss"]);
}

TEST_F(Train, OutputsThatAreNoNumbersInTheTestPartAreSaid) {
  std::string lines;
  for (int i = 0; i < 30; ++i) {
    const bool test = i % 10 == 9;
    lines += std::string(R"({"edge_index":[[0],[1]],"node_feat":[[0.5],)") + (test ? "[3e38]" : "[1.5]") +
             R"(],"y":")" + (i % 2 == 0 ? "even" : "odd") + R"(","split":")" +
             (test          ? "test"
              : i % 10 == 8 ? "valid"
                            : "train") +
             "\"}\n";
  }
  write_text(temp_ / "set.jsonl", lines);
  const ProgramResult result =
      run_agentnet({"train", place("set.jsonl"), "-o", place("run"), "--split", "column:split", "--epochs", "1",
                    "--hidden", "4", "--agents", "2", "--steps", "2", "--set", "data.node_features=dense"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("not a finite number for 3 of 3 graphs of the test part, so it has no scores"));
}

TEST_F(Train, SplitsByScaffoldWhateverTheColumnIsCalled) {
  std::string table = "structure,y\n";
  for (int i = 0; i < 10; ++i) table += i % 2 == 0 ? "CCO,1\nc1ccccc1C,0\n" : "C1CCCCC1N,1\nCC,0\n";
  write_text(temp_ / "table.csv", table);
  const ProgramResult result = run_agentnet({"train", place("table.csv"), "--smiles-column", "structure", "--split",
                                             "scaffold", "--preset", "fast", "--epochs", "1", "-o", place("run")});
  if (result.err.find("RDKit") != std::string::npos) GTEST_SKIP() << "built without RDKit";
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(Train, NoTimeIsNoTraining) {
  const ProgramResult result =
      run_agentnet({"train", "synthetic:cycles?graphs=20", "--max-time", "0s", "-o", place("run")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--max-time 0 leaves no time to train"));
}

TEST_F(Train, SettingsThatMakeNoSenseCostNoOldRun) {
  ASSERT_EQ(train({"-o", place("run")}).exit_code, 0);
  const std::string model = read_text(temp_ / "run" / "model.safetensors");
  for (const char* setting : {"train.metric=mae", "train.loss=squared-error", "data.split=random:0,0.5,0.5"}) {
    const ProgramResult result = train({"-o", place("run"), "--force", "--set", setting});
    EXPECT_EQ(result.exit_code, 2) << setting << result.err;
    EXPECT_EQ(read_text(temp_ / "run" / "model.safetensors"), model) << setting;
  }
  EXPECT_EQ(train({"--print-config", "--metric", "mae"}).exit_code, 2);
}

TEST_F(Train, ResumeTakesNoSettings) {
  ASSERT_EQ(train({"-o", place("run")}).exit_code, 0);
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--batch", "9"}, {"--preset", "fast"}, {"--set", "train.seed=7"}, {"-o", place("other")}, {"--force"}}) {
    std::vector<std::string> arguments = {"train", "--resume", place("run")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_agentnet(arguments);
    EXPECT_EQ(result.exit_code, 2) << more[0];
    EXPECT_THAT(result.err, AllOf(HasSubstr("--resume takes everything from the folder"),
                                  HasSubstr("agentnet train -c " + place("run") + "/config.toml")));
  }
  EXPECT_EQ(run_agentnet({"train", "--resume", place("run"), "--threads", "1", "--json"}).exit_code, 0);
}

TEST_F(Train, ResumeWithEpochsMakesARunLonger) {
  ASSERT_EQ(train({"-o", place("run")}).exit_code, 0);
  const auto longer = [&](const std::string& epochs) {
    return run_agentnet({"train", "--resume", place("run"), "--epochs", epochs});
  };
  const ProgramResult result = longer("5");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("epoch    5"));
  EXPECT_THAT(read_text(temp_ / "run" / "config.toml"),
              AllOf(HasSubstr("\nepochs = 5 "), HasSubstr("\nextended = [\"3/3\"] ")));
  EXPECT_EQ(run_agentnet({"train", "-c", place("run") + "/config.toml", "-o", place("again")}).exit_code, 0);
  EXPECT_EQ(read_text(temp_ / "run" / "model.safetensors"), read_text(temp_ / "again" / "model.safetensors"));
  EXPECT_EQ(longer("4").exit_code, 2);
  EXPECT_THAT(longer("4").err, HasSubstr("the run has had 5 epochs"));
  EXPECT_EQ(longer("many").exit_code, 2);
  EXPECT_EQ(longer("5").exit_code, 0) << "as it is";
}

TEST_F(Train, ALimitOfTimeDecidesTheNumberOfEpochs) {
  const auto begin = std::chrono::steady_clock::now();
  const ProgramResult result =
      run_agentnet({"train", "synthetic:cycles?graphs=30", "--hidden", "4", "--agents", "2", "--steps", "2", "--epochs",
                    "10000000", "--max-time", "3s", "-o", place("run")});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("there is time for "));
  EXPECT_THAT(read_text(temp_ / "run" / "config.toml"), Not(HasSubstr("epochs = 10000000")));
  EXPECT_GT(seconds, 0.2) << "it was used";
}

TEST_F(Train, OfTwoOptionsTheLaterOneHolds) {
  EXPECT_THAT(train({"--print-config", "--set", "train.seed=5", "--seed", "4"}).out, HasSubstr("\nseed = 4 "));
  EXPECT_THAT(train({"--print-config", "--seed", "4", "--set", "train.seed=5"}).out, HasSubstr("\nseed = 5 "));
  EXPECT_THAT(train({"--print-config", "--set", "train.seed=5", "--set", "train.seed=6"}).out,
              HasSubstr("\nseed = 6 "));
  EXPECT_THAT(train({"--print-config", "--set", "data.split=stratified", "--split", "random"}).out,
              HasSubstr("\nsplit = \"random\""));
}

TEST_F(Train, OneClassIsNothingToLearn) {
  write_text(temp_ / "one.jsonl", R"({"num_nodes": 2, "edge_index": [[0], [1]], "y": "yes"}
{"num_nodes": 3, "edge_index": [[0, 1], [1, 2]], "y": "yes"}
)");
  const ProgramResult result = run_agentnet({"train", place("one.jsonl"), "-o", place("one")});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("is of the class 'yes': there is nothing to learn"));
}

TEST_F(Train, AFileThatMayNotGrowIsAnErrorAndNoDeath) {
  std::vector<std::string> arguments = kTiny;
  arguments.insert(arguments.end(), {"-o", place("run")});
  // Enough for what the program says, which goes to a file as well, but not for weights.
  const ProgramResult result = run_agentnet(arguments, {}, "ulimit -f 16;");
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("error: cannot write "), HasSubstr("File too large"), HasSubstr("ulimit -f")));
}

TEST_F(Train, ResumeMakesGoodWhatIsMissingAndSweepsWhatIsLeft) {
  ASSERT_EQ(train({"-o", place("run")}).exit_code, 0);
  const std::string split = read_text(temp_ / "run" / "splits.json");
  std::filesystem::remove(temp_ / "run" / "splits.json");
  const std::vector<std::filesystem::path> left = {
      temp_ / "run" / "model.safetensors.agentnet-tmp-999999999-3",
      temp_ / "run" / "checkpoint" / "0.safetensors.agentnet-tmp-999999999-4"};
  for (const auto& file : left) write_text(file, "half");
  const ProgramResult result = run_agentnet({"train", "--resume", place("run")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(read_text(temp_ / "run" / "splits.json"), split);
  for (const auto& file : left) EXPECT_FALSE(std::filesystem::exists(file)) << file;
}

TEST_F(Train, GoesOnWhenNobodyReadsWhatItSays) {
  std::string line = "bash -c 'set -o pipefail; " + std::string(AGENTNET_PROGRAM);
  for (const std::string& argument : kTiny) line += " \"" + argument + "\"";
  line += " -o " + place("run") + " 2>&1 | true'";
  const int status = std::system(line.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 141);
  EXPECT_TRUE(std::filesystem::exists(temp_ / "run" / "summary.json"));
}

TEST_F(Train, ForSpreadsheetsIdsAreNoFormulas) {
  std::string text;
  for (int g = 0; g < 20; ++g) {
    text += "{\"num_nodes\":2,\"edge_index\":[[0,1],[1,0]],\"id\":\"=" + std::to_string(g) + "\",\"y\":\"" +
            (g % 2 == 0 ? "a" : "b") + "\"}\n";
  }
  write_text(temp_ / "set.jsonl", text);
  for (const bool safe : {false, true}) {
    std::vector<std::string> arguments = {"train", place("set.jsonl"), "--preset", "fast", "--epochs", "1",
                                          "-o",    place("run"),       "--force"};
    if (safe) arguments.emplace_back("--safe-csv");
    const ProgramResult result = run_agentnet(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::string table = read_text(temp_ / "run" / "predictions.csv");
    EXPECT_EQ(table.find(",'=") != std::string::npos, safe) << table;
  }
}

}  // namespace
}  // namespace agentnet
