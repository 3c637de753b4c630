// The search: nothing but data, settings and seeds decides the result, and the test part has no say in it.
#include "agentnet/tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "agentnet/error.h"
#include "agentnet/model.h"
#include "agentnet/run.h"
#include "core/files/claims.h"
#include "support/temp_folder.h"
#include "tune/searches.h"
#include "view/pictures/tuning_plot.h"

namespace agentnet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kSpace = "[model]\nhidden = [4, 8, 12]\n[train]\nlearning_rate = \"1e-3..1e-1 log\"\n";

struct Search {
  TempFolder temp;
  SettingsLayers layers;
  Dataset data;
  TuneOptions options;

  explicit Search(const std::string& space = kSpace) {
    write_text(temp / "space.toml", space);
    layers.text(
        "[data]\nsource = \"synthetic:triangle?graphs=60\"\nsplit = \"stratified:0.6,0.2,0.2\"\n[model]\nkind = "
        "\"kgnn1\"\n[train]\nepochs = 4\nsteps_per_epoch = 2\nbatch = 8\n",
        "settings");
    data = read_data(layers.data_settings());
    options.trials = 6;
    options.keep = 2;
    options.budget = 0;
    options.space = temp / "space.toml";
  }
  TunePlan plan() {
    std::vector<std::string> notes;
    return plan_tuning(data, layers, options, 1, 1, notes);
  }
  std::filesystem::path folder(const std::string& name, bool make = true) {
    if (make) make_tune_folder(temp / name, plan(), data);
    return temp / name;
  }
};

std::string results(const std::filesystem::path& folder) {
  return read_text(folder / "results.json") + read_text(folder / "trials.csv") +
         read_text(folder / "best/config.toml") + read_text(folder / "best/model.safetensors");
}

TEST(Rungs, AreThirdsUpToAllEpochs) {
  EXPECT_THAT(rungs_for(80, 40, 3, 1), ElementsAre(3, 9, 27, 80));
  EXPECT_THAT(rungs_for(80, 8, 3, 1), ElementsAre(27, 80)) << "of eight two, and of two none is left to choose by";
  EXPECT_THAT(rungs_for(80, 2, 3, 1), ElementsAre(80));
  EXPECT_THAT(rungs_for(80, 40, 1, 1), ElementsAre(80));
  EXPECT_THAT(rungs_for(4, 100, 3, 1), ElementsAre(2, 4)) << "one epoch says little";
  EXPECT_THAT(rungs_for(1000, 40, 3, 100), ElementsAre(100, 200, 400, 1000)) << "epochs that are evaluated";
  EXPECT_THAT(rungs_for(1, 40, 3, 1), ElementsAre(1));
  EXPECT_EQ(epochs_in_all({3, 9, 27, 80}, 40, 3), 40U * 3 + 13U * 6 + 4U * 18 + 1U * 53);
}

TEST(Tune, HalvesTheTrialsAndTrainsTheBestToTheEnd) {
  Search search;
  const TunePlan plan = search.plan();
  EXPECT_THAT(plan.rungs, ElementsAre(2, 4));
  const auto folder = search.folder("a");
  const TuneResult result = tune(folder, plan, search.data);
  ASSERT_FALSE(result.interrupted);
  ASSERT_EQ(result.searches.size(), 1U);
  const SearchResult& found = result.searches.front();
  std::vector<double> first;
  for (const TrialResult& trial : found.trials) first.push_back(trial.scores.front());
  std::vector<double> sorted = first;
  std::ranges::sort(sorted, std::greater<>());
  std::size_t to_the_end = 0;
  for (const TrialResult& trial : found.trials) {
    EXPECT_EQ(trial.epochs, trial.scores.size() == 2 ? 4U : 2U);
    if (trial.scores.size() != 2) continue;
    ++to_the_end;
    EXPECT_GE(trial.scores.front(), sorted[2]) << "the better half goes on";
    EXPECT_GE(trial.scores.back(), trial.scores.front()) << "a score is that of the best epoch so far";
  }
  EXPECT_EQ(to_the_end, 3U);
  const TrialResult& best = found.trials[found.ranking.front()];
  for (const TrialResult& trial : found.trials) {
    if (trial.scores.size() == 2) {
      EXPECT_LE(trial.scores.back(), best.scores.back());
    }
  }
  EXPECT_EQ(result.done, 9U);
  EXPECT_EQ(result.of, 9U);
  EXPECT_EQ(found.tested, 12U);
  EXPECT_THAT(tuning_svg(result, 0), HasSubstr("</svg>"));

  // The best is a run like any other: the same settings in one go lead to the same weights.
  SettingsLayers again;
  again.file(folder / "best/config.toml");
  const Settings settings = again.resolve(search.data);
  make_run_folder(search.temp / "alone");
  static_cast<void>(run_training(search.temp / "alone", settings, search.data,
                                 make_split(search.data, settings.split, settings.split_seed)));
  const Model one = Model::load(folder / "best/model.safetensors"),
              two = Model::load(run_model_file(search.temp / "alone"));
  EXPECT_TRUE(std::ranges::equal(one.parameters(), two.parameters()));
}

