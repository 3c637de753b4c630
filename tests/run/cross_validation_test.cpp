// Cross-validation: which graphs are in which part, which epoch is taken, and that nothing but data, settings and seeds
// decides the result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "agentnet/compare.h"
#include "agentnet/error.h"
#include "data/splits/splits.h"
#include "data/synthetic/synthetic.h"
#include "data/tables/statistics.h"
#include "run/cv_results.h"
#include "support/small_network.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const double kNan = std::nan("");

// The history of a fold with these values; a blank is an epoch that was not evaluated.
std::vector<EpochRecord> history(const std::vector<std::optional<double>>& values) {
  std::vector<EpochRecord> records;
  for (const auto& value : values) {
    EpochRecord record;
    record.epoch = records.size() + 1;
    record.metric = value;
    records.push_back(record);
  }
  return records;
}

CurvePoint chosen(const std::vector<std::vector<EpochRecord>>& histories, Metric metric) {
  return best_point(mean_curve(histories), metric);
}

TEST(Curve, TheEpochWithTheBestMeanIsTakenNotTheBestOfEachFold) {
  const std::vector<std::vector<EpochRecord>> folds = {history({0.9, 0.7, 0.1}), history({0.1, 0.5, 0.8})};
  EXPECT_THAT(mean_curve(folds), ElementsAre(CurvePoint{1, 0.5}, CurvePoint{2, 0.6}, CurvePoint{3, 0.45}));
  EXPECT_EQ(chosen(folds, Metric::kAccuracy), (CurvePoint{2, 0.6}));
  EXPECT_EQ(chosen(folds, Metric::kMae), (CurvePoint{3, 0.45})) << "of errors, the smallest";
}

TEST(Curve, OfEquallyGoodEpochsTheFirstIsTaken) {
  EXPECT_EQ(chosen({history({0.5, 0.75, 0.75, 0.25})}, Metric::kAccuracy), (CurvePoint{2, 0.75}));
}

TEST(Curve, EpochsThatWereNotEvaluatedInEveryFoldAreLeftOut) {
  const std::vector<std::vector<EpochRecord>> folds = {history({{}, 0.5, {}, 0.25}), history({1.0, 0.5, 1.0, 0.25})};
  EXPECT_THAT(mean_curve(folds), ElementsAre(CurvePoint{2, 0.5}, CurvePoint{4, 0.25}));
}

TEST(Curve, AFoldWithoutTheMetricCountsForNothing) {
  EXPECT_EQ(chosen({history({kNan, kNan}), history({0.5, 0.75})}, Metric::kRocAuc), (CurvePoint{2, 0.75}));
}

TEST(Curve, AnEpochWithAnUndefinedValueIsNotTaken) {
  const std::vector<std::vector<EpochRecord>> folds = {history({0.1, kNan}), history({0.5, 1.0})};
  EXPECT_EQ(chosen(folds, Metric::kAccuracy).epoch, 1U) << "a fold that drops out must not lift the mean";
  EXPECT_EQ(chosen({history({kNan})}, Metric::kAccuracy).epoch, 0U);
  EXPECT_EQ(chosen({}, Metric::kAccuracy).epoch, 0U);
}

TEST(FoldStatistics, DeviationIsOfASampleAndTheErrorOfItsMean) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  const FoldStatistics s = fold_statistics(values);
  EXPECT_EQ(s.folds, 8U);
  EXPECT_DOUBLE_EQ(s.mean, 5);
  EXPECT_DOUBLE_EQ(s.deviation, std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(s.error, std::sqrt(32.0 / 7 / 8));
}

TEST(FoldStatistics, UndefinedValuesDoNotCountAndOneValueHasNoDeviation) {
  const FoldStatistics one = fold_statistics(std::vector<double>{kNan, 3});
  EXPECT_EQ(one.folds, 1U);
  EXPECT_EQ(one.mean, 3);
  EXPECT_TRUE(std::isnan(one.deviation) && std::isnan(one.error));
  EXPECT_TRUE(std::isnan(fold_statistics({}).mean));
}

