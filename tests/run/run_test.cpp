// A run survives whatever happens to it.
#include "run/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "agentnet/error.h"
#include "core/files/checksum.h"
#include "core/random.h"
#include "data/splits/splits.h"
#include "data/synthetic/synthetic.h"
#include "data/tables/fingerprint.h"
#include "run/ending_notes.h"
#include "run/metrics_log.h"
#include "run/run_folder.h"
#include "run/settings.h"
#include "support/faulty_files.h"
#include "support/small_network.h"
#include "support/temp_folder.h"
#include "train/checkpoint.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

struct Problem {
  Problem() : data(make_synthetic("synthetic:cycles?graphs=20")) {
    settings.source = data.source;
    settings.split = "stratified:0.6,0.2,0.2";
    settings.model = small_agentnet(data.schema);
    settings.train.epochs = 2;
    settings.train.batch = 6;
    settings.train.loss = Loss::kCrossEntropy;
    settings.train.metric = "log-loss";
    settings.train.test_rollouts = 2;
    split = make_splits(data, settings.split, 0).front();
  }
  Dataset data;
  Settings settings;
  Split split;
};

RunControl every_step() {
  RunControl control;
  control.checkpoint_seconds = 0;
  return control;
}

RunResult run(const Problem& p, const std::filesystem::path& folder, const RunControl& control = every_step(),
              const RunSeams& seams = {}) {
  return run_training(folder, p.settings, p.data, p.split, control, seams);
}

// What must be the same however a run came about.
std::string outcome(const std::filesystem::path& folder) {
  auto summary = nlohmann::json::parse(read_text(folder / "summary.json"));
  summary.erase("seconds");
  std::string curves;
  for (const EpochRecord& record : read_metrics(folder / "metrics.jsonl", 1000)) {
    EpochRecord untimed = record;
    untimed.seconds = 0;
    curves += record_to_json(untimed);
  }
  return read_text(folder / "model.safetensors") + summary.dump() + curves + read_text(folder / "predictions.csv");
}

class RunTest : public testing::Test {
 protected:
  std::filesystem::path folder(const std::string& name) {
    make_run_folder(temp_ / name, false);
    return temp_ / name;
  }
  TempFolder temp_;
  Problem problem_;
};

TEST_F(RunTest, LeavesEveryFileOfItsFolder) {
  const auto place = folder("run");
  const RunResult result = run(problem_, place);
  EXPECT_EQ(result.ending, Ending::kFinished);
  EXPECT_EQ(result.epochs, 2U);
  ASSERT_EQ(result.parts.size(), 2U);
  EXPECT_EQ(result.parts[1].name, "test");
  for (const char* name : {"config.toml", "splits.json", "metrics.jsonl", "metrics.csv", "model.safetensors",
                           "predictions.csv", "summary.json", "train.log", "checkpoint", kEventsFile}) {
    EXPECT_TRUE(std::filesystem::exists(place / name)) << name;
  }
  EXPECT_EQ(read_run_split(place, problem_.data), problem_.split);
  SettingsLayers layers;
  layers.file(run_config_file(place));
  EXPECT_EQ(to_toml(layers.resolve(problem_.data)), to_toml(problem_.settings));
}

TEST_F(RunTest, HasTheSameOutcomeForAnyNumberOfThreads) {
  const auto one = folder("one"), three = folder("three");
  run(problem_, one);
  RunControl control = every_step();
  control.threads = 3;
  run(problem_, three, control);
  EXPECT_EQ(outcome(one), outcome(three));
}

TEST_F(RunTest, InterruptedAfterAnyStepItEndsTheSame) {
  const auto whole = folder("whole");
  run(problem_, whole);
  for (int stop = 0; stop < 4; ++stop) {
    const auto place = folder("stop" + std::to_string(stop));
    RunControl control;  // no checkpoint but the last
    int asked = 0;
    control.should_stop = [&] { return asked++ == stop; };
    EXPECT_EQ(run(problem_, place, control).ending, Ending::kInterrupted);
    run(problem_, place);
    EXPECT_EQ(outcome(place), outcome(whole)) << "stopped after step " << stop;
  }
}

