#include "paper/experiments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "agentnet/compare.h"
#include "agentnet/config.h"
#include "agentnet/error.h"
#include "agentnet/metrics.h"
#include "data/synthetic/synthetic.h"
#include "paper/methods.h"
#include "paper/public_data.h"
#include "paper/run_experiment.h"
#include "support/shared_dir.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Experiments, HaveNamesOfTheirOwnThatAreFoldersToo) {
  std::set<std::string> names;
  for (const Experiment& e : experiments()) {
    EXPECT_TRUE(names.insert(e.name).second) << e.name;
    EXPECT_EQ(e.name.find_first_of("/ ."), std::string::npos) << e.name;
    EXPECT_NE(e.name, "data");  // which is a folder beside theirs
    EXPECT_THAT(e.summary, Not(HasSubstr("\n"))) << e.name;
    EXPECT_FALSE(e.place.empty()) << e.name;
    EXPECT_EQ(metric_name(metric_from_name(e.metric)), e.metric);
    EXPECT_TRUE(!e.paper.empty() || !e.others.empty()) << e.name;
  }
  for (const Experiment& e : experiments()) {
    EXPECT_TRUE(!names.contains(e.group)) << e.group << " is an experiment and a group";
  }
}

TEST(Experiments, CoverThePaper) {
  for (const char* name : {"4cycles",      "4cycles-simplified",
                           "csl",          "csl-simplified",
                           "2wl",          "2wl-simplified",
                           "2wl-random",   "ladder",
                           "ladder-cells", "MUTAG",
                           "PTC",          "PROTEINS",
                           "IMDB-B",       "IMDB-M",
                           "DD",           "REDDIT-B",
                           "ogbg-molhiv",  "zinc",
                           "qm9",          "dd-grid",
                           "tu-1",         "ablation",
                           "ogb-ablation"}) {
    EXPECT_FALSE(experiments_named(name).empty()) << name;
  }
  EXPECT_EQ(experiments_named("qm9").size(), 12U);
  EXPECT_EQ(experiments_named("MUTAG").front()->paper, "93.6 ± 8.6");
  EXPECT_EQ(experiments_named("DD-1").front()->paper, "67.4 ± 3.0");
  EXPECT_EQ(experiments_named("2wl-no-node-update").front()->paper, "98.9 ± 0.6");
  EXPECT_EQ(experiments_named("ogbg-molhiv-random").front()->paper, "77.89 ± 1.29");
}

TEST(Experiments, AreFoundByTheNameOfTheirSetToo) {
  EXPECT_EQ(experiments_named("IMDB-BINARY").front()->name, "IMDB-B");
}