Dataset cycles(int graphs = 24) { return make_synthetic("synthetic:cycles?graphs=" + std::to_string(graphs)); }

// A set whose targets are numbers.
Dataset with_numbers(Dataset data) {
  data.schema.task = Task::kRegression;
  data.schema.classes.clear();
  return data;
}

std::vector<std::size_t> all_of(const Split& split) {
  std::vector<std::size_t> all = split.train;
  all.insert(all.end(), split.valid.begin(), split.valid.end());
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::sort(all.begin(), all.end());
  return all;
}

double share_of_class_one(const Dataset& data, const std::vector<std::size_t>& graphs) {
  double count = 0;
  for (const std::size_t g : graphs) count += data.graphs.targets(g)[0];
  return count / static_cast<double>(graphs.size());
}

CvOptions options_for(Protocol protocol, std::size_t folds, const std::string& split = "") {
  return {{protocol}, folds, split};
}

TEST(Folds, EveryGraphIsHeldOutOnceAndPartsShareNone) {
  const Dataset data = cycles(48);
  for (const Protocol protocol : protocols_named("all")) {
    const ProtocolFolds folds = protocol_folds(data, protocol, options_for(protocol, 4), 3);
    ASSERT_EQ(folds.splits.size(), 4U);
    std::multiset<std::size_t> held_out;
    for (const Split& split : folds.splits) {
      const auto& test = protocol == Protocol::kFair ? split.test : split.valid;
      held_out.insert(test.begin(), test.end());
      EXPECT_EQ(test.size(), 12U);
      const auto all = all_of(split);
      EXPECT_EQ(all.size(), 48U);
      EXPECT_EQ(std::set<std::size_t>(all.begin(), all.end()).size(), 48U);
    }
    EXPECT_EQ(std::set<std::size_t>(held_out.begin(), held_out.end()).size(), 48U);
    EXPECT_EQ(protocol_folds(data, protocol, options_for(protocol, 4), 3).splits, folds.splits);
    EXPECT_NE(protocol_folds(data, protocol, options_for(protocol, 4), 4).splits, folds.splits);
  }
}

TEST(Folds, GinAndFairKeepTheSharesOfClassesAndHoldOutTheSameGraphs) {
  const Dataset data = cycles(80);
  const auto gin = protocol_folds(data, Protocol::kGin, options_for(Protocol::kGin, 4), 0);
  const auto fair = protocol_folds(data, Protocol::kFair, options_for(Protocol::kFair, 4), 0);
  EXPECT_EQ(gin.spec, "stratified-kfold:4");
  EXPECT_EQ(gin.in_words, "4 stratified folds");
  for (std::size_t f = 0; f < 4; ++f) {
    EXPECT_EQ(share_of_class_one(data, gin.splits[f].valid), 0.5);
    EXPECT_EQ(gin.splits[f].valid, fair.splits[f].test);
    EXPECT_EQ(fair.splits[f].valid.size(), 6U) << "a tenth of 60";
    EXPECT_EQ(share_of_class_one(data, fair.splits[f].valid), 0.5);
  }
}

TEST(Folds, AgentnetsAreThoseOfKFolds) {
  const Dataset data = cycles(20);
  const auto folds = protocol_folds(data, Protocol::kAgentnet, options_for(Protocol::kAgentnet, 5), 7);
  const auto plain = k_folds(20, 5, 7);
  EXPECT_EQ(folds.spec, "kfold:5");
  EXPECT_THAT(folds.in_words, HasSubstr("not stratified"));
  for (std::size_t f = 0; f < 5; ++f) {
    EXPECT_EQ(folds.splits[f].train, plain[f].train);
    EXPECT_EQ(folds.splits[f].valid, plain[f].test);
    EXPECT_TRUE(folds.splits[f].test.empty());
  }
}

TEST(Folds, NumbersHaveNoClassesToStratifyBy) {
  const Dataset data = with_numbers(cycles(20));
  const auto folds = protocol_folds(data, Protocol::kGin, options_for(Protocol::kGin, 5), 0);
  EXPECT_EQ(folds.spec, "kfold:5");
  EXPECT_EQ(folds.in_words, "5 shuffled folds (there are no classes to stratify by)");
  EXPECT_EQ(protocol_folds(data, Protocol::kFair, options_for(Protocol::kFair, 5), 0).splits[0].valid.size(), 2U);
}

