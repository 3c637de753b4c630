// Runs, cross-validations and comparisons as a user's program drives them: by the public headers alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "agentnet/compare.h"
#include "agentnet/error.h"
#include "agentnet/run.h"
#include "agentnet/settings.h"
#include "data/molecules/molecule.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

constexpr const char* kSmall = R"({
  "data": {"source": "synthetic:4cycles?graphs=40", "split": "stratified:0.6,0.2,0.2"},
  "model": {"kind": "agentnet", "hidden": 8, "agents": 2, "steps": 2},
  "train": {"epochs": 3, "batch": 8, "test_rollouts": 2}})";

struct PublicRuns : testing::Test {
  PublicRuns() {
    layers.json(kSmall, "small");
    data = read_data(layers.data_settings());
    settings = layers.resolve(data);
  }
  TempFolder folder;
  SettingsLayers layers;
  Dataset data;
  Settings settings;
};

TEST_F(PublicRuns, ARunThatWasStoppedIsResumedByItsFolderAlone) {
  const Split split = make_split(data, settings.split, settings.split_seed);
  make_run_folder(folder / "whole");
  const RunResult whole = run_training(folder / "whole", settings, data, split);
  EXPECT_EQ(whole.ending, Ending::kFinished);

  make_run_folder(folder / "parts");
  int asked = 0;
  RunControl stopped;
  stopped.should_stop = [&] { return ++asked > 2; };
  EXPECT_EQ(run_training(folder / "parts", settings, data, split, stopped).ending, Ending::kInterrupted);
  const RunResult rest = resume_run(folder / "parts", {.threads = 2});
  EXPECT_EQ(rest.ending, Ending::kFinished);
  EXPECT_EQ(read_text(run_model_file(folder / "parts")), read_text(run_model_file(folder / "whole")));
  EXPECT_EQ(to_toml(read_run_settings(folder / "parts", read_run_data(folder / "parts"))), to_toml(settings));
  ASSERT_EQ(rest.parts.size(), 2U);
  EXPECT_EQ(rest.parts.back().model, whole.parts.back().model);
}

TEST_F(PublicRuns, ResumingAFolderWithoutARunIsAUsageError) {
  try {
    resume_run(folder / "nothing");
    FAIL() << "resumed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("holds no run"));
  }
}

TEST_F(PublicRuns, ACrossValidationIsResumedByItsFolderAlone) {
  const CvOptions options{.protocols = {Protocol::kFair}, .folds = 2, .split = {}};
  make_cv_folder(folder / "whole", settings, options, data);
  make_cv_folder(folder / "parts", settings, options, data);
  const CvResult whole = cross_validate(folder / "whole", settings, data, options);
  int asked = 0;
  CvControl stopped;
  stopped.should_stop = [&] { return ++asked > 3; };
  EXPECT_TRUE(cross_validate(folder / "parts", settings, data, options, stopped).interrupted);
  const CvResult rest = resume_cross_validation(folder / "parts");
  EXPECT_FALSE(rest.interrupted);
  EXPECT_EQ(read_text(folder / "parts" / "results.json"), read_text(folder / "whole" / "results.json"));
  EXPECT_EQ(rest.protocols.at(0).model.mean, whole.protocols.at(0).model.mean);
}

TEST_F(PublicRuns, AComparisonIsResumedByItsFolderAlone) {
  layers.set("model.kind=agentnet");
  CompareOptions options{.models = {"agentnet"}};
  options.cv.folds = 2;
  std::vector<std::string> left_out;
  const auto models = plan_comparison(data, layers, options, 1, 1, left_out);
  make_compare_folder(folder / "compared", models, options, data);
  CompareControl stopped;
  stopped.should_stop = [] { return true; };
  EXPECT_TRUE(compare_models(folder / "compared", models, data, options, stopped).interrupted);
  const Comparison rest = resume_comparison(folder / "compared");
  EXPECT_FALSE(rest.interrupted);
  ASSERT_EQ(rest.rows.size(), 3U) << "two baselines and the network";
  EXPECT_EQ(rest.rows.back().name, "agentnet");
  EXPECT_THAT(comparison_csv(rest), HasSubstr("agentnet"));
}

TEST(SettingsAsJson, ReadBackToTheSameSettings) {
  SettingsLayers layers;
  layers.json(kSmall, "small");
  const Settings settings = layers.data_settings();
  EXPECT_EQ(settings.source, "synthetic:4cycles?graphs=40");
  EXPECT_EQ(settings.train.epochs, 3U);
  const std::string json = to_json(settings);
  SettingsLayers again;
  again.json(json, "again");
  EXPECT_EQ(to_json(again.data_settings()), json);
  EXPECT_EQ(to_toml(again.data_settings()), to_toml(settings));
}

TEST(SettingsAsJson, WhatIsWrongIsNamedWithItsPlace) {
  const auto message = [](const char* json) {
    SettingsLayers layers;
    try {
      layers.json(json, "body");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage) << json;
      return std::string(error.what()) + " | " + error.hint();
    }
    return std::string("no error");
  };
  EXPECT_THAT(message("[1]"), HasSubstr("body: the settings are no JSON object"));
  EXPECT_THAT(message("{"), HasSubstr("body"));
  EXPECT_THAT(message(R"({"train": {"epoch": 3}})"), HasSubstr("body: train.epoch: unknown training option"));
  EXPECT_THAT(message(R"({"train": {"epoch": 3}})"), HasSubstr("did you mean 'epochs'?"));
  EXPECT_THAT(message(R"({"trian": {"epochs": 3}})"), HasSubstr("unknown section"));
  EXPECT_THAT(message(R"({"train": {"epochs": null}})"), HasSubstr("train.epochs is null"));
  EXPECT_THAT(message(R"({"train": {"epochs": -3}})"), HasSubstr("epochs"));
  EXPECT_THAT(message(R"({"epochs": 3})"), HasSubstr("stands in no section"));
  EXPECT_THAT(message(R"({"model": {"kind": "agentnt"}})"), HasSubstr("agentnt"));
}

TEST(MakeSplit, IsForASpecWithASingleSplit) {
  const Dataset data = read_data("synthetic:4cycles?graphs=20", {});
  EXPECT_EQ(make_split(data, "random:0.5,0.5").test.size(), 10U);
  EXPECT_EQ(make_split(data, "random", 3), make_splits(data, "random", 3).front());
  EXPECT_THROW(static_cast<void>(make_split(data, "kfold:4")), Error);
}

TEST(ReadDataOfSettings, RefusesRowsThatAreNoGraphsUnlessTold) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build reads no SMILES";
  const TempFolder folder;
  const auto path = folder / "molecules.csv";
  write_text(path, "smiles,y\nCCO,1\nC(,0\nCCC,0\n");
  Settings settings;
  settings.source = path.string();
  try {
    static_cast<void>(read_data(settings));
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_THAT(error.what(), HasSubstr("1 of 3 rows are not graphs; the first: "));
    EXPECT_THAT(error.what(), HasSubstr("molecules.csv:3"));
  }
  settings.skip_bad_rows = true;
  EXPECT_EQ(read_data(settings).graphs.size(), 2U);
}

}  // namespace
}  // namespace agentnet
