#include "train/feature_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "agentnet/train.h"
#include "core/random.h"
#include "data/huge/mapped_set.h"
#include "graph/set_arrays.h"
#include "nets/model_inside.h"
#include "support/small_network.h"
#include "support/temp_folder.h"
#include "train/trainer.h"

namespace agentnet {
namespace {

using testing::IsEmpty;

// One graph per row.
GraphSet rows_of(const std::vector<std::vector<float>>& rows) {
  GraphSet set;
  for (const std::vector<float>& row : rows) {
    GraphParts parts;
    parts.num_nodes = 1;
    parts.node_dense = row;
    set.add(Graph(parts), std::vector<double>{0});
  }
  return set;
}

std::vector<std::size_t> all_of(const GraphSet& set) {
  std::vector<std::size_t> graphs(set.size());
  std::iota(graphs.begin(), graphs.end(), std::size_t{0});
  return graphs;
}

ColumnSummary column(const std::vector<float>& values) {
  std::vector<std::vector<float>> rows;
  for (const float value : values) rows.push_back({value});
  const GraphSet set = rows_of(rows);
  return summarise_features(set, all_of(set)).nodes.at(0);
}

std::vector<float> normal_numbers(std::size_t count, double mean, double deviation) {
  RandomSequence random(1, Purpose::kTest);
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<float>(mean + deviation * random.normal()));
  return values;
}

TEST(FeatureScale, IsNearlyTheZScoreOfAnOrdinaryColumn) {
  const ColumnSummary c = column(normal_numbers(4000, 50, 3));
  EXPECT_NEAR(c.scale.centre, 50, 0.2);
  EXPECT_NEAR(c.scale.spread, 3, 0.15);
  EXPECT_EQ(c.different, 3U);
}

TEST(FeatureScale, AFewOutliersDoNotPressTheOthersTogether) {
  std::vector<float> values = normal_numbers(4000, 50, 3);
  for (std::size_t i = 0; i < 10; ++i) values[i * 300] = 1e9F;
  const ColumnSummary c = column(values);
  EXPECT_NEAR(c.scale.centre, 50, 0.3);
  EXPECT_NEAR(c.scale.spread, 3, 0.3);
  EXPECT_EQ(c.most, 1e9F);
}

TEST(FeatureScale, AColumnThatIsMostlyZeroStillHasASpread) {
  std::vector<float> values(1000, 0.0F);
  values[10] = 4;
  values[500] = 2;
  const ColumnSummary c = column(values);
  EXPECT_NEAR(c.scale.centre, 0.006, 1e-6);
  EXPECT_NEAR(c.scale.spread, std::sqrt(0.02 - 0.006 * 0.006), 1e-6);
}

TEST(FeatureScale, OneValueIsReadAsOneAndTwoAsNoAndYes) {
  EXPECT_EQ(column({7, 7, 7}).scale, (ColumnScale{6, 1}));
  EXPECT_EQ(column({0, 0, 0}).scale, (ColumnScale{0, 1})) << "zeros stay";
  EXPECT_EQ(column({1, 1}).scale, (ColumnScale{0, 1})) << "as nodes without features";
  EXPECT_EQ(column({1, 0, 1}).scale, (ColumnScale{0, 1}));
  EXPECT_EQ(column({-2, 6, 6, -2}).scale, (ColumnScale{-2, 8}));
  const GraphSet flags = rows_of({{0, 1}, {1, 1}});
  EXPECT_TRUE(scale_of(summarise_features(flags, all_of(flags))).empty()) << "nothing would change";
}

TEST(FeatureScale, LooksAtTheChosenGraphsAlone) {
  const GraphSet set = rows_of({{1}, {2}, {3}, {1000}});
  EXPECT_EQ(summarise_features(set, std::vector<std::size_t>{0, 2, 1}).nodes.at(0).most, 3);
  EXPECT_THAT(summarise_features(set, {}).nodes, IsEmpty());
}

// Of very many rows a sample is read: as many from each stretch, and the same every time.
TEST(FeatureScale, SamplesVeryManyRows) {
  constexpr std::size_t kNodes = 1'000'000;
  GraphSet set;
  for (int g = 0; g < 3; ++g) {
    GraphParts parts;
    parts.num_nodes = kNodes;
    for (std::size_t v = 0; v < kNodes; ++v)
      parts.node_dense.push_back(static_cast<float>(v % 1000 + 5000 * static_cast<std::size_t>(g)));
    set.add(Graph(parts), std::vector<double>{0});
  }
  const FeatureSummary summary = summarise_features(set, all_of(set));
  const double deviation = std::sqrt(5000.0 * 5000.0 * 2 / 3 + 1000.0 * 1000.0 / 12);
  EXPECT_NEAR(summary.nodes.at(0).mean, 5499.5, 20);
  EXPECT_NEAR(summary.nodes.at(0).deviation, deviation, 20);
  EXPECT_EQ(scale_of(summarise_features(set, all_of(set))), scale_of(summary));
}

// As ENZYMES is: many columns of different size, some that never change, one that is almost always zero, and a rule
// that depends on two of them.
struct Attributes {
  float factor = 1, shift = 0;
};
Dataset attributed(Attributes a, std::size_t graphs = 60) {
  RandomSequence random(3, Purpose::kTest);
  Dataset data;
  data.source = "attributed";
  data.schema.task = Task::kClassification;
  data.schema.nodes.dense = {"size", "bulk", "never", "rare"};
  data.schema.edges.dense = {"length"};
  data.schema.targets = {"y"};
  data.schema.classes = {"A", "B"};
  for (std::size_t g = 0; g < graphs; ++g) {
    GraphParts parts;
    parts.num_nodes = 5;
    parts.from = {0, 1, 2, 3};
    parts.to = {1, 2, 3, 4};
    parts.undirected = true;
    const bool large = random.below(2) == 1;
    // Whole eighths: a factor that is a power of two and such a shift are exact in single precision.
    const auto eighths = [&](double mean, double deviation) {
      return static_cast<float>(std::round(8 * (mean + deviation * random.normal())) / 8);
    };
    for (int v = 0; v < 5; ++v) {
      for (const float x : {eighths(large ? 130 : 100, 20), eighths(3, 1), 7.0F, random.below(40) == 0 ? 2.5F : 0.0F}) {
        parts.node_dense.push_back(a.factor * x + a.shift);
      }
    }
    for (int e = 0; e < 4; ++e) parts.edge_dense.push_back(a.factor * eighths(60, 5) + a.shift);
    data.graphs.add(Graph(parts), std::vector<double>{large ? 1.0 : 0.0});
  }
  return data;
}

TrainResult trained(const Dataset& data, Features features, std::uint64_t epochs = 12) {
  Split split;  // without a part to choose by, whose walks are keyed by the graphs' content
  for (std::size_t g = 0; g < data.graphs.size(); ++g) (g % 4 == 3 ? split.test : split.train).push_back(g);
  TrainConfig config;
  config.epochs = epochs;
  config.batch = 8;
  config.learning_rate = 5e-3;
  config.features = features;
  return train(data, split, small_agentnet(data.schema, 8), config);
}

std::vector<float> answers(const Model& model, const Dataset& data) { return model.run(data.graphs.views(), {}); }

TEST(FeatureScale, WhatStretchesAndMovesAllNumbersChangesNoPrediction) {
  const Dataset data = attributed({}), other = attributed({.factor = 1024, .shift = 4096});
  const TrainResult here = trained(data, Features::kStandardised), there = trained(other, Features::kStandardised);
  const std::vector<float> a = answers(here.model, data), b = answers(there.model, other);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-3 * (1 + std::abs(a[i]))) << i;
  const TrainResult raw_here = trained(data, Features::kRaw), raw_there = trained(other, Features::kRaw);
  EXPECT_GT(std::abs(raw_here.history.back().loss - raw_there.history.back().loss), 0.01) << "raw, it does";
  EXPECT_LT(here.history.back().loss, raw_there.history.back().loss - 0.1) << "which learns less";
}

