#include "paper/experiments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "agentnet/compare.h"
#include "agentnet/config.h"
#include "agentnet/error.h"
#include "agentnet/metrics.h"
#include "data/synthetic/synthetic.h"
#include "paper/methods.h"
#include "paper/public_data.h"
#include "paper/results.h"
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
                           "ogb-ablation", "convergence",
                           "ogb-agents",   "ogbg-molpcba",
                           "ogbg-ppa",     "2wl-ours"}) {
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
    if (!is_built_in(e)) continue;
    for (const Scale scale : kScales) {
      SCOPED_TRACE(e.name + " " + std::string(scale_name(scale)));
      const std::string source = training_graphs(e, "", scale, 2, {}), fresh = fresh_graphs(e, scale, 2);
      EXPECT_NE(source, fresh);
      EXPECT_GE(e.at(scale).seeds, 1U);
      EXPECT_GE(e.at(scale).fresh, scale == Scale::kTiny ? 10U : 300U);
      const Dataset data = make_synthetic(source);
      const Settings settings = resolved_settings(experiment_settings(e, "", scale, 2, source, {}), data);
      const std::size_t learned = e.one_batch ? static_cast<std::size_t>(settings.train.batch) : e.at(scale).graphs;
      const bool in_sight = e.test_on == TestOn::kWhileLearning;
      EXPECT_EQ(data.graphs.size(), learned + (in_sight ? e.at(scale).fresh : 0));
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
    if (is_built_in(e) || e.group == "ogb-large" || !seen.insert(e.data + (e.group == "tu-1" ? "1" : "")).second) {
      continue;
    }
#ifdef AGENTNET_SANITIZED
    if (e.data != "MUTAG" && e.data != "PTC") continue;  // the others take long to read
#endif
    std::optional<Dataset> data;
    for (const Scale scale : kScales) {
      SCOPED_TRACE(e.name + " " + std::string(scale_name(scale)));
      PaperOptions options;
      options.scale = scale;
      options.data = *shared / "data";
      options.folder = folder.path();
      const std::string source = experiment_source(e, options, 0);
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
  const std::string source = training_graphs(e, "", Scale::kSmall, 0, {});
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

// The authors' training set is a single batch with as many graphs of each class; the size of the batch decides.
TEST(Experiments, OfTableOneLearnFromOneBalancedBatch) {
  for (const char* name : {"4cycles", "csl", "2wl", "2wl-simplified", "csl-no-node-update"}) {
    for (const int batch : {50, 300}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(batch));
      const Experiment& e = *experiments_named(name).front();
      const std::vector<std::string> set = {"train.batch=" + std::to_string(batch)};
      const std::string source = training_graphs(e, "", Scale::kFull, 1, set);
      const Dataset data = make_synthetic(source);
      const Settings settings = resolved_settings(experiment_settings(e, "", Scale::kFull, 1, source, set), data);
      EXPECT_EQ(settings.train.batch, batch);
      EXPECT_EQ(settings.train.sampling, Sampling::kShuffle);
      EXPECT_EQ(settings.train.steps_per_epoch, 1U);
      EXPECT_EQ(settings.train.epochs, 10000U);
      std::map<double, int> of_class;
      for (int g = 0; g < batch; ++g) ++of_class[data.graphs.targets(static_cast<std::size_t>(g))[0]];
      for (const auto& [label, count] : of_class) {
        EXPECT_EQ(count, batch / static_cast<int>(data.schema.classes.size())) << label;
      }
    }
  }
}

TEST(Experiments, PointsOfAGridAreAllChoices) {
  const Experiment& e = *experiments_named("2wl").front();
  const std::vector<GridPoint> points = grid_points(e, "");
  ASSERT_EQ(points.size(), 2U * 2 * 3 * 2 * 2);
  std::set<std::string> names;
  for (const GridPoint& point : points) names.insert(point.name);
  EXPECT_EQ(names.size(), points.size());
  EXPECT_EQ(points.front().name, "batch=50,hidden=64,learning_rate=1e-3,steps=16,agents=2");
  const Settings settings =
      experiment_settings(e, "", Scale::kFull, 0, "synthetic:2wl", points.back().set).data_settings();
  EXPECT_EQ(settings.train.batch, 300);
  EXPECT_EQ(agentnet_config(settings.model).agents, 16);
  // A method has the options that it has: GIN no agents, and CRaWl its own layers.
  EXPECT_EQ(grid_points(e, "gin").size(), 2U * 2 * 3 * 3);
  EXPECT_EQ(grid_points(*experiments_named("MUTAG").front(), "").size(), 12U);
  EXPECT_TRUE(grid_points(*experiments_named("ladder-16").front(), "").empty());
}

// On small files in OGB's layout: many questions with blanks, and graphs with features of edges alone.
TEST(Experiments, OfTheLargerOgbSetsReadTheOfficialLayout) {
  const TempFolder folder;
  const auto put = [&](const std::string& set, const std::string& edge_features, const std::string& labels) {
    const auto raw = folder / set / "raw", split = folder / set / "split" / "scaffold";
    std::filesystem::create_directories(raw);
    std::filesystem::create_directories(split);
    std::string nodes, counts, edges, features;
    for (int g = 0; g < 6; ++g) {
      nodes += "3\n";
      counts += "2\n";
      edges += "0,1\n1,2\n";
      features += edge_features + edge_features;
    }
    write_text(raw / "num-node-list.csv", nodes);
    write_text(raw / "num-edge-list.csv", counts);
    write_text(raw / "edge.csv", edges);
    write_text(raw / "edge-feat.csv", features);
    write_text(raw / "graph-label.csv", labels);
    write_text(split / "train.csv", "0\n1\n");
    write_text(split / "valid.csv", "2\n3\n");
    write_text(split / "test.csv", "4\n5\n");
  };
  put("ogbg_ppa", "0.1,0.2,0.3,0.4,0.5,0.6,0.7\n", "0\n1\n2\n0\n1\n2\n");
  put("ogbg_molpcba", "0,0,1\n", "0,,1\n1,0,0\n0,1,1\n1,0,0\n0,1,1\n1,1,0\n");
  for (const char* name : {"ogbg-ppa", "ogbg-molpcba"}) {
    SCOPED_TRACE(name);
    const Experiment& e = *experiments_named(name).front();
    PaperOptions options;
    options.scale = Scale::kTiny;
    options.data = folder.path();
    options.folder = folder / "out";
    ASSERT_TRUE(run_experiment(e, options, {}));
    const auto results = collect_results(options.folder);
    const auto& seed = std::ranges::find(results, &e, &ExperimentResult::experiment)->seeds.front();
    EXPECT_EQ(seed.metric, e.metric);
    EXPECT_EQ(seed.tested_on, "2 graphs of the test part");
    EXPECT_EQ(seed.one_rollout.size(), 1U);
  }
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