TEST_F(RunTest, WhateverCallFailsTheRunCanBeResumed) {
  const auto whole = folder("whole");
  FaultyFiles counting;
  run(problem_, whole, every_step(), {.fs = &counting});
  const std::string expected = outcome(whole);
  const auto calls = static_cast<int>(counting.calls.size());
  ASSERT_GT(calls, 50);
  // Every write, rename and fsync; with a sanitizer, a part of them.
#ifdef AGENTNET_SANITIZED
  const int stride = 7;
#else
  const int stride = 1;
#endif
  for (int n = 0; n < calls; n += stride) {
    const std::string& call = counting.calls[static_cast<std::size_t>(n)];
    if (call == "open" || call == "close") continue;
    const auto place = folder("n" + std::to_string(n));
    FaultyFiles faulty(n, ENOSPC);
    try {
      run(problem_, place, every_step(), {.fs = &faulty});
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kFailure) << e.what();
      EXPECT_THAT(e.what(), HasSubstr("n" + std::to_string(n))) << "the message names the file";
      EXPECT_FALSE(e.hint().empty());
    }
    run(problem_, place);
    ASSERT_EQ(outcome(place), expected) << "after call " << n << ", " << call;
    std::filesystem::remove_all(place);
  }
}

// A process that trains and is killed at the given call of the file system or step, whichever comes first.
void run_and_die(const Problem& p, const std::filesystem::path& place, int at_call, int at_step) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    FaultyFiles files;
    files.on_call = [&](int n) {
      if (n == at_call) ::kill(::getpid(), SIGKILL);
    };
    int step = 0;
    RunControl control = every_step();
    control.on_step = [&](const RunProgress&) {
      if (step++ == at_step) ::kill(::getpid(), SIGKILL);
    };
    try {
      run(p, place, control, {.fs = &files});
    } catch (...) {
      ::_exit(2);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) << status;
}

TEST_F(RunTest, KilledAtSixtyRandomMomentsItEndsTheSame) {
  const auto whole = folder("whole");
  run(problem_, whole);
  const std::string expected = outcome(whole);
  RandomSequence random(1, Purpose::kTest);
  int kills = 0;
  for (int round = 0; kills < 60; ++round) {
    const auto place = folder("round" + std::to_string(round));
    // Several kills in the same run, one after the other, then to the end.
    for (int i = 0; i < 6; ++i, ++kills) {
      const bool in_call = random.below(3) != 0;
      run_and_die(problem_, place, in_call ? static_cast<int>(random.below(80)) : -1,
                  in_call ? -1 : static_cast<int>(random.below(4)));
    }
    run(problem_, place);
    ASSERT_EQ(outcome(place), expected) << "round " << round;
  }
}

TEST_F(RunTest, OtherSettingsDataOrSplitAreNamed) {
  const auto place = folder("run");
  RunControl control;
  control.should_stop = [asked = 0]() mutable { return asked++ == 2; };
  run(problem_, place, control);
  const auto why = [&](const Problem& p) -> std::string {
    try {
      run(p, place);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kMismatch);
      return e.what();
    }
    return "";
  };
  Problem other;
  other.settings.train.learning_rate *= 2;
  EXPECT_EQ(why(other), "the checkpoint was made with other settings");
  Problem split;
  std::swap(split.split.valid, split.split.test);
  EXPECT_EQ(why(split), "the checkpoint was made with other split");
  Problem data;
  data.data = make_synthetic("synthetic:cycles?graphs=20&seed=1");
  EXPECT_EQ(why(data), "the checkpoint was made with other data");
}

// The run's files as a version of the program wrote them that did not know train.features, and read numbers as they
// are.
void make_older(const std::filesystem::path& folder) {
  const auto settings_sum = [&] {
    const std::string values = values_of_toml(read_text(folder / "config.toml"), "settings");
    return xxh3_128_hex(std::as_bytes(std::span(values)));
  };
  const std::string sum = settings_sum();
  std::string config = read_text(folder / "config.toml");
  const std::size_t line = config.find("features = \"raw\"");
  ASSERT_NE(line, std::string::npos);
  config.erase(line, config.find('\n', line) + 1 - line);
  write_text(folder / "config.toml", config);
  CheckpointFolder checkpoints(folder / "checkpoint");
  Checkpoint checkpoint = checkpoints.load().value();
  const std::size_t at = checkpoint.run.find(sum);
  ASSERT_NE(at, std::string::npos);
  checkpoint.run.replace(at, sum.size(), settings_sum());
  checkpoints.save(checkpoint);
  checkpoints.save(checkpoint);  // both files
}