TEST(Tune, GivesTheSameBytesForAnyNumberOfJobsAndWorkers) {
  Search search;
  const auto alone = search.folder("alone"), jobs = search.folder("jobs"), shared = search.folder("shared");
  static_cast<void>(tune(alone, search.plan(), search.data));
  static_cast<void>(tune(jobs, search.plan(), search.data, {.threads = 3, .jobs = 3}));
  EXPECT_EQ(results(alone), results(jobs));
  std::vector<std::thread> workers;
  for (int w = 0; w < 3; ++w) {
    workers.emplace_back([&] { static_cast<void>(tune(shared, read_tuning(shared, search.data), search.data)); });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(results(alone), results(shared));
}

TEST(Tune, IsTakenUpAgainFromAnyPlace) {
  Search search;
  const auto whole = search.folder("whole"), parts = search.folder("parts");
  static_cast<void>(tune(whole, search.plan(), search.data));
  int asked = 0, sessions = 0;
  TuneControl control;
  control.should_stop = [&] { return ++asked % 11 == 0; };  // every few steps
  while (tune(parts, read_tuning(parts, search.data), search.data, control).interrupted) ASSERT_LT(++sessions, 200);
  EXPECT_GE(sessions, 3);
  EXPECT_EQ(results(whole), results(parts));
  const auto written = std::filesystem::last_write_time(parts / "best/summary.json");
  static_cast<void>(resume_tuning(parts));
  EXPECT_EQ(std::filesystem::last_write_time(parts / "best/summary.json"), written) << "the test part is used once";
  std::filesystem::remove_all(parts / "best");
  static_cast<void>(resume_tuning(parts));
  EXPECT_EQ(results(whole), results(parts));
}

// Other labels of the test graphs change the test, and nothing before it.
TEST(Tune, TheTestPartHasNoSay) {
  Search search;
  const TunePlan plan = search.plan();
  const TuneResult honest = tune(search.folder("a"), plan, search.data);
  const Split split = make_split(search.data, plan.trials.front().settings.split, 0);
  const std::set<std::size_t> test(split.test.begin(), split.test.end());
  EXPECT_FALSE(test.empty());
  for (const auto& entry : std::filesystem::directory_iterator(search.temp / "a/trials")) {
    const Split seen = read_run_split(entry.path(), search.data);
    EXPECT_TRUE(seen.test.empty()) << entry.path();
    for (const std::size_t g : seen.train) EXPECT_FALSE(test.contains(g));
    for (const std::size_t g : seen.valid) EXPECT_FALSE(test.contains(g));
    EXPECT_THAT(read_text(entry.path() / "summary.json"), testing::Not(HasSubstr("\"test\": {")));
  }
  EXPECT_EQ(read_run_split(search.temp / "a/best", search.data), split);
  EXPECT_FALSE(std::isnan(score_named(honest.searches.front().test, honest.metric)));
}

TEST(Tune, NestedSearchesEachFoldAndTestsOnWhatWasHeldOut) {
  Search search;
  search.layers = SettingsLayers();
  search.layers.text(
      "[data]\nsource = \"synthetic:triangle?graphs=60\"\n[model]\nkind = \"kgnn1\"\n[train]\nepochs = 2\n"
      "steps_per_epoch = 2\nbatch = 8\n",
      "settings");
  search.options.nested = true;
  search.options.folds = 3;
  search.options.trials = 2;
  const auto folder = search.folder("nested");
  const TuneResult result = tune(folder, search.plan(), search.data, {.threads = 2});
  ASSERT_EQ(result.searches.size(), 3U);
  EXPECT_EQ(result.test.folds, 3U);
  std::set<std::size_t> tested;
  for (int fold = 0; fold < 3; ++fold) {
    const auto place = folder / ("fold-" + std::to_string(fold));
    const Split split = read_run_split(place / "best", search.data);
    for (const std::size_t g : split.test) EXPECT_TRUE(tested.insert(g).second) << "held out twice";
    EXPECT_FALSE(split.valid.empty());
    EXPECT_TRUE(read_run_split(place / "trials/trial-000", search.data).test.empty());
  }
  EXPECT_EQ(tested.size(), 60U);
}

TEST(Tune, AGridTrainsEveryPointToTheEnd) {
  Search search("[model]\nhidden = [4, 8]\n[train]\nlearning_rate = [1e-3, 1e-2]\n");
  search.options.grid = true;
  const TunePlan plan = search.plan();
  EXPECT_EQ(plan.trials.size(), 4U);
  const TuneResult result = tune(search.folder("grid"), plan, search.data);
  for (const TrialResult& trial : result.searches.front().trials) EXPECT_EQ(trial.epochs, 4U);
}

TEST(Tune, ATrialThatCannotBeTrainedIsTheWorstAndNoError) {
  Search search("[train]\nlearning_rate = [1e-3, 10.0]\nclip = [0.0]\nweight_decay = [10.0]\n");
  search.options.trials = 2;
  const TunePlan plan = search.plan();
  ASSERT_EQ(plan.trials.size(), 2U);
  const auto folder = search.folder("a");
  const TuneResult result = tune(folder, plan, search.data);
  const SearchResult& found = result.searches.front();
  EXPECT_EQ(found.ranking.size(), 2U);
  const TrialResult& best = found.trials[found.ranking.front()];
  EXPECT_EQ(best.failed, "");
  EXPECT_EQ(best.epochs, 4U) << "it took the place of one that did better at first";
  const TrialResult& worst = found.trials[found.ranking.back()];
  EXPECT_THAT(worst.failed, HasSubstr("is not a finite number"));
  EXPECT_THAT(tuning_csv(result), HasSubstr("is not a finite number"));
  Search hopeless("[train]\nlearning_rate = [9.0, 10.0]\nclip = [0.0]\nweight_decay = [10.0]\n");
  hopeless.options.trials = 2;
  const auto nothing = hopeless.folder("a");
  EXPECT_THROW(static_cast<void>(tune(nothing, hopeless.plan(), hopeless.data)), Error);
}

TEST(Tune, ABudgetThatIsTooSmallLeavesFewerTrialsAndSaysSo) {
  Search search;
  search.options.trials = 12;
  std::vector<std::string> notes;
  search.options.budget = 1e-7;
  EXPECT_THROW(static_cast<void>(plan_tuning(search.data, search.layers, search.options, 1, 1, notes)), Error);
  bool fewer = false;
  for (int i = 0; i < 30 && !fewer; ++i) {  // how fast this machine is, nobody knows
    search.options.budget = 1e-6 * std::pow(2.0, i);
    notes.clear();
    try {
      const std::size_t trials = plan_tuning(search.data, search.layers, search.options, 1, 1, notes).trials.size();
      fewer = trials < 12;
      if (fewer) {
        EXPECT_THAT(notes.front(), HasSubstr("of 12 trials fit into the budget of"));
      }
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the budget is"));
    }
  }
  EXPECT_TRUE(fewer);
  notes.clear();
  search.options.budget = 0;
  EXPECT_EQ(plan_tuning(search.data, search.layers, search.options, 1, 1, notes).trials.size(), 12U);
  EXPECT_TRUE(notes.empty());
}

TEST(Tune, ASpaceWithFewPointsGivesFewTrials) {
  Search search("[model]\nhidden = [4, 8]\n");
  std::vector<std::string> notes;
  const TunePlan plan = plan_tuning(search.data, search.layers, search.options, 1, 1, notes);
  EXPECT_EQ(plan.trials.size(), 2U);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes.front(), HasSubstr("not many more than 2 points"));
}