TEST(FeatureScale, TheModelCarriesItAndReadsRawNumbers) {
  const TempFolder folder;
  const Dataset data = attributed({});
  const TrainResult result = trained(data, Features::kStandardised, 3);
  const InputScale& scale = ModelInside::inputs(result.model);
  ASSERT_EQ(scale.nodes.size(), 4U);
  EXPECT_NEAR(scale.nodes[0].centre, 115, 12);
  EXPECT_EQ(scale.nodes[2], (ColumnScale{6, 1}));
  ASSERT_EQ(scale.edges.size(), 1U);
  result.model.save(folder / "m");
  EXPECT_EQ(answers(Model::load(folder / "m"), data), answers(result.model, data));
  EXPECT_TRUE(ModelInside::inputs(trained(data, Features::kRaw, 3).model).empty());
}

TEST(FeatureScale, AMappedSetIsReadAsTheSameSetInMemory) {
  const TempFolder folder;
  const Dataset data = attributed({});
  static_cast<void>(write_mapped_set(data, folder / "set.agentset"));
  const Dataset mapped = read_data(folder / "set.agentset", {});
  ASSERT_NE(mapped.graphs.arrays().mapping, nullptr);
  const TrainResult here = trained(data, Features::kStandardised, 3),
                    there = trained(mapped, Features::kStandardised, 3);
  EXPECT_EQ(ModelInside::inputs(here.model), ModelInside::inputs(there.model));
  EXPECT_EQ(answers(here.model, data), answers(there.model, mapped));
}

TEST(FeatureScale, AModelToStartFromBringsItsOwn) {
  const Dataset data = attributed({}), other = attributed({.factor = 2});
  const TrainResult first = trained(data, Features::kStandardised, 3);
  Split split;
  split.train = all_of(other.graphs);
  TrainConfig config;
  config.epochs = 1;
  config.batch = 8;
  const TrainResult second =
      train(other, split, small_agentnet(other.schema, 8), config, 1, {}, {.model = &first.model});
  EXPECT_EQ(ModelInside::inputs(second.model), ModelInside::inputs(first.model))
      << "which its weights were learned with";
}

}  // namespace
}  // namespace agentnet