TEST_F(RunTest, OfAnEarlierVersionIsTakenUpAsItWas) {
  problem_.settings.train.features = Features::kRaw;
  const auto whole = folder("whole"), place = folder("older");
  run(problem_, whole);
  RunControl control = every_step();
  int asked = 0;
  control.should_stop = [&] { return asked++ == 2; };
  EXPECT_EQ(run(problem_, place, control).ending, Ending::kInterrupted);
  make_older(place);
  problem_.settings.train.features = Features::kStandardised;
  EXPECT_THROW(run(problem_, place), Error) << "it did not read numbers like this";
  problem_.settings = read_run_settings(place, problem_.data);
  EXPECT_EQ(problem_.settings.train.features, Features::kRaw);
  run(problem_, place);
  EXPECT_EQ(outcome(place), outcome(whole));
}

TEST_F(RunTest, TheFingerprintIsOfEverythingThatGraphsAre) {
  GraphParts parts;
  parts.num_nodes = 4;
  parts.from = {0, 1, 2};
  parts.to = {1, 2, 3};
  parts.node_dense = {1, 2, 3, 4};
  parts.node_categories = {0, 1, 0, 1};
  parts.edge_dense = {1, 2, 3};
  parts.edge_categories = {0, 0, 1};
  const auto of = [](const GraphParts& graph) {
    Dataset data;
    data.graphs.add(Graph(graph), {});
    return fingerprint(data);
  };
  const std::string whole = of(parts);
  EXPECT_EQ(of(parts), whole);
  const auto changed = [&](const std::function<void(GraphParts&)>& change) {
    GraphParts other = parts;
    change(other);
    EXPECT_NE(of(other), whole);
  };
  changed([](GraphParts& g) { g.to[2] = 0; });
  changed([](GraphParts& g) { g.node_dense[3] = 5; });
  changed([](GraphParts& g) { std::swap(g.node_categories[0], g.node_categories[1]); });
  changed([](GraphParts& g) { g.edge_dense[0] = 9; });
  changed([](GraphParts& g) { g.edge_categories[0] = 1; });
}

// A machine that has become much slower than it was measured to be.
RunSeams slower_than_measured() { return {.speed = Speed{.step = 1e-9, .evaluation = 0, .test = 0}}; }

TEST_F(RunTest, OutOfTimeBeforeTheFirstEvaluationItTestsTheWeightsOfNow) {
  const auto place = folder("run");
  problem_.settings.train.epochs = 1000000;
  problem_.settings.train.evaluate_every = 1000000;
  RunControl control = every_step();  // an early checkpoint must not leave an old model behind
  control.max_seconds = 0.3;
  const RunResult result = run(problem_, place, control, slower_than_measured());
  EXPECT_EQ(result.ending, Ending::kOutOfTime);
  EXPECT_EQ(result.best_epoch, result.epochs);
  ASSERT_EQ(result.parts.size(), 2U);
  EXPECT_EQ(result.parts[1].graphs, problem_.split.test.size());
  const Model model = Model::load(place / "model.safetensors");
  EXPECT_EQ(model.card().training.at("epoch"), std::to_string(result.epochs));
}

TEST_F(RunTest, AMetricThatIsNotDefinedIsTold) {
  problem_.settings.train.metric = "roc-auc";
  const auto of_first_class = [&](std::size_t g) { return problem_.data.graphs.targets(g)[0] == 0; };
  std::erase_if(problem_.split.valid, [&](std::size_t g) { return !of_first_class(g); });
  ASSERT_FALSE(problem_.split.valid.empty());
  std::vector<std::string> said;
  RunControl control = every_step();
  control.say = [&](const std::string& line) { said.push_back(line); };
  run(problem_, folder("run"), control);
  EXPECT_THAT(said, testing::ElementsAre(HasSubstr("roc-auc is not defined on the validation part")));
}