TEST(Folds, AFileReplacesThemInEveryProtocol) {
  const TempFolder temp;
  const Dataset data = cycles(24);
  std::string lines;
  for (int g = 0; g < 24; ++g) lines += std::to_string(g % 3) + "\n";
  write_text(temp / "folds.txt", lines);
  const std::string spec = "file:" + (temp / "folds.txt").string();
  for (const Protocol protocol : protocols_named("all")) {
    const auto folds = protocol_folds(data, protocol, options_for(protocol, 10, spec), 0);
    ASSERT_EQ(folds.splits.size(), 3U);
    EXPECT_EQ(folds.spec, spec);
    EXPECT_EQ(folds.in_words, "The 3 folds of the given split " + spec);
    const auto& test = protocol == Protocol::kFair ? folds.splits[1].test : folds.splits[1].valid;
    EXPECT_THAT(test, ElementsAre(1, 4, 7, 10, 13, 16, 19, 22));
  }
}

TEST(Folds, ValidationPartsOfAFileChooseTheEpochOrAreLearnedFrom) {
  const TempFolder temp;
  write_text(temp / "folds.json", R"([{"train":[0,1],"valid":[2],"test":[3]},{"train":[3,2],"valid":[1],"test":[0]}])");
  const Dataset data = cycles(4);
  const std::string spec = "file:" + (temp / "folds.json").string();
  const auto fair = protocol_folds(data, Protocol::kFair, options_for(Protocol::kFair, 10, spec), 0);
  EXPECT_TRUE(fair.own_valid);
  EXPECT_EQ(fair.splits[0], (Split{{0, 1}, {2}, {3}}));
  const auto gin = protocol_folds(data, Protocol::kGin, options_for(Protocol::kGin, 10, spec), 0);
  EXPECT_EQ(gin.splits[0], (Split{{0, 1, 2}, {3}, {}}));
}

// The message and the hint of the Error that f throws.
template <class F>
std::string why(const F& f, ErrorKind kind = ErrorKind::kUsage) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind);
    return std::string(e.what()) + " | " + e.hint();
  }
  return "";
}

TEST(Folds, WhatCannotBeFoldedIsRefused) {
  const Dataset data = cycles(8);
  const auto folds = [&](Protocol protocol, std::size_t k, const std::string& split = "") {
    return why([&] { static_cast<void>(protocol_folds(data, protocol, options_for(protocol, k, split), 0)); });
  };
  EXPECT_THAT(folds(Protocol::kGin, 9), HasSubstr("8 graphs cannot be split into 9 folds"));
  EXPECT_THAT(folds(Protocol::kGin, 10, "random"), HasSubstr("has one fold, cross-validation needs several | "));
  EXPECT_THAT(folds(Protocol::kGin, 10, "scaffold"), HasSubstr("has one fold"));
  EXPECT_THAT(folds(Protocol::kFair, 2), HasSubstr("fold 0 has no graphs to choose the epoch by | use fewer folds"));
  EXPECT_THAT(why([] { static_cast<void>(protocols_named("agent-net")); }), HasSubstr("did you mean agentnet?"));
}

struct Problem {
  explicit Problem(Dataset graphs = cycles()) : data(std::move(graphs)) {
    settings.source = data.source;
    settings.model = small_agentnet(data.schema);
    settings.train.epochs = 3;
    settings.train.batch = 6;
    settings.train.metric = data.schema.task == Task::kRegression ? "mae" : "log-loss";
    settings.train.test_rollouts = 2;
  }
  Dataset data;
  Settings settings;
  CvOptions options{protocols_named("all"), 3, ""};
};

