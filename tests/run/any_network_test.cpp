// Trainer, runs, model files, settings and prediction with a network that has nothing in common with AgentNet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentnet/error.h"
#include "agentnet/explain.h"
#include "agentnet/predict.h"
#include "data/splits/splits.h"
#include "data/tables/statistics.h"
#include "nets/model_inside.h"
#include "run/run.h"
#include "run/settings.h"
#include "support/mean_network.h"
#include "support/temp_folder.h"
#include "train/trainer.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

// One number per node; the target is a function of their mean.
Dataset numbers(Task task) {
  Dataset data;
  data.source = "numbers";
  data.schema.task = task;
  data.schema.targets = {"y"};
  if (task == Task::kClassification) data.schema.classes = {"small", "large"};
  data.schema.nodes.dense = {"x"};
  for (int g = 0; g < 40; ++g) {
    GraphParts parts;
    parts.num_nodes = 2;
    const auto x = static_cast<float>(g % 10) / 10;
    parts.node_dense = {x, x + 0.1F};
    data.graphs.add(Graph(parts), std::vector<double>{task == Task::kRegression ? 3 * x + 100 : double(g % 10 >= 5)});
  }
  return data;
}

Settings settings_for(const Dataset& data) {
  Settings settings;
  settings.source = data.source;
  settings.split = "random:0.6,0.2,0.2";
  settings.model = {.kind = "mean", .options = "{}", .shape = shape_of(data.schema)};
  settings.train.epochs = 30;
  settings.train.batch = 8;
  settings.train.learning_rate = 0.05;
  settings.train.metric = data.schema.task == Task::kRegression ? "mae" : "accuracy";
  return settings;
}

struct MeanRun : testing::Test {
  static RunSeams seams() { return {.kinds = &kinds_with_mean_network()}; }
  RunResult run(const Dataset& data, const Settings& settings, const char* name) {
    const Split split = make_splits(data, settings.split, 0).front();
    std::filesystem::create_directory(folder / name);
    return run_training(folder / name, settings, data, split, {}, seams());
  }
  Model load(const char* name) {
    return ModelInside::load(folder / name / "model.safetensors", kinds_with_mean_network());
  }
  TempFolder folder;
};

TEST_F(MeanRun, LearnsSavesAndPredicts) {
  const Dataset data = numbers(Task::kRegression);
  const RunResult result = run(data, settings_for(data), "run");
  EXPECT_LT(result.parts.back().model.front().value, 0.5) << "mean error; that of the best constant is 0.75";
  const Model model = load("run");
  EXPECT_EQ(model.config().kind, "mean");
  EXPECT_FALSE(model.draws());
  EXPECT_FALSE(model.walks());
  const Predictions said = predict(model, data.graphs.views(), {.rollouts = 8});
  EXPECT_EQ(said.rollouts.front(), 1) << "it draws nothing, so that one run says all";
  EXPECT_NEAR(said.mean.front(), 100, 1) << "in the units of the data";
  EXPECT_NE(ModelInside::buffers(model).front(), 0) << "the statistic travels with the weights";
}

TEST_F(MeanRun, ResumesToTheSameBytes) {
  const Dataset data = numbers(Task::kClassification);
  const Settings settings = settings_for(data);
  static_cast<void>(run(data, settings, "whole"));
  const Split split = make_splits(data, settings.split, 0).front();
  RunControl stopped;
  stopped.checkpoint_seconds = 0;
  int steps = 0;
  stopped.should_stop = [&] { return ++steps % 7 == 0; };
  Ending ending = Ending::kInterrupted;
  std::filesystem::create_directory(folder / "parts");
  while (ending == Ending::kInterrupted) {
    ending = run_training(folder / "parts", settings, data, split, stopped, seams()).ending;
  }
  const Model whole = load("whole"), parts = load("parts");
  EXPECT_TRUE(std::ranges::equal(whole.parameters(), parts.parameters()));
  EXPECT_TRUE(std::ranges::equal(ModelInside::buffers(whole), ModelInside::buffers(parts)));
}

TEST_F(MeanRun, GivesTheSameBytesForAnyNumberOfThreads) {
  const Dataset data = numbers(Task::kClassification);
  const Settings settings = settings_for(data);
  const Split split = make_splits(data, settings.split, 0).front();
  std::vector<Snapshot> ends;
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    Trainer trainer(data, split, kMeanNetwork.make_float(settings.model), settings.train, pool);
    while (!trainer.finished()) static_cast<void>(trainer.step());
    ends.push_back(trainer.snapshot());
  }
  for (const Snapshot& end : ends) EXPECT_EQ(end, ends.front());
}

TEST_F(MeanRun, ItsModelFileIsUnknownToAProgramWithoutIt) {
  const Dataset data = numbers(Task::kClassification);
  static_cast<void>(run(data, settings_for(data), "run"));
  try {
    static_cast<void>(Model::load(folder / "run" / "model.safetensors"));
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_THAT(error.what(), HasSubstr("a network of kind 'mean' is not known to this program"));
  }
}

TEST_F(MeanRun, WhatIsNoWalkIsRefusedInWords) {
  const Dataset data = numbers(Task::kClassification);
  static_cast<void>(run(data, settings_for(data), "run"));
  const Model model = load("run");
  const auto views = data.graphs.views();
  EXPECT_THROW(static_cast<void>(model.run(views, {.greedy = true})), Error);
  Walks walks;
  EXPECT_THROW(static_cast<void>(model.run(views, {}, &walks)), Error);
  try {
    static_cast<void>(explain(model, views, {}));
    FAIL() << "explained";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
    EXPECT_THAT(error.what(), HasSubstr("explanations show where agents walked"));
  }
}

TEST(SettingsOfAnyNetwork, OptionsAreThoseOfItsKind) {
  const Dataset data = numbers(Task::kClassification);
  std::vector<Choice> choices;
  SettingsLayers layers = SettingsInside::with_kinds(kinds_with_mean_network());
  layers.text("[model]\nbias = false\nkind = \"mean\"\n", "run.toml");
  const Settings settings = layers.resolve(data, &choices);
  EXPECT_EQ(settings.model.kind, "mean");
  EXPECT_EQ(settings.model.options, R"({"bias":false})");
  const std::string toml = to_toml(settings, kinds_with_mean_network());
  EXPECT_THAT(toml, HasSubstr("kind = \"mean\""));
  EXPECT_TRUE(says(toml, "run.toml", settings, kinds_with_mean_network()));

  SettingsLayers wrong = SettingsInside::with_kinds(kinds_with_mean_network());
  wrong.text("[model]\nagents = 3\n", "run.toml");
  wrong.set("model.kind=mean");
  try {
    static_cast<void>(wrong.resolve(data));
    FAIL() << "resolved";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("run.toml:2:1: unknown model option 'agents'"));
  }
}

TEST(SettingsOfAnyNetwork, APresetSetsWhatTheKindHas) {
  const Dataset data = numbers(Task::kClassification);
  SettingsLayers layers = SettingsInside::with_kinds(kinds_with_mean_network());
  layers.preset("fast");
  layers.set("model.kind=mean");
  EXPECT_EQ(layers.resolve(data).train.learning_rate, 2e-3);
}

}  // namespace
}  // namespace agentnet