TEST_F(RunTest, StopsWhenTimeIsUpAndTestsWhatItHas) {
  const auto place = folder("run");
  problem_.settings.train.epochs = 1000000;
  RunControl control;
  control.max_seconds = 0.3;
  const RunResult result = run(problem_, place, control, slower_than_measured());
  EXPECT_EQ(result.ending, Ending::kOutOfTime);
  EXPECT_THAT(read_text(place / "summary.json"), HasSubstr("\"out of time\""));
}

// The number of epochs is decided by the speed; the rest by that number.
TEST_F(RunTest, WithATimeTheScheduleEndsWithItAndTheSameSettingsGiveTheSame) {
  const auto place = folder("timed"), again = folder("again"), stopped = folder("stopped");
  problem_.settings.train.epochs = 5000;
  RunControl control = every_step();
  control.max_seconds = 1000;
  const RunSeams seams{.speed = Speed{.step = 20, .evaluation = 1, .test = 10}};
  std::vector<std::string> said;
  control.say = [&](const std::string& line) { said.push_back(line); };
  const RunResult result = run(problem_, place, control, seams);
  EXPECT_EQ(result.ending, Ending::kFinished);
  EXPECT_THAT(said, testing::ElementsAre(HasSubstr("there is time for 20 epochs of 2 steps (of 5000 epochs)")));
  EXPECT_EQ(result.epochs, 20U);
  EXPECT_LT(result.history.back().learning_rate, 0.13 * problem_.settings.train.learning_rate)
      << "the schedule has ended";
  const Settings asked_for = std::exchange(problem_.settings, read_run_settings(place, problem_.data));
  EXPECT_EQ(problem_.settings.train.epochs, 20U);
  run(problem_, again);
  EXPECT_EQ(outcome(again), outcome(place));
  problem_.settings = asked_for;
  int asked = 0;
  control.should_stop = [&] { return asked++ == 7; };
  EXPECT_EQ(run(problem_, stopped, control, seams).ending, Ending::kInterrupted);
  control.should_stop = nullptr;
  // Now it is slower; what was decided stays, and the settings of before are taken for those of the run.
  run(problem_, stopped, control, {.speed = Speed{.step = 30, .evaluation = 1, .test = 10}});
  EXPECT_EQ(outcome(stopped), outcome(place));
}

TEST_F(RunTest, ARunThatIsExtendedEndsAsItsSettingsDoFromTheBeginning) {
  const auto place = folder("run"), whole = folder("whole");
  problem_.settings.train.patience = 1;
  run(problem_, place);
  problem_.settings = extend_run(place, problem_.settings, problem_.data, problem_.split, 5);
  EXPECT_EQ(problem_.settings.train.epochs, 5U);
  EXPECT_EQ(problem_.settings.train.extended.size(), 1U);
  EXPECT_EQ(read_run_settings(place, problem_.data).train, problem_.settings.train) << "it is on disk";
  // Killed at any moment, it is taken up again as any run is.
  RunControl control = every_step();
  Ending ending = Ending::kInterrupted;
  for (int sessions = 0; ending == Ending::kInterrupted && sessions < 50; ++sessions) {
    int asked = 0;
    control.should_stop = [&] { return asked++ == 2; };
    ending = run(problem_, place, control).ending;
  }
  EXPECT_NE(ending, Ending::kInterrupted);
  run(problem_, whole);
  EXPECT_EQ(outcome(place), outcome(whole));
}