class CrossValidationTest : public testing::Test {
 protected:
  CvResult begin(const std::string& name, const CvControl& control = {}) {
    make_cv_folder(temp_ / name, problem_.settings, problem_.options, problem_.data, false);
    return go_on(name, control);
  }
  CvResult go_on(const std::string& name, const CvControl& control = {}) {
    return cross_validate(temp_ / name, problem_.settings, problem_.data, problem_.options, control);
  }
  [[nodiscard]] std::string results(const std::string& name) const {
    return read_text(temp_ / name / "results.json") + read_text(temp_ / name / "results.csv");
  }
  [[nodiscard]] std::string models(const std::string& name) const {
    std::string bytes;
    for (const Protocol protocol : problem_.options.protocols) {
      for (std::size_t f = 0; f < 3; ++f) {
        bytes += read_text(fold_folder(temp_ / name, protocol, f) / "model.safetensors");
      }
    }
    return bytes;
  }
  TempFolder temp_;
  Problem problem_;
};

TEST_F(CrossValidationTest, TellsEveryFoldAndWhatTheyComeTo) {
  const CvResult result = begin("cv");
  ASSERT_EQ(result.protocols.size(), 3U);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.constant_name, "majority class");
  for (const ProtocolResult& protocol : result.protocols) {
    const bool fair = protocol.protocol == Protocol::kFair;
    ASSERT_EQ(protocol.folds.size(), 3U);
    std::vector<double> values;
    for (const FoldResult& fold : protocol.folds) {
      values.push_back(fold.value);
      EXPECT_EQ(fold.tested, 8U);
      EXPECT_EQ(fold.train + fold.chosen_by, 16U);
      EXPECT_EQ(fold.value, score_named(fold.scores, "log-loss"));
      EXPECT_FALSE(std::isnan(score_named(fold.constant, "log-loss")));
      EXPECT_FALSE(std::isnan(score_named(fold.structure_blind, "log-loss")));
    }
    EXPECT_EQ(protocol.model.mean, fold_statistics(values).mean);
    EXPECT_EQ(protocol.model.error, fold_statistics(values).error);
    EXPECT_EQ(protocol.rollouts, fair ? 2 : 1);
    EXPECT_THAT(protocol.description, HasSubstr(fair ? "No choice has seen the test graphs" : "optimistic"));
    if (fair) continue;
    ASSERT_EQ(protocol.curve.size(), 3U);
    for (const CurvePoint& point : protocol.curve) EXPECT_GE(point.mean, protocol.model.mean);
    EXPECT_EQ(protocol.curve.back().mean, protocol.last_epoch.mean);
  }
  const json written = json::parse(read_text(temp_ / "cv" / "results.json"));
  EXPECT_EQ(written["protocols"][2]["protocol"], "fair");
  EXPECT_EQ(written["protocols"][0]["model"]["mean"], result.protocols[0].model.mean);
  EXPECT_EQ(written["protocols"][0]["folds"][2]["fold"], 2);
  EXPECT_EQ(written["higher_is_better"], false);
  const std::string table = read_text(temp_ / "cv" / "results.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 10);
}

TEST_F(CrossValidationTest, HasTheSameBytesForAnyNumberOfJobsAndThreads) {
  begin("one");
  for (const auto& [jobs, threads] : {std::pair{2, 2}, std::pair{3, 1}, std::pair{1, 3}, std::pair{0, 7}}) {
    const std::string name = std::to_string(jobs) + "x" + std::to_string(threads);
    CvControl control;
    control.jobs = jobs;
    control.threads = threads;
    begin(name, control);
    EXPECT_EQ(results(name), results("one")) << name;
    EXPECT_TRUE(models(name) == models("one")) << name;
  }
}

TEST_F(CrossValidationTest, FoldsDifferInTheirSeeds) {
  problem_.options.protocols = {Protocol::kGin};
  begin("cv");
  const auto config = [&](std::size_t f) {
    return read_text(fold_folder(temp_ / "cv", Protocol::kGin, f) / "config.toml");
  };
  EXPECT_THAT(config(0), HasSubstr("\nseed = 0 "));
  EXPECT_THAT(config(2), HasSubstr("\nseed = 2 "));
}

