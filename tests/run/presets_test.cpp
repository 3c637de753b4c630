#include "run/presets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "agentnet/config.h"
#include "agentnet/data.h"
#include "agentnet/error.h"
#include "data/tables/statistics.h"
#include "run/settings.h"
#include "support/graphs.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::HasSubstr;

// Numbers on edges, and a number to learn: what the presets for regression are made for.
Dataset distances() {
  Dataset data;
  data.schema.task = Task::kRegression;
  data.schema.targets = {"y"};
  data.schema.edges.dense = {"distance"};
  for (std::uint32_t n = 3; n < 9; ++n) {
    GraphParts parts = complete_graph(n);
    parts.edge_dense.assign(parts.from.size(), 1.0F);
    const double target = n;
    data.graphs.add(Graph(std::move(parts)), {&target, 1});
  }
  return data;
}

Settings resolve(std::string_view name) {
  const bool regression = name.starts_with("paper-zinc") || name.starts_with("paper-qm9") || name.starts_with("zinc-");
  const Dataset data = regression ? distances() : read_data("synthetic:4cycles?graphs=20", {});
  SettingsLayers layers;
  layers.preset(name);
  return layers.resolve(data);
}

TEST(Presets, EachResolvesToValidSettings) {
  for (const Preset& preset : presets()) {
    SCOPED_TRACE(preset.name);
    EXPECT_NO_THROW(static_cast<void>(resolve(preset.name)));
    EXPECT_EQ(preset.summary.find('\n'), std::string_view::npos);
  }
}

// The paper's text says 0.1, the published commands 0.01.
TEST(Presets, OfThePaperHaveBothWeightDecays) {
  for (const Preset& preset : presets()) {
    if (!preset.name.starts_with("paper-")) continue;
    SCOPED_TRACE(preset.name);
    EXPECT_EQ(resolve(preset.name).train.weight_decay, preset.name.ends_with("-text") ? 0.1 : 0.01);
  }
}

TEST(Presets, HaveTheirNamesOnceAndInTheDocument) {
  const std::string page = read_text(std::filesystem::path(AGENTNET_SOURCE_DIR) / "docs" / "settings.md");
  std::set<std::string_view> names;
  for (const Preset& preset : presets()) {
    if (!preset.name.ends_with("-text")) {  // which goes with another
      EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    }
    EXPECT_THAT(page, HasSubstr("| `" + std::string(preset.name) + "` | " + std::string(preset.summary) + " |"));
  }
  EXPECT_EQ(names,
            (std::set<std::string_view>{"fast", "paper-tu", "paper-synthetic", "paper-ogb", "paper-zinc", "paper-qm9",
                                        "zinc-pna", "zinc-crawl", "zinc-gsn", "zinc-dgn", "zinc-cin", "zinc-himp"}));
}

TEST(Presets, ThoseOfThePaperSayWhatThePaperSays) {
  for (const Preset& preset : presets()) {
    if (!preset.name.starts_with("paper-")) continue;
    SCOPED_TRACE(preset.name);
    const Settings settings = resolve(preset.name);
    EXPECT_EQ(settings.train.learning_rate, 1e-4);
    EXPECT_EQ(settings.train.clip, 1);
    EXPECT_EQ(settings.train.schedule, Schedule::kQuarterCosine);
    EXPECT_EQ(agentnet_config(settings.model).dropout, 0);
    EXPECT_DOUBLE_EQ(agentnet_config(settings.model).temperature, 2.0 / 3);
  }
  const Settings tu = resolve("paper-tu");
  EXPECT_EQ(tu.train.epochs, 350U);
  EXPECT_EQ(tu.train.steps_per_epoch, 50U);
  EXPECT_EQ(tu.train.sampling, Sampling::kReplacement);
  EXPECT_EQ(agentnet_config(tu.model).agents, 16);  // the number of nodes
  const Settings ogb = resolve("paper-ogb");
  EXPECT_EQ(ogb.split, "official");
  EXPECT_EQ(ogb.train.epochs, 100U);
  EXPECT_EQ(ogb.train.batch, 64);
  EXPECT_EQ(agentnet_config(ogb.model).hidden, 128);
  EXPECT_EQ(resolve("paper-synthetic").train.epochs * resolve("paper-synthetic").train.steps_per_epoch, 10000U);
  const Settings zinc = resolve("paper-zinc");
  EXPECT_EQ(zinc.split, "column:split");
  EXPECT_EQ(agentnet_config(zinc.model).agents, 37);
  EXPECT_EQ(zinc.train.epochs, 2000U);
  const Settings qm9 = resolve("paper-qm9");
  EXPECT_TRUE(qm9.data.distances);
  EXPECT_TRUE(agentnet_config(qm9.model).edge_kernel);
  EXPECT_TRUE(agentnet_config(qm9.model).head_mlp);
  EXPECT_TRUE(qm9.train.standardise);
}

TEST(Presets, ThoseOfOtherNetworksNameTheirKind) {
  for (const std::string kind : {"pna", "crawl", "gsn", "dgn", "cin", "himp"}) {
    const Settings settings = resolve("zinc-" + kind);
    EXPECT_EQ(settings.model.kind, kind);
    EXPECT_EQ(settings.train.schedule, Schedule::kPlateau) << kind;
    EXPECT_EQ(settings.train.learning_rate, 1e-3) << kind;
  }
  const auto options = [](const char* preset) { return nlohmann::json::parse(resolve(preset).model.options); };
  EXPECT_EQ(options("zinc-pna").at("layers"), 16);
  EXPECT_EQ(options("zinc-crawl").at("eval_steps"), 150);
  EXPECT_EQ(resolve("zinc-himp").train.epochs, 300U);
}

TEST(Presets, OfAnUnknownNameSuggestTheNearest) {
  try {
    static_cast<void>(preset_named("paper-tud"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.hint(), "did you mean 'paper-tu'?");
  }
}

}  // namespace
}  // namespace agentnet