TEST_F(RunTest, AnExtensionThatWasNotBegunIsReplacedAndOneThatIsNoneIsRefused) {
  const auto place = folder("run");
  run(problem_, place);
  const auto extended = [&](const Settings& settings, std::uint64_t epochs) {
    return extend_run(place, settings, problem_.data, problem_.split, epochs);
  };
  const Settings five = extended(problem_.settings, 5), nine = extended(five, 9);
  EXPECT_EQ(nine.train.epochs, 9U);
  EXPECT_THAT(nine.train.extended, testing::ElementsAre("2/2"));
  EXPECT_EQ(to_toml(extended(nine, 2)), to_toml(problem_.settings)) << "and taken back";
  try {
    static_cast<void>(extended(problem_.settings, 1));
    FAIL() << "one epoch after two";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kUsage);
    EXPECT_THAT(e.what(), HasSubstr("the run has had 2 epochs"));
  }
  Settings other = problem_.settings;
  other.train.learning_rate = 0.5;
  EXPECT_THROW(static_cast<void>(extended(other, 9)), Error) << "those are not its settings";
  other = problem_.settings;
  other.model = {.kind = "wl", .options = "{}", .shape = problem_.settings.model.shape};
  EXPECT_THROW(static_cast<void>(extended(other, 9)), Error) << "nothing to add to";
}

// In the middle of its second epoch: the third is the first with another schedule.
TEST_F(RunTest, ARunThatIsUnderWayIsExtendedFromItsNextEpoch) {
  const auto place = folder("run"), whole = folder("whole");
  problem_.settings.train.epochs = 4;
  RunControl control = every_step();
  int asked = 0;
  control.should_stop = [&] { return asked++ == 3; };
  EXPECT_EQ(run(problem_, place, control).ending, Ending::kInterrupted);
  problem_.settings = extend_run(place, problem_.settings, problem_.data, problem_.split, 6);
  EXPECT_THAT(problem_.settings.train.extended, testing::ElementsAre("2/4"));
  run(problem_, place);
  run(problem_, whole);
  EXPECT_EQ(outcome(place), outcome(whole));
}

std::vector<EpochRecord> curve(const std::vector<double>& losses) {
  std::vector<EpochRecord> history;
  for (const double loss : losses) {
    EpochRecord record;
    record.epoch = history.size() + 1;
    record.loss = loss;
    record.metric = 0.5;
    history.push_back(record);
  }
  return history;
}

TEST(EndingNotes, ALossThatStillFallsIsTold) {
  const auto falling = curve({1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3});
  EXPECT_TRUE(still_falling(falling, 8));
  EXPECT_FALSE(still_falling(falling, 2)) << "the best epoch is long past";
  EXPECT_FALSE(still_falling(curve({1.0, 0.5, 0.3, 0.21, 0.205, 0.203, 0.202, 0.201}), 8)) << "it is flat";
  EXPECT_FALSE(still_falling(curve({0.70, 0.694, 0.693, 0.693, 0.6935, 0.693, 0.6925, 0.693}), 8)) << "noise";
  EXPECT_FALSE(still_falling(curve({1, 0.5}), 2)) << "no curve";
}

TEST_F(RunTest, ATrainingThatHasNotLeftChanceSaysSo) {
  problem_.settings.train.learning_rate = 1e-12;
  const auto place = folder("run");
  const RunResult result = run(problem_, place);
  EXPECT_FALSE(result.left_chance);
  EXPECT_NEAR(result.chance_loss, std::log(2), 0.01);
  EXPECT_THAT(result.notes,
              testing::ElementsAre(testing::AllOf(HasSubstr("has not left chance"), HasSubstr("--epochs 4"),
                                                  HasSubstr("A plateau at chance"))));
  EXPECT_THAT(read_text(std::filesystem::path(AGENTNET_SOURCE_DIR) / "docs" / "settings.md"),
              HasSubstr("## A plateau at chance"));
  EXPECT_THAT(read_text(place / "train.log"), HasSubstr("note: the training has not left chance"));
  EXPECT_THAT(read_text(place / "summary.json"), HasSubstr("\"left_chance\": false"));
}