TEST_F(CrossValidationTest, InterruptedAnywhereItEndsTheSame) {
  begin("whole");
  for (const int stop : {0, 7, 31, 60}) {
    const std::string name = "stop" + std::to_string(stop);
    CvControl control;
    control.jobs = stop % 2 + 1;
    control.threads = 2;
    int asked = 0;
    control.should_stop = [&] { return asked++ >= stop; };
    const CvResult stopped = begin(name, control);
    EXPECT_TRUE(stopped.interrupted) << name;
    EXPECT_LT(stopped.done, stopped.of);
    EXPECT_FALSE(std::filesystem::exists(temp_ / name / "results.json"));
    std::size_t run_again = 0;
    CvControl rest;
    rest.on_fold = [&](Protocol, std::size_t, const RunResult&) { ++run_again; };
    EXPECT_FALSE(go_on(name, rest).interrupted);
    EXPECT_EQ(run_again, stopped.of - stopped.done) << "finished folds are not run again";
    EXPECT_EQ(results(name), results("whole")) << name;
    EXPECT_TRUE(models(name) == models("whole")) << name;
  }
}

TEST_F(CrossValidationTest, AFinishedOneIsOnlyRead) {
  begin("cv");
  const std::string before = results("cv");
  std::filesystem::remove(temp_ / "cv" / "results.json");
  CvControl control;
  control.on_fold = [](Protocol, std::size_t, const RunResult&) { FAIL() << "run again"; };
  go_on("cv", control);
  EXPECT_EQ(results("cv"), before);
}

TEST_F(CrossValidationTest, ProgressGrowsToOne) {
  CvControl control;
  control.jobs = 2;
  control.threads = 2;
  double last = 0;
  std::size_t folds = 0;
  control.on_progress = [&](const CvProgress& p) {
    EXPECT_GE(p.fraction, last - 1e-12);
    EXPECT_GE(p.seconds_left, -1e-9);
    last = p.fraction;
  };
  control.on_fold = [&](Protocol, std::size_t, const RunResult&) { ++folds; };
  begin("cv", control);
  EXPECT_DOUBLE_EQ(last, 1);
  EXPECT_EQ(folds, 9U);
}

TEST_F(CrossValidationTest, NumbersAreComparedByTheirError) {
  problem_ = Problem(with_numbers(cycles()));
  problem_.options.protocols = protocols_named("all");
  const CvResult result = begin("cv");
  EXPECT_EQ(result.metric, "mae");
  EXPECT_EQ(result.constant_name, "mean");
  const ProtocolResult& gin = result.protocols[0];
  for (const CurvePoint& point : gin.curve) EXPECT_GE(point.mean, gin.model.mean);
}

TEST_F(CrossValidationTest, AnErrorNamesTheFold) {
  problem_.options.protocols = {Protocol::kGin};
  make_cv_folder(temp_ / "cv", problem_.settings, problem_.options, problem_.data, false);
  std::filesystem::create_directories(temp_ / "cv" / "gin");
  write_text(temp_ / "cv" / "gin" / "fold-1", "in the way");
  EXPECT_THAT(why([&] { static_cast<void>(go_on("cv")); }, ErrorKind::kFailure),
              HasSubstr("gin fold 1: cannot make the folder"));
}

TEST_F(CrossValidationTest, FoldsOfOtherSettingsAreNotTaken) {
  begin("cv");
  problem_.settings.train.seed = 5;
  EXPECT_THAT(why([&] { static_cast<void>(go_on("cv")); }, ErrorKind::kMismatch),
              HasSubstr("was run with other settings"));
  problem_.settings.train.seed = 0;
  problem_.settings.split_seed = 1;
  EXPECT_NE(why([&] { static_cast<void>(go_on("cv")); }, ErrorKind::kMismatch), "");
}