TEST(Experiments, AnUnknownNameGetsASuggestion) {
  try {
    static_cast<void>(experiments_named("4cylces"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kUsage);
    EXPECT_EQ(e.hint(), "did you mean '4cycles'?");
  }
  EXPECT_THROW(static_cast<void>(experiments_named("")), Error);
  EXPECT_THROW(static_cast<void>(scale_from_name("huge")), Error);
}

// The recipes of built-in sets, on these sets, at every scale.
TEST(Experiments, OfBuiltInSetsResolveAtEveryScale) {
  for (const Experiment& e : experiments()) {
    if (e.test_on != TestOn::kFreshGraphs) continue;
    for (const Scale scale : kScales) {
      SCOPED_TRACE(e.name + " " + std::string(scale_name(scale)));
      const std::string source = training_graphs(e, scale, 2), fresh = fresh_graphs(e, scale, 2);
      EXPECT_NE(source, fresh);
      EXPECT_GE(e.at(scale).seeds, 1U);
      EXPECT_GE(e.at(scale).fresh, scale == Scale::kTiny ? 10U : 300U);
      const Dataset data = make_synthetic(source);
      EXPECT_EQ(data.graphs.size(), e.at(scale).graphs);
      const Settings settings = resolved_settings(experiment_settings(e, "", scale, 2, source, {}), data);
      EXPECT_EQ(settings.train.metric, e.metric);
      EXPECT_EQ(settings.source, source);
    }
  }
}

// Settings that need no data are read and known even where the sets are not.
TEST(Experiments, OfPublicSetsHaveSettingsThatAreKnown) {
  for (const Experiment& e : experiments()) {
    for (const Scale scale : kScales) {
      const SettingsLayers layers = experiment_settings(e, "", scale, 0, "somewhere", {});
      EXPECT_TRUE(layers.has("train.metric")) << e.name;
      EXPECT_TRUE(layers.has("data.split")) << e.name;
      EXPECT_NO_THROW(static_cast<void>(layers.data_settings())) << e.name;
    }
  }
}

TEST(Experiments, OfPublicSetsResolveOnThem) {
  const auto shared = shared_dir();
  if (!shared) GTEST_SKIP() << kNoSharedDir;
  const TempFolder folder;
  std::set<std::string> seen;  // one of each kind: reading takes long
  for (const Experiment& e : experiments()) {
    if (e.test_on == TestOn::kFreshGraphs || !seen.insert(e.data + e.group).second) continue;
#ifdef AGENTNET_SANITIZED
    if (e.data != "MUTAG" && e.data != "PTC") continue;  // the others take long to read
#endif
    std::optional<Dataset> data;
    for (const Scale scale : kScales) {
      SCOPED_TRACE(e.name + " " + std::string(scale_name(scale)));
      const std::string source = experiment_source(e, scale, 0, *shared / "data", folder.path());
      const SettingsLayers layers = experiment_settings(e, "", scale, 0, source, {});
      if (!data) data = read_data(source, layers.data_settings().data);
      const Settings settings = resolved_settings(layers, *data);
      EXPECT_EQ(settings.train.metric, e.metric);
      if (e.test_on != TestOn::kFolds) continue;
      EXPECT_NO_THROW(check_protocols({}, settings.train));
    }
  }
}

// The paper reads nodes' labels and nothing else, whatever the file at hand has besides.
TEST(Experiments, OfTuSetsReadLabelsOfNodesAlone) {
  for (const Experiment& e : experiments()) {
    if (e.test_on != TestOn::kFolds) continue;
    const DataOptions options = experiment_settings(e, "", Scale::kFull, 0, "x", {}).data_settings().data;
    EXPECT_EQ(options.edge_columns, std::vector<std::string>{"none"}) << e.name;
    const bool labels = e.data != "IMDB-BINARY" && e.data != "IMDB-MULTI" && e.data != "REDDIT-BINARY";
    EXPECT_EQ(options.node_columns, labels ? std::vector<std::string>{"label"} : std::vector<std::string>{}) << e.name;
  }
  const auto shared = shared_dir();
  if (!shared) GTEST_SKIP() << kNoSharedDir;
  const Experiment& mutag = *experiments_named("MUTAG").front();
  const DataOptions options = experiment_settings(mutag, "", Scale::kFull, 0, "x", {}).data_settings().data;
  for (const char* file : {"TU", "MUTAG.txt.xz"}) {  // with bonds and without; the tags of the latter are the labels
    const Dataset data = read_data((*shared / "data" / "MUTAG" / file).string(), options);
    const DataShape shape = shape_of(data.schema);
    EXPECT_EQ(shape.node_categories, std::vector<int>{8}) << file;  // 7, and one for what was never seen
    EXPECT_EQ(shape.node_features, 0) << file;
    EXPECT_EQ(shape.edge_features, 0) << file;
    EXPECT_TRUE(shape.edge_categories.empty()) << file;
  }
}

TEST(Experiments, OfMolhivAskOneYesNoQuestion) {
  const Experiment& e = *experiments_named("ogbg-molhiv").front();
  EXPECT_EQ(experiment_settings(e, "", Scale::kFull, 0, "x", {}).data_settings().data.task, Task::kMultilabel);
}

// Another method keeps the data and the training, and has its own [model].
TEST(Experiments, AnotherMethodIsTrainedTheSameWay) {
  const Experiment& e = *experiments_named("2wl-simplified").front();
  const std::string source = training_graphs(e, Scale::kSmall, 0);
  const Dataset data = make_synthetic(source);
  const Settings ours = resolved_settings(experiment_settings(e, "", Scale::kSmall, 0, source, {}), data);
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    const Settings theirs = resolved_settings(experiment_settings(e, method.name, Scale::kSmall, 0, source, {}), data);
    EXPECT_THAT(method.toml, HasSubstr("kind = \"" + theirs.model.kind + "\""));
    EXPECT_EQ(theirs.train.epochs, ours.train.epochs);
    EXPECT_EQ(theirs.train.batch, ours.train.batch);
    EXPECT_EQ(theirs.train.seed, ours.train.seed);
    EXPECT_EQ(theirs.split, ours.split);
  }
  const Settings random = resolved_settings(experiment_settings(e, "gin-random", Scale::kSmall, 0, source, {}), data);
  EXPECT_EQ(nlohmann::json::parse(random.model.options).at("random_features"), 1);
  const Settings crawl = resolved_settings(experiment_settings(e, "crawl", Scale::kSmall, 0, source, {}), data);
  EXPECT_EQ(nlohmann::json::parse(crawl.model.options).at("steps"), 50);  // not AgentNet's, which the preset has
}

TEST(Methods, AnyKindIsOneAndATypoGetsASuggestion) {
  EXPECT_THAT(method_named("wl").toml, HasSubstr("kind = \"wl\""));
  try {
    static_cast<void>(method_named("dropign"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kUsage);
    EXPECT_EQ(e.hint(), "did you mean 'dropgin'?");
  }
  EXPECT_THROW(static_cast<void>(method_named("agentnet")), Error);
}

TEST(Experiments, SeedsOfRunsAndFoldsDoNotMeet) {
  const Experiment& mutag = *experiments_named("MUTAG").front();
  const auto seed = [&](std::uint64_t s) {
    return experiment_settings(mutag, "", Scale::kFull, s, "x", {}).data_settings().train.seed;
  };
  EXPECT_GE(seed(1) - seed(0), mutag.at(Scale::kFull).folds);
}

TEST(Experiments, SettingsOfTheUserHaveTheLastWord) {
  const Experiment& e = *experiments_named("4cycles").front();
  EXPECT_EQ(agentnet_config(experiment_settings(e, "", Scale::kFull, 0, "x", {"model.hidden=7"}).data_settings().model)
                .hidden,
            7);
  EXPECT_THROW(static_cast<void>(experiment_settings(e, "", Scale::kFull, 0, "x", {"model.hiden=7"})), Error);
}

}  // namespace
}  // namespace agentnet
