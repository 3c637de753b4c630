// agentnet cv, as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_agentnet.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A tiny model on a tiny set, with further arguments.
std::vector<std::string> tiny(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"cv",       "synthetic:cycles?graphs=24",
                                        "--hidden", "4",
                                        "--agents", "2",
                                        "--steps",  "2",
                                        "--batch",  "6",
                                        "--epochs", "2",
                                        "--set",    "train.steps_per_epoch=2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

ProgramResult cv(const std::vector<std::string>& more) { return run_agentnet(tiny(more)); }

TEST(CvCommand, SaysWhatWasDoneInWordsAndNumbers) {
  const ProgramResult result = cv({"--folds", "3", "--protocol", "gin"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("note: protocol"))) << "it was asked for";
  EXPECT_THAT(result.out, StartsWith("protocol gin\n  3 stratified folds, each held out once.\n"));
  EXPECT_THAT(result.out, HasSubstr("the figure is optimistic"));
  for (const char* part : {"accuracy", "last epoch", "majority class", "without edges", "\n  fold 0 ", "\n  fold 2 ",
                           "\n  mean ", "\n  standard deviation ", "\n  standard error "}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
  EXPECT_THAT(result.err, HasSubstr("gin fold 2: 2 epochs, last accuracy "));
  EXPECT_THAT(result.err, Not(HasSubstr("data.split"))) << "no split was chosen from the data";
}

TEST(CvCommand, IsFairUnlessToldOtherwiseAndTellsEveryMetric) {
  const ProgramResult result = cv({"--folds", "3"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("protocol fair\n  3 stratified folds"));
  EXPECT_THAT(result.err, HasSubstr("note: protocol fair, in which no choice sees the test graphs"));
  for (const char* metric : {"\n  every metric ", "\n  accuracy ", "\n  roc-auc ", "\n  log-loss "}) {
    EXPECT_THAT(result.out, HasSubstr(metric));
  }
  const json found = json::parse(cv({"--folds", "3", "--json"}).out)["protocols"][0];
  double sum = 0;
  for (const json& fold : found["folds"]) sum += fold["scores"]["log-loss"].get<double>();
  EXPECT_NEAR(found["metrics"]["log-loss"]["mean"].get<double>(), sum / 3, 1e-12);
  EXPECT_EQ(found["metrics"]["accuracy"]["mean"], found["model"]["mean"]);
}

TEST(CvCommand, StandsOnTheFoldsThatWereAskedForAndSaysSo) {
  const TempFolder temp;
  const std::string folder = temp / "cv";
  const ProgramResult two = cv({"--folds", "4", "--only-folds", "3,1", "-o", folder, "--json"});
  EXPECT_EQ(two.exit_code, 0) << two.err;
  const json found = json::parse(two.out)["protocols"][0];
  ASSERT_EQ(found["folds"].size(), 2U);
  EXPECT_EQ(found["folds"][0]["fold"], 1);
  EXPECT_EQ(found["folds"][1]["fold"], 3);
  EXPECT_EQ(found["of_folds"], 4);
  EXPECT_THAT(found["description"].get<std::string>(),
              HasSubstr("Stands on folds 1 and 3 of 4: the others have not been run to their end."));
  EXPECT_FALSE(std::filesystem::exists(temp / "cv/fair/fold-0"));

  const ProgramResult three = run_agentnet({"cv", "--resume", folder, "--only-folds", "0", "--no-rivals"});
  EXPECT_EQ(three.exit_code, 0) << three.err;
  EXPECT_THAT(three.out, HasSubstr("Stands on folds 0, 1 and 3 of 4"));
  EXPECT_THAT(three.err, Not(HasSubstr("fair fold 1: 2 epochs"))) << "what is done is not done again";

  const ProgramResult all = run_agentnet({"cv", "--resume", folder, "--json"});
  EXPECT_EQ(all.out, cv({"--folds", "4", "--json"}).out) << "in parts or at once";
  EXPECT_THAT(all.out, Not(HasSubstr("Stands on")));

  EXPECT_THAT(cv({"--folds", "4", "--only-folds", "4"}).err, HasSubstr("there is no fold 4: folds are 0 to 3"));
  for (const char* text : {"x", "2-1", "1-", "-"}) {
    const ProgramResult refused = cv({"--folds", "4", std::string("--only-folds=") + text});
    EXPECT_EQ(refused.exit_code, 2) << text;
    EXPECT_THAT(refused.err, HasSubstr("--only-folds: '" + std::string(text) + "' is no fold"));
  }
}

TEST(CvCommand, EndsInTimeWithWhatIsDone) {
  const TempFolder temp;
  const std::string folder = temp / "cv";
  ASSERT_EQ(cv({"--folds", "3", "--only-folds", "2", "-o", folder}).exit_code, 0);
  const ProgramResult late = run_agentnet({"cv", "--resume", folder, "--max-time", "0.000001s", "--json"});
  EXPECT_EQ(late.exit_code, 0) << late.err;
  EXPECT_THAT(late.err, HasSubstr("note: out of time, 0 of 3 folds are done; go on with: agentnet cv --resume"));
  EXPECT_EQ(json::parse(late.out)["protocols"][0]["folds"].size(), 1U) << "the one of before";
  const ProgramResult none = cv({"--folds", "3", "--max-time", "0.000001s"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("error: out of time, and none of 3 folds is done\n"));
  EXPECT_EQ(cv({"--folds", "3", "--max-time", "0s"}).exit_code, 2);
  EXPECT_EQ(json::parse(run_agentnet({"cv", "--resume", folder, "--max-time", "1h", "--json"}).out),
            json::parse(cv({"--folds", "3", "--json"}).out));
}

TEST(CvCommand, ASplitIsASplitHoweverItIsGiven) {
  const ProgramResult both = cv({"--set", "data.split=kfold:3", "--folds", "2"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("--folds and --split exclude each other"));
  EXPECT_THAT(cv({"--set", "data.split=kfold:3"}).out, HasSubstr("kfold:3"));
  EXPECT_EQ(cv({"--set", "data.split=random"}).exit_code, 2) << "one fold is none to hold out in turn";

  const TempFolder temp;
  write_text(temp / "a.toml", "[data]\nsplit = \"kfold:3\"\n");
  const ProgramResult other = cv({"-c", temp / "a.toml", "--folds", "2"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.err, HasSubstr("note: 2 folds are made instead of the split kfold:3\n"));
}

TEST(CvCommand, ThePrintedConfigServesEveryProtocol) {
  const TempFolder temp;
  EXPECT_EQ(run_agentnet(tiny({"--folds", "2", "--print-config"}), temp / "a.toml").exit_code, 0);
  const ProgramResult result = run_agentnet({"cv", "-c", temp / "a.toml", "--protocol", "agentnet", "--folds", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("2 shuffled folds (not stratified)"));
}

TEST(CvCommand, AllProtocolsStandSideBySide) {
  const ProgramResult result = cv({"--folds", "2", "--protocol", "all", "--metric", "log-loss"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"protocol gin\n", "\nprotocol agentnet\n  2 shuffled folds (not stratified)",
                           "\nprotocol fair\n", "No choice has seen the test graphs.", "\nlog-loss by protocol"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
}

TEST(CvCommand, TheFolderHoldsEverythingAndJsonIsItsResults) {
  const TempFolder temp;
  const std::string folder = temp / "cv";
  const ProgramResult result = cv({"--folds", "3", "--protocol", "fair", "-o", folder, "--json", "--jobs", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, read_text(temp / "cv/results.json"));
  const json found = json::parse(result.out);
  EXPECT_EQ(found["protocols"][0]["protocol"], "fair");
  EXPECT_EQ(found["protocols"][0]["folds"].size(), 3U);
  EXPECT_EQ(found["protocols"][0]["split"], "stratified-kfold:3");
  for (const char* name : {"cv.toml", "cv.json", "results.csv", "fair/fold-2/model.safetensors"}) {
    EXPECT_TRUE(std::filesystem::exists(temp.path() / "cv" / name)) << name;
  }
  const ProgramResult again = cv({"-o", folder});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("holds a cross-validation already"));

  std::filesystem::remove_all(temp / "cv/fair/fold-1");
  std::filesystem::remove(temp / "cv/results.json");
  const ProgramResult resumed = run_agentnet({"cv", "--resume", folder, "--json", "--threads", "1"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(resumed.out, result.out);
  EXPECT_THAT(resumed.err, HasSubstr("fair fold 1"));
  EXPECT_THAT(resumed.err, Not(HasSubstr("fair fold 0"))) << "what is done is not done again";
  EXPECT_EQ(cv({"-o", folder, "--force", "--folds", "2"}).exit_code, 0);
}

TEST(CvCommand, PrintsTheSameForAnyNumberOfJobsAndThreads) {
  const std::string expected = cv({"--folds", "3", "--jobs", "1", "--threads", "1", "--json"}).out;
  EXPECT_EQ(cv({"--folds", "3", "--jobs", "3", "--threads", "2", "--json"}).out, expected);
  EXPECT_NE(cv({"--folds", "3", "--seed", "1", "--json"}).out, expected);
  EXPECT_NE(cv({"--folds", "3", "--split-seed", "1", "--json"}).out, expected);
}

TEST(CvCommand, TakesFoldsFromAFile) {
  const TempFolder temp;
  std::string lines;
  for (int g = 0; g < 24; ++g) lines += std::to_string(g % 2) + "\n";
  write_text(temp / "folds.txt", lines);
  const std::string spec = "file:" + (temp / "folds.txt").string();
  const ProgramResult result = cv({"--split", spec});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("The 2 folds of the given split " + spec));
  EXPECT_THAT(cv({"--split", spec, "--folds", "3"}).err, HasSubstr("--folds and --split exclude each other"));
}

TEST(CvCommand, ASplitOfAConfigFileForOneTrainingIsNoMistake) {
  const TempFolder temp;
  write_text(temp / "run.toml", "[data]\nsplit = \"random:0.8,0.1,0.1\"\n");
  const ProgramResult result = cv({"-c", temp / "run.toml", "--set", "data.split_seed=1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("note: the split 'random:0.8,0.1,0.1' has one fold"));
  EXPECT_THAT(result.out, HasSubstr("10 stratified folds"));
}

TEST(CvCommand, RefusesWhatMakesNoSense) {
  const auto why = [](const std::vector<std::string>& more) {
    const ProgramResult result = cv(more);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  EXPECT_THAT(why({"--protocol", "agent-net"}), HasSubstr("did you mean agentnet?"));
  EXPECT_THAT(why({"--patience", "3", "--protocol", "gin"}), HasSubstr("protocol gin: train.patience would end folds"));
  EXPECT_THAT(why({"--schedule", "plateau", "--protocol", "agentnet"}), HasSubstr("protocol agentnet: the plateau"));
  EXPECT_THAT(why({"--split", "random"}), HasSubstr("the split 'random' has one fold"));
  EXPECT_THAT(why({"--folds", "25"}), HasSubstr("24 graphs cannot be split into 25 folds"));
  EXPECT_THAT(why({"--resume", "somewhere"}), HasSubstr("--resume takes everything from the folder"));
  const ProgramResult nowhere = run_agentnet({"cv", "--resume", "/nonexistent"});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("holds no cross-validation"));
}

TEST(CvCommand, CtrlCKeepsCheckpointsAndSaysHowToGoOn) {
  const TempFolder temp;
  const std::string folder = temp / "cv";
  const std::vector<std::string> endless =
      tiny({"-o", folder, "--set", "train.epochs=1000000", "--folds", "2", "--protocol", "gin"});
  // Once the first fold has ended another epoch.
  const auto interrupted = [&](const std::vector<std::string>& arguments) {
    const auto epochs = [&] {
      const std::string curve = read_text(std::filesystem::path(folder) / "gin" / "fold-0" / "metrics.jsonl");
      return std::count(curve.begin(), curve.end(), '\n');
    };
    const auto before = epochs();
    RunningProgram program(arguments);
    while (program.running() && epochs() <= before) ::usleep(1000);
    program.signal(SIGINT);
    return program.wait();
  };
  const ProgramResult first = interrupted(endless);
  EXPECT_EQ(first.exit_code, 130) << first.err;
  EXPECT_THAT(first.err, HasSubstr("error: interrupted, 0 of 2 folds are done; nothing is lost\n"));
  EXPECT_THAT(first.err, HasSubstr("hint: go on with: agentnet cv --resume " + folder));
  const ProgramResult second = interrupted({"cv", "--resume", folder});
  EXPECT_EQ(second.exit_code, 130) << second.err;
  EXPECT_THAT(second.err, HasSubstr("gin fold 0: resumed after "));
}

}  // namespace
}  // namespace agentnet