TEST_F(RunTest, ANonFiniteLossLeavesTheBestModelAlone) {
  const auto place = folder("run");
  // One of many graphs has a target whose squared error overflows: some epochs pass before it is drawn.
  Dataset& data = problem_.data;
  data.schema.task = Task::kRegression;
  GraphSet graphs;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    GraphParts parts;
    parts.num_nodes = 1;
    parts.node_dense = {1};
    graphs.add(Graph(parts), std::vector<double>{g == problem_.split.train.back() ? 3e38 : 1.0});
  }
  data.graphs = std::move(graphs);
  problem_.settings.model.shape = shape_of(data.schema);
  TrainConfig& train = problem_.settings.train;
  train.standardise = false;
  train.loss = Loss::kSquaredError;
  train.metric = "mae";
  train.sampling = Sampling::kReplacement;
  train.steps_per_epoch = 1;
  train.batch = 1;
  train.epochs = 1000;
  std::vector<std::string> said;
  RunControl control;  // no checkpoint comes to its help
  control.say = [&](const std::string& line) { said.push_back(line); };
  try {
    run(problem_, place, control);
    FAIL() << "went on";
  } catch (const Error& error) {
    EXPECT_THAT(read_text(place / "train.log"), HasSubstr(std::string("error: ") + error.what()));
  }
  EXPECT_THAT(said, testing::Contains(HasSubstr("starts again with a tenth of the learning rate")));
  EXPECT_NO_THROW(static_cast<void>(Model::load(place / "model.safetensors")));
  EXPECT_FALSE(read_metrics(place / "metrics.jsonl", 1000).empty());
}

TEST(RunFolder, IsNeverOverwrittenUnasked) {
  const TempFolder temp;
  const auto why = [&](const std::string& name, bool replace) -> std::string {
    try {
      make_run_folder(temp / name, replace);
    } catch (const Error& e) {
      return std::string(e.what()) + " | " + e.hint();
    }
    return "";
  };
  EXPECT_EQ(why("deep/in/new", false), "");
  write_text(temp / "file", "x");
  EXPECT_THAT(why("file", true), HasSubstr("is a file"));
  std::filesystem::create_directory(temp / "photos");
  write_text(temp / "photos" / "me.png", "x");
  EXPECT_THAT(why("photos", true), HasSubstr("holds something else"));
  std::filesystem::create_directory(temp / "run");
  for (const char* name : {"config.toml", "model.safetensors", "notes.txt"}) write_text(temp / "run" / name, "x");
  EXPECT_THAT(why("run", false), HasSubstr("holds a run already | go on with it (--resume"));
  EXPECT_EQ(why("run", true), "");
  EXPECT_FALSE(std::filesystem::exists(temp / "run" / "model.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(temp / "run" / "notes.txt")) << "what is not ours stays";
  EXPECT_THAT(why("run", false), HasSubstr("holds something else"));
}

TEST_F(RunTest, WhereSomebodyIsAtWorkNobodyElseIs) {
  const auto place = folder("run");
  RunControl control = every_step();
  control.on_epoch = [&](const EpochRecord&) {
    const std::string expected = "another process is at work in the folder " + place.string();
    for (const bool replace : {false, true}) {
      try {
        if (replace) {
          make_run_folder(place, /*replace=*/true);
        } else {
          static_cast<void>(run(problem_, place, every_step()));
        }
        ADD_FAILURE();
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUsage);
        EXPECT_EQ(error.what(), expected);
      }
    }
  };
  EXPECT_EQ(run(problem_, place, control).ending, Ending::kFinished);
  EXPECT_NO_THROW(make_run_folder(place, /*replace=*/true)) << "as soon as it has ended";
}

TEST(RunFolder, OfARunThatWasKilledBeforeItBeganIsTakenAgain) {
  const TempFolder temp;
  std::filesystem::create_directory(temp / "run");
  write_text(temp / "run" / "config.toml.agentnet-tmp-999999999-0", "x");
  EXPECT_NO_THROW(make_run_folder(temp / "run", false));
  EXPECT_TRUE(std::filesystem::is_empty(temp / "run"));
  for (const char* name : {"model.safetensors", "splits.json"}) {
    std::filesystem::remove_all(temp / "run");
    std::filesystem::create_directory(temp / "run");
    write_text(temp / "run" / name, "all that somebody has kept");
    for (const bool replace : {false, true}) EXPECT_THROW(make_run_folder(temp / "run", replace), Error);
    EXPECT_TRUE(std::filesystem::exists(temp / "run" / name));
  }
}

}  // namespace
}  // namespace agentnet