TEST(Tune, NamedSpacesLeaveAloneWhatIsSet) {
  Search search;
  search.options.space = "small";
  std::vector<std::string> notes;
  const TunePlan plan = plan_tuning(search.data, search.layers, search.options, 1, 1, notes);
  ASSERT_FALSE(notes.empty());
  EXPECT_EQ(notes.front(), "not searched, since it is set: train.batch");
  for (const Trial& trial : plan.trials) EXPECT_EQ(trial.settings.train.batch, 8);
}

TEST(Tune, EverySpaceWithANameCanBeDrawnFrom) {
  Search search;
  search.layers = SettingsLayers();
  search.layers.text("[data]\nsource = \"synthetic:triangle?graphs=60\"\n", "settings");
  for (const std::string& name : space_names()) {
    search.options.space = name;
    search.options.trials = 20;
    const TunePlan plan = search.plan();
    EXPECT_GE(plan.trials.size(), 8U) << name;
  }
  search.options.space = "smal";
  try {
    static_cast<void>(search.plan());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "did you mean 'small'?");
  }
}

TEST(Tune, RefusesWhatMakesNoSense) {
  Search search;
  const auto refused = [&](const std::function<void()>& change) {
    Search own;
    search.layers = own.layers;
    change();
    try {
      static_cast<void>(search.plan());
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kUsage;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { search.layers.set("data.split=random:0.8,0.2"); })) << "no part to compare by";
  EXPECT_TRUE(refused([&] { search.layers.set("data.split=random:0.8,0.2,0"); })) << "no part to test on";
  EXPECT_TRUE(refused([&] { search.layers.set("data.split=kfold:5"); })) << "folds are for --nested";
  search.layers = Search().layers;
  make_tune_folder(search.temp / "t", search.plan(), search.data);
  EXPECT_THROW(make_tune_folder(search.temp / "t", search.plan(), search.data), Error);
  make_tune_folder(search.temp / "t", search.plan(), search.data, /*replace=*/true);
  write_text(search.temp / "t/tune.json", "{\"trials\": 3}");
  EXPECT_THROW(static_cast<void>(read_tuning(search.temp / "t", search.data)), Error);
  EXPECT_THROW(static_cast<void>(tune_data_settings(search.temp / "t")), Error);
  EXPECT_THROW(static_cast<void>(tune_data_settings(search.temp / "nothing")), Error);
}

TEST(Tune, OtherDataIsRefused) {
  Search search;
  const auto folder = search.folder("a");
  const Dataset other = read_data("synthetic:triangle?graphs=61", {});
  try {
    static_cast<void>(read_tuning(folder, other));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
  }
}

// A trial that another process is at is left to it; when that dies, it is done here.
TEST(Tune, WaitsForOthersAndTakesOverFromTheDead) {
  Search search;
  const auto folder = search.folder("a"), alone = search.folder("alone");
  static_cast<void>(tune(alone, search.plan(), search.data));
  std::optional<ClaimFolder> other(folder / "claims");
  auto claim = other->claim("trial-002");
  ASSERT_NE(claim, nullptr);
  std::atomic<bool> ended = false;
  std::thread worker([&] {
    static_cast<void>(tune(folder, read_tuning(folder, search.data), search.data));
    ended = true;
  });
  while (!std::filesystem::exists(folder / "scores/trial-005-rung-0.json")) std::this_thread::yield();
  EXPECT_FALSE(ended);
  EXPECT_FALSE(std::filesystem::exists(folder / "scores/trial-002-rung-0.json"));
  claim.reset();
  worker.join();
  EXPECT_EQ(results(alone), results(folder));
}

}  // namespace
}  // namespace agentnet
