#include "nets/agentnet/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "support/model_variants.h"
#include "support/statistics.h"

namespace agentnet {
namespace {

constexpr double kUnlikely = 1e-4;  // all seeds are fixed, see moves_test.cpp

bool has(const std::string& variant, const std::string& part_of_a_name) {
  const ParameterLayout layout = agentnet_layout(variant_named(variant).config);
  return std::any_of(layout.all().begin(), layout.all().end(),
                     [&](const Parameter& p) { return p.name.find(part_of_a_name) != std::string::npos; });
}

TEST(ParameterLayout, FillsTheBufferWithoutHolesAndOverlaps) {
  for (const ModelVariant& variant : model_variants()) {
    SCOPED_TRACE(variant.name);
    const ParameterLayout layout = agentnet_layout(variant.config);
    std::set<std::string> names;
    std::size_t next = 0;
    for (const Parameter& p : layout.all()) {
      EXPECT_TRUE(names.insert(p.name).second) << p.name << " is there twice";
      EXPECT_EQ(p.offset, next) << p.name;
      std::size_t size = 1;
      for (const std::int64_t d : p.shape) size *= static_cast<std::size_t>(d);
      EXPECT_EQ(p.size, size) << p.name;
      EXPECT_GT(p.size, 0u) << p.name;
      next += p.size;
      EXPECT_EQ(&layout.at(p.name), &p);
      EXPECT_EQ(layout.find(p.name), &p);
    }
    EXPECT_EQ(layout.size(), next);
    EXPECT_EQ(layout.find("nobody"), nullptr);
    EXPECT_THROW(static_cast<void>(layout.at("nobody")), std::logic_error);
  }
}

using NameAndShape = std::pair<std::string, std::vector<std::int64_t>>;

std::vector<NameAndShape> tensors(const AgentNetConfig& config) {
  const ParameterLayout layout = agentnet_layout(config);
  std::vector<NameAndShape> found;
  for (const Parameter& p : layout.all()) found.emplace_back(p.name, p.shape);
  return found;
}

// h = 4, k = 3, T = 3, m = 2, 3 features, 2 outputs.
TEST(ParameterLayout, OfAgentNetIsWhatModelFilesHold) {
  EXPECT_THAT(tensors(variant_named("AgentNet").config), testing::ElementsAreArray(std::vector<NameAndShape>{
                                                             {"agents.weight", {3, 4}},
                                                             {"embed.node.0.weight", {8, 3}},
                                                             {"embed.node.0.bias", {8}},
                                                             {"embed.node.1.weight", {4, 8}},
                                                             {"embed.node.1.bias", {4}},
                                                             {"time.table", {4, 4}},
                                                             {"time.0.weight", {8, 4}},
                                                             {"time.0.bias", {8}},
                                                             {"time.1.weight", {8, 8}},
                                                             {"time.1.bias", {8}},
                                                             {"node_update.norm.weight", {12}},
                                                             {"node_update.norm.bias", {12}},
                                                             {"node_update.0.weight", {16, 12}},
                                                             {"node_update.0.bias", {16}},
                                                             {"node_update.1.weight", {4, 16}},
                                                             {"node_update.1.bias", {4}},
                                                             {"node_update.time.weight", {12, 8}},
                                                             {"node_update.time.bias", {12}},
                                                             {"neighbourhood.norm.weight", {8}},
                                                             {"neighbourhood.norm.bias", {8}},
                                                             {"neighbourhood.0.weight", {16, 8}},
                                                             {"neighbourhood.0.bias", {16}},
                                                             {"neighbourhood.1.weight", {4, 16}},
                                                             {"neighbourhood.1.bias", {4}},
                                                             {"neighbourhood.time.weight", {8, 8}},
                                                             {"neighbourhood.time.bias", {8}},
                                                             {"agent_update.norm.weight", {8}},
                                                             {"agent_update.norm.bias", {8}},
                                                             {"agent_update.0.weight", {16, 8}},
                                                             {"agent_update.0.bias", {16}},
                                                             {"agent_update.1.weight", {4, 16}},
                                                             {"agent_update.1.bias", {4}},
                                                             {"agent_update.time.weight", {8, 8}},
                                                             {"agent_update.time.bias", {8}},
                                                             {"move.query.norm.weight", {4}},
                                                             {"move.query.norm.bias", {4}},
                                                             {"move.query.0.weight", {4, 4}},
                                                             {"move.query.0.bias", {4}},
                                                             {"move.key.norm.weight", {8}},
                                                             {"move.key.norm.bias", {8}},
                                                             {"move.key.0.weight", {4, 8}},
                                                             {"move.key.0.bias", {4}},
                                                             {"move.preference.weight", {4}},
                                                             {"readout.norm.weight", {4}},
                                                             {"readout.norm.bias", {4}},
                                                             {"readout.0.weight", {8, 4}},
                                                             {"readout.0.bias", {8}},
                                                             {"readout.time.weight", {4, 8}},
                                                             {"readout.time.bias", {4}},
                                                             {"head.0.weight", {2, 16}},
                                                             {"head.0.bias", {2}},
                                                         }));
}

// Every tensor that is there has a gradient: finite_difference_test.cpp.
TEST(ParameterLayout, HoldsNothingThatAVariantDoesNotUse) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> absent = {
      {"RandomWalk", {"move."}},
      {"Simplified", {"move.query", "move.key"}},
      {"AttentionAlone", {"move.preference", "move.explore"}},
      {"PreferenceAlone", {"move.query", "move.key", "move.explore"}},
      {"LinearInput", {"embed.node.1"}},
      {"NodeCategories", {"embed.node.0", "embed.node.1", "embed.edge"}},
      {"NoFeatures", {"embed."}},
      {"NoNodeUpdate", {"node_update."}},
      {"DenseEdgesNoNodeUpdate", {"node_update.", "agent_message."}},
      {"NoNeighbourhood", {"neighbourhood."}},
      {"DenseEdgesNoNeighbourhood", {"neighbourhood.", "node_message."}},
      {"MergedNode", {"neighbourhood."}},
      {"MergedAgent", {"neighbourhood.", "agent_update."}},
      {"MergedWalk", {"neighbourhood.", "agent_update.", "move.query", "move.key", "move.edge.feature"}},
      {"DenseEdgesMergedWalk", {"node_message.", "move.query", "move.key"}},
      {"NoTimeForNodes", {"node_update.time"}},
      {"NoTimeForNeighbourhood", {"neighbourhood.time"}},
      {"NoTimeForAgents", {"agent_update.time"}},
      {"NoTimeForReadout", {"readout.time"}},
      {"NoTime", {"time"}},
      {"ReadoutMlp", {"head.1"}},
      {"HeadMlp", {"readout.1"}},
      {"AgentNet", {".size", "embed.edge", "_message", "edge_kernel", "readout.1", "head.1", "move.explore"}},
      {"DenseEdges", {"edge_kernel", "embed.edge.table"}},
      {"EdgeCategories", {"embed.edge.0", "edge_kernel"}},
      {"EdgeKernel", {"embed.edge", "node_message"}},
  };
  for (const auto& [variant, names] : absent) {
    for (const std::string& name : names) EXPECT_FALSE(has(variant, name)) << variant << ": " << name;
  }
}

TEST(ParameterLayout, HoldsWhatAVariantAdds) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> present = {
      {"Simplified", {"move.preference.weight", "move.explore.norm", "move.explore.1.weight"}},
      {"GraphSize", {"node_update.size.weight", "neighbourhood.size.weight", "agent_update.size.weight"}},
      {"Molecules", {"embed.node.table.1.weight", "embed.edge.table.1.weight", "agent_message.", "node_message."}},
      {"EdgeKernel", {"agent_message.norm", "edge_kernel.0.weight", "edge_kernel.1.bias", "head.1.weight"}},
      {"DenseEdgesMergedNode", {"node_message."}},
      {"MergedWalk", {"move.edge.norm", "move.edge.target", "move.edge.source.bias", "move.edge.heads.weight"}},
      {"DenseEdgesMergedWalk", {"agent_message.", "move.edge.feature"}},
      {"NoTimeForNodes", {"time.table", "agent_update.time"}},
  };
  for (const auto& [variant, names] : present) {
    for (const std::string& name : names) EXPECT_TRUE(has(variant, name)) << variant << ": " << name;
  }
}