TEST_F(CrossValidationTest, ADamagedFoldIsNamedWithWhatToDo) {
  problem_.options.protocols = {Protocol::kGin};
  begin("cv");
  write_text(fold_folder(temp_ / "cv", Protocol::kGin, 1) / "metrics.jsonl", "");
  EXPECT_THAT(why([&] { static_cast<void>(go_on("cv")); }, ErrorKind::kData),
              HasSubstr("fold-1/metrics.jsonl: 0 epochs of 3 can be read | remove the folder"));
  write_text(fold_folder(temp_ / "cv", Protocol::kGin, 1) / "summary.json", "{\"ending\": \"finished\"}");
  EXPECT_THAT(why([&] { static_cast<void>(go_on("cv")); }, ErrorKind::kData), HasSubstr("fold-1/summary.json: not"));
}

TEST_F(CrossValidationTest, WhatWouldMakeEpochsIncomparableIsRefused) {
  problem_.settings.train.patience = 2;
  EXPECT_THAT(why([&] { check_protocols(problem_.options, problem_.settings.train); }),
              HasSubstr("protocol gin: train.patience would end folds at different epochs"));
  problem_.settings.train.patience = 0;
  problem_.settings.train.schedule = Schedule::kPlateau;
  EXPECT_THAT(why([&] { check_protocols(problem_.options, problem_.settings.train); }),
              HasSubstr("by what the held-out fold says | choose another schedule, or use --protocol fair"));
  problem_.options.protocols = {Protocol::kFair};
  problem_.settings.train.patience = 1;
  problem_.settings.train.epochs = 20;
  EXPECT_FALSE(begin("fair").interrupted) << "fair has no such limits";
  EXPECT_FALSE(go_on("fair").interrupted);
}

TEST_F(CrossValidationTest, AFolderIsNeverOverwrittenUnasked) {
  const auto make = [&](const std::string& name, bool replace) {
    return why([&] { make_cv_folder(temp_ / name, problem_.settings, problem_.options, problem_.data, replace); });
  };
  write_text(temp_ / "file", "x");
  EXPECT_THAT(make("file", true), HasSubstr("is a file"));
  std::filesystem::create_directory(temp_ / "photos");
  write_text(temp_ / "photos" / "me.png", "x");
  EXPECT_THAT(make("photos", true), HasSubstr("holds something else"));
  EXPECT_EQ(make("cv", false), "");
  go_on("cv");
  write_text(temp_ / "cv" / "notes.txt", "x");
  EXPECT_THAT(make("cv", false), HasSubstr("holds a cross-validation already | go on with it (--resume"));
  EXPECT_TRUE(std::filesystem::exists(temp_ / "cv" / "gin" / "fold-0"));
  EXPECT_EQ(make("cv", true), "");
  EXPECT_FALSE(std::filesystem::exists(temp_ / "cv" / "gin"));
  EXPECT_FALSE(std::filesystem::exists(temp_ / "cv" / "results.json"));
  EXPECT_TRUE(std::filesystem::exists(temp_ / "cv" / "notes.txt")) << "what is not ours stays";
}

TEST_F(CrossValidationTest, TheFolderKnowsItsOptionsAndItsData) {
  problem_.options.split = "kfold:3";
  problem_.settings.train.loss = Loss::kCrossEntropy;
  make_cv_folder(temp_ / "cv", problem_.settings, problem_.options, problem_.data, false);
  EXPECT_EQ(read_cv_options(temp_ / "cv"), problem_.options);
  SettingsLayers layers;
  layers.file(cv_config_file(temp_ / "cv"));
  Settings read = layers.resolve(problem_.data);
  read.split = problem_.settings.split;
  EXPECT_EQ(to_toml(read), to_toml(problem_.settings));
  EXPECT_NO_THROW(check_cv_data(temp_ / "cv", problem_.data));
  EXPECT_THAT(why([&] { check_cv_data(temp_ / "cv", cycles(30)); }, ErrorKind::kMismatch), HasSubstr("is not what"));
  write_text(temp_ / "cv" / "cv.json", "[");
  EXPECT_THAT(why([&] { static_cast<void>(read_cv_options(temp_ / "cv")); }, ErrorKind::kData), HasSubstr("cv.json"));
  EXPECT_THAT(why([&] { static_cast<void>(cv_config_file(temp_ / "none")); }), HasSubstr("holds no cross-validation"));
}

}  // namespace
}  // namespace agentnet
