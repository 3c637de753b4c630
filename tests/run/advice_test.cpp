#include "run/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/data.h"
#include "agentnet/predict.h"
#include "nets/agentnet/parameters.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;

Schema schema() {
  Schema schema;
  schema.task = Task::kClassification;
  schema.targets = {"y"};
  schema.classes = {"a", "b", "c"};
  schema.nodes = {{"x", "y"}, {{"label", {"0", "1"}}, {"kind", {"p", "q", "r"}}}};
  schema.edges = {{}, {{"bond", {"1"}}}};
  return schema;
}

TEST(ShapeOf, GivesEveryVocabularyARowForWhatWasNeverSeen) {
  const DataShape shape = shape_of(schema());
  EXPECT_EQ(shape.node_features, 2);
  EXPECT_THAT(shape.node_categories, ElementsAre(3, 4));
  EXPECT_EQ(shape.edge_features, 0);
  EXPECT_THAT(shape.edge_categories, ElementsAre(2));
  EXPECT_EQ(shape.outputs, 3);
}

TEST(ShapeOf, HasAnOutputPerTargetOrClassAndTwoAtLeastForClasses) {
  Schema changed = schema();
  changed.classes = {"only"};
  EXPECT_EQ(shape_of(changed).outputs, 2);
  changed.task = Task::kRegression;
  changed.targets = {"a", "b", "c", "d"};
  EXPECT_EQ(shape_of(changed).outputs, 4);
  changed.task = Task::kNone;
  changed.targets.clear();
  EXPECT_EQ(shape_of(changed).outputs, 1);
}

TEST(ZeroUnseenCategories, ClearsTheLastRowOfEveryTableAndNothingElse) {
  AgentNetConfig config;
  config.hidden = 8;
  config.set_shape(shape_of(schema()));
  const ParameterLayout layout = agentnet_layout(config);
  const std::vector<float> before(layout.size(), 1.0F);
  std::vector<float> after = before;
  zero_unseen_categories<float>(layout, after);
  const auto zeros = [&](const char* name) {
    const Parameter& table = layout.at(name);
    const auto values = std::span(after).subspan(table.offset, table.size);
    EXPECT_TRUE(std::all_of(values.end() - 8, values.end(), [](float value) { return value == 0; })) << name;
    return std::count(values.begin(), values.end(), 0.0F);
  };
  EXPECT_EQ(zeros("embed.node.table.0.weight"), 8);
  EXPECT_EQ(zeros("embed.node.table.1.weight"), 8);
  EXPECT_EQ(zeros("embed.edge.table.0.weight"), 8);
  EXPECT_EQ(std::count(after.begin(), after.end(), 0.0F), 24);
}

// NCI1 has 4110 graphs: 129 steps in a pass.
TEST(Advice, EpochsArePassesAndEnoughOfThem) {
  TrainConfig train;
  train.batch = 32;
  EXPECT_EQ(suggested_epochs(train, 4110, Pace::kThorough), 100U);
  EXPECT_EQ(suggested_epochs(train, 4110, Pace::kQuick), 24U);
  EXPECT_EQ(suggested_epochs(train, 188, Pace::kThorough), 667U) << "4000 steps of 6 in a pass";
  EXPECT_EQ(suggested_epochs(train, 188, Pace::kQuick), 167U);
  EXPECT_EQ(suggested_epochs(train, 8000, Pace::kThorough), 62U) << "half a million graphs";
  train.batch = 128;
  EXPECT_EQ(suggested_epochs(train, 12000, Pace::kThorough), 43U);
  EXPECT_EQ(suggested_epochs(train, 130'000, Pace::kThorough), 20U);
  EXPECT_EQ(suggested_epochs(train, 130'000, Pace::kQuick), 1U);
  EXPECT_EQ(suggested_epochs(train, 1, Pace::kThorough), 4000U);
  EXPECT_EQ(suggested_interval(24), 1U);
  EXPECT_EQ(suggested_interval(667), 8U);
}

TEST(Advice, FollowsTheSizeAndBalanceOfTheSet) {
  const Dataset data = read_data("synthetic:csl", {});
  const SetStatistics statistics = statistics_of(data);
  const Advice advice = advise(data, statistics);
  EXPECT_EQ(advice.train.metric, "accuracy");
  EXPECT_EQ(agentnet_config(advice.model).agents, static_cast<int>(statistics.nodes.mean));
  EXPECT_LE(static_cast<std::size_t>(advice.train.batch), data.graphs.size());
  EXPECT_GT(measure_step_seconds(data, *builtin_kinds().make(advice.model), advice.train, 1), 0);

  Dataset binary = read_data("synthetic:motif", {});
  SetStatistics rare = statistics_of(binary);
  ASSERT_EQ(rare.class_counts.size(), 2U);
  EXPECT_EQ(advise(binary, rare).train.metric, "accuracy");
  EXPECT_EQ(advise(binary, rare).train.choose_by, "log-loss");
  EXPECT_EQ(advise(binary, rare).train.rollouts, 4);
  EXPECT_EQ(advice.train.choose_by, "metric") << "of many classes";
  rare.class_counts = {95, 5};
  EXPECT_EQ(advise(binary, rare).train.metric, "roc-auc");
}

}  // namespace
}  // namespace agentnet