TEST(ParameterLayout, WidthsFollowWhatAFunctionReads) {
  const auto shape = [](const std::string& variant, const std::string& name) {
    return agentnet_layout(variant_named(variant).config).at(name).shape;
  };
  using Shape = std::vector<std::int64_t>;
  // h = 4; an edge has h entries, or its two raw ones before a kernel.
  EXPECT_EQ(shape("NoGlobalCommunication", "node_update.0.weight"), (Shape{16, 8}));
  EXPECT_EQ(shape("MergedNode", "node_update.0.weight"), (Shape{16, 16}));
  EXPECT_EQ(shape("MergedNodeNoGlobal", "node_update.0.weight"), (Shape{16, 12}));
  EXPECT_EQ(shape("MergedAgent", "node_update.1.weight"), (Shape{8, 16}));
  EXPECT_EQ(shape("MergedWalk", "node_update.1.weight"), (Shape{8, 16}));
  EXPECT_EQ(shape("DenseEdges", "agent_update.0.weight"), (Shape{16, 12}));
  EXPECT_EQ(shape("EdgeKernel", "agent_update.0.weight"), (Shape{16, 10}));
  EXPECT_EQ(shape("EdgeKernel", "edge_kernel.1.weight"), (Shape{16, 8}));
  EXPECT_EQ(shape("DenseEdges", "move.key.0.weight"), (Shape{4, 12}));
  EXPECT_EQ(shape("WideAttention", "move.key.0.weight"), (Shape{8, 8}));
  EXPECT_EQ(shape("WideAttention", "move.query.0.weight"), (Shape{8, 4}));
  EXPECT_EQ(shape("NarrowMlps", "node_update.0.weight"), (Shape{8, 12}));
  EXPECT_EQ(shape("BothMlps", "readout.0.weight"), (Shape{16, 4}));
  EXPECT_EQ(shape("BothMlps", "head.0.weight"), (Shape{8, 16}));
  EXPECT_EQ(shape("BothMlps", "head.1.weight"), (Shape{3, 8}));
  EXPECT_EQ(shape("Simplified", "move.explore.1.weight"), (Shape{4, 8}));
}

// Every one of them is found by its name; looking through all names before it would compare four billion.
TEST(ParameterLayout, FindsEachOfManyTables) {
  AgentNetConfig config;
  config.hidden = 1;
  config.node_categories.assign(65536, 2);
  config.edge_categories.assign(65536, 3);
  const ParameterLayout layout = agentnet_layout(config);
  for (const Parameter& p : layout.all()) ASSERT_EQ(layout.find(p.name), &p);
  EXPECT_EQ(layout.find("embed.node.table.65536.weight"), nullptr);
  EXPECT_EQ(layout.find(""), nullptr);
  const ParameterLayout copy = layout;  // its index is its own
  EXPECT_EQ(copy.find("readout.norm.bias")->offset, layout.at("readout.norm.bias").offset);
  EXPECT_NE(copy.find("readout.norm.bias"), layout.find("readout.norm.bias"));
}

// Whoever makes a layout, validated or not: no sum or product wraps around.
TEST(ParameterLayout, RefusesWhatWouldWrapAround) {
  for (const AgentNetConfig& config :
       {AgentNetConfig{.hidden = 16384, .node_categories = std::vector<int>(524'289, 2147483647)},
        AgentNetConfig{.hidden = 2147483647, .agents = 2147483647, .width = 2147483647}, AgentNetConfig{.hidden = -8},
        AgentNetConfig{.hidden = 4096, .node_categories = std::vector<int>(65536, 2147483647)}}) {
    EXPECT_THROW(static_cast<void>(agentnet_layout(config)), Error);
  }
}

TEST(ParameterLayout, OnlyTheTimeTableIsFrozen) {
  for (const ModelVariant& variant : model_variants()) {
    const ParameterLayout layout = agentnet_layout(variant.config);
    for (const Parameter& p : layout.all()) {
      EXPECT_EQ(p.trainable, p.name != "time.table") << variant.name << ": " << p.name;
    }
  }
}

// Large enough for statistics.
AgentNetConfig large_config() {
  AgentNetConfig config;
  config.hidden = 48;
  config.agents = 100;
  config.steps = 40;
  config.node_features = 7;
  config.edge_categories = {50, 60};
  config.exploration = Exploration::kAgent;
  config.graph_size = true;
  config.slope = 0.3;
  return config;
}

std::vector<double> starting_values(const AgentNetConfig& config, std::uint64_t seed = 1) {
  const ParameterLayout layout = agentnet_layout(config);
  std::vector<double> values(layout.size(), std::nan(""));
  initialise_agentnet<double>(layout, config, seed, values);
  return values;
}

std::vector<double> tensor(const AgentNetConfig& config, const std::vector<double>& values, const std::string& name) {
  const ParameterLayout layout = agentnet_layout(config);
  const Parameter& p = layout.at(name);
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(p.offset);
  return {first, first + static_cast<std::ptrdiff_t>(p.size)};
}

// How many of the values fall into each of ten bins; cdf maps them to 0..1 uniformly.
template <class F>
std::vector<std::uint64_t> in_bins(const std::vector<double>& values, const F& cdf) {
  std::vector<std::uint64_t> counts(10, 0);
  for (const double v : values) ++counts[static_cast<std::size_t>(std::clamp(cdf(v) * 10, 0.0, 9.0))];
  return counts;
}

TEST(Initialise, LinearWeightsAreUniformWithinTheKaimingBound) {
  const AgentNetConfig config = large_config();
  const ParameterLayout layout = agentnet_layout(config);
  const std::vector<double> values = starting_values(config);
  for (const Parameter& p : layout.all()) {
    if (p.shape.size() != 2 || p.init != Init::kKaiming) continue;
    SCOPED_TRACE(p.name);
    const double bound = std::sqrt(6.0 / ((1 + 0.3 * 0.3) * static_cast<double>(p.shape[1])));
    const std::vector<double> weights = tensor(config, values, p.name);
    for (const double w : weights) EXPECT_LE(std::abs(w), bound);
    EXPECT_GT(uniform_p_value(in_bins(weights, [&](double w) { return (w / bound + 1) / 2; })), kUnlikely);
  }
}

TEST(Initialise, TablesAreStandardNormal) {
  AgentNetConfig config = large_config();
  config.time_table = TimeTable::kRandom;
  const std::vector<double> values = starting_values(config);
  for (const char* name : {"agents.weight", "embed.edge.table.0.weight", "embed.edge.table.1.weight", "time.table"}) {
    const auto cdf = [](double v) { return std::erfc(-v / std::sqrt(2.0)) / 2; };
    EXPECT_GT(uniform_p_value(in_bins(tensor(config, values, name), cdf)), kUnlikely) << name;
  }
}

TEST(Initialise, EveryLinearLayerAndTableIsDrawnAndTheRestIsConstant) {
  const AgentNetConfig config = large_config();
  const ParameterLayout layout = agentnet_layout(config);
  const std::vector<double> values = starting_values(config);
  for (const Parameter& p : layout.all()) {
    SCOPED_TRACE(p.name);
    const auto ends_with = [&](const std::string& end) {
      return p.name.size() >= end.size() && p.name.compare(p.name.size() - end.size(), end.size(), end) == 0;
    };
    const std::vector<double> found = tensor(config, values, p.name);
    if (ends_with(".bias") || ends_with(".size.weight")) {
      EXPECT_THAT(found, testing::Each(0.0));
    } else if (ends_with(".norm.weight")) {
      EXPECT_THAT(found, testing::Each(1.0));
    } else if (p.name != "time.table" && p.name != "move.preference.weight") {
      EXPECT_EQ(p.init, p.name.find("table") != std::string::npos || p.name == "agents.weight" ? Init::kNormal
                                                                                               : Init::kKaiming);
    }
  }
}

TEST(Initialise, PreferencesStartWithExploration) {
  for (const Exploration exploration : {Exploration::kShared, Exploration::kAgent}) {
    AgentNetConfig config = large_config();
    config.exploration = exploration;
    // explored, unexplored, stay, back
    EXPECT_THAT(tensor(config, starting_values(config), "move.preference.weight"), testing::ElementsAre(0, 5, -1, 0));
  }
}

TEST(Initialise, TheTimeTableIsThatOfTheTransformer) {
  AgentNetConfig config;
  config.hidden = 6;
  config.steps = 9;
  const std::vector<double> table = tensor(config, starting_values(config), "time.table");
  for (std::size_t t = 0; t <= 9; ++t) {
    for (std::size_t pair = 0; pair < 3; ++pair) {
      const double angle = static_cast<double>(t) / std::pow(10000.0, static_cast<double>(2 * pair) / 6);
      EXPECT_NEAR(table[t * 6 + 2 * pair], std::sin(angle), 1e-15);
      EXPECT_NEAR(table[t * 6 + 2 * pair + 1], std::cos(angle), 1e-15);
    }
  }
  EXPECT_EQ(table[6], std::sin(1.0));
  EXPECT_EQ(table[7], std::cos(1.0));
}

TEST(Initialise, ATimeTableOfOddWidthEndsWithASine) {
  AgentNetConfig config;
  config.hidden = 3;
  config.steps = 1;
  EXPECT_THAT(tensor(config, starting_values(config), "time.table"),
              testing::ElementsAre(0, 1, 0, std::sin(1.0), std::cos(1.0),
                                   testing::DoubleNear(std::sin(std::pow(10000.0, -2.0 / 3.0)), 1e-15)));
}

TEST(Initialise, IsAFunctionOfTheSeedAndTheSameInSinglePrecision) {
  const AgentNetConfig config = large_config();
  const ParameterLayout layout = agentnet_layout(config);
  const std::vector<double> values = starting_values(config, 7);
  EXPECT_EQ(starting_values(config, 7), values);
  EXPECT_NE(starting_values(config, 8), values);
  std::vector<float> single(layout.size());
  initialise_agentnet<float>(layout, config, 7, single);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(single[i], static_cast<float>(values[i]));
}

TEST(Initialise, TensorsOfTheSameShapeDiffer) {
  const AgentNetConfig config = large_config();
  const std::vector<double> values = starting_values(config);
  EXPECT_NE(tensor(config, values, "neighbourhood.1.weight"), tensor(config, values, "agent_update.1.weight"));
  EXPECT_NE(tensor(config, values, "node_update.1.weight"), tensor(config, values, "neighbourhood.1.weight"));
}

}  // namespace
}  // namespace agentnet
