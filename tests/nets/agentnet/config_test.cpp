#include "agentnet/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "core/random.h"
#include "nets/agentnet/agentnet.h"
#include "support/model_variants.h"

namespace agentnet {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

// The error of a call that must throw one; an empty one otherwise.
Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorKind::kFailure, ""};
}

// Any config that is valid, the bounds of the ranges included.
AgentNetConfig random_config(RandomSequence& random) {
  const auto flip = [&] { return random.below(2) == 1; };
  const auto between = [&](int least, int most) {
    const auto span = static_cast<std::uint64_t>(most - least + 1);
    return random.below(4) == 0 ? (flip() ? least : most) : least + static_cast<int>(random.below(span));
  };
  const auto vocabulary = [&] {
    std::vector<int> sizes;
    for (std::uint64_t i = random.below(4); i > 0; --i) sizes.push_back(between(1, 100'000));
    return sizes;
  };
  AgentNetConfig c;
  c.hidden = between(1, 16);  // small: the products of all of them have limits too
  c.agents = between(1, 1000);
  c.steps = between(0, 500);
  c.outputs = between(1, 1000);
  c.width = between(1, 64);
  c.node_features = between(0, 1000);
  c.node_categories = vocabulary();
  c.edge_features = between(0, 1000);
  c.edge_categories = vocabulary();
  c.input_mlp = flip();
  c.edge_kernel = c.edge_features > 0 && c.edge_categories.empty() && flip();
  c.merge = static_cast<Merge>(random.below(4));
  if (c.merge == Merge::kNone) {
    c.node_update = flip();
    c.neighbourhood = static_cast<Neighbourhood>(random.below(3));
  }
  c.reduce = static_cast<Reduce>(random.below(4));
  c.global_communication = flip();
  c.graph_size = flip();
  c.time_node = flip();
  c.time_neighbourhood = flip();
  c.time_agent = flip();
  c.time_readout = flip();
  c.time_table = static_cast<TimeTable>(random.below(2));
  c.start = static_cast<StartPolicy>(random.below(4));
  if (c.start == StartPolicy::kChosen) c.start_nodes = std::vector<int>(1, between(0, 1000));
  c.moves = static_cast<MovePolicy>(random.below(5));
  c.attention = c.merge == Merge::kWalk || flip();
  c.attention_width = between(1, 64);
  c.exploration = static_cast<Exploration>(random.below(3));
  if (!c.attention && c.exploration == Exploration::kNone && c.moves == MovePolicy::kLearned) {
    c.moves = MovePolicy::kRandom;
  }
  c.self_loops = flip();
  c.visited_decay = random.uniform();
  c.temperature = random.uniform() * 10;
  const bool updates_agents = c.merge == Merge::kNone || c.merge == Merge::kNode;
  c.window = updates_agents ? between(0, 32) : 0;
  c.window_moves = c.window > 0 && flip();
  c.readout_mlp = flip();
  c.head_mlp = flip();
  c.slope = random.uniform();
  c.edge_slope = random.uniform();
  c.dropout = random.uniform() * 0.999;
  return c;
}

TEST(AgentNetConfig, ComesBackFromJsonAsItWas) {
  RandomSequence random(1, Purpose::kTest);
  for (int i = 0; i < 500; ++i) {
    const AgentNetConfig config = random_config(random);
    EXPECT_NO_THROW(validate(config));
    EXPECT_EQ(config_from_json(to_json(config)), config) << to_json(config);
  }
  for (const ModelVariant& variant : model_variants()) {
    EXPECT_EQ(config_from_json(to_json(variant.config)), variant.config) << variant.name;
  }
}

TEST(AgentNetConfig, MissingKeysKeepTheirDefaults) {
  EXPECT_EQ(config_from_json("{}"), AgentNetConfig());
  AgentNetConfig expected;
  expected.steps = 3;
  EXPECT_EQ(config_from_json(R"({"steps": 3})"), expected);
}

// Every option has a field of its own: another value changes the config, and nothing else in its JSON.
TEST(AgentNetConfig, EveryOptionIsReadAndWritten) {
  AgentNetConfig base;
  base.edge_features = 2;  // so that edge_kernel can be turned on
  base.window = 8;         // so that window_moves can be turned on
  const Json before = Json::parse(to_json(base));
  for (const auto& [name, value] : before.items()) {
    SCOPED_TRACE(name);
    Json other = value;
    if (value.is_boolean()) {
      other = !value.get<bool>();
    } else if (value.is_number_integer()) {
      other = value.get<int>() + 1;
    } else if (value.is_number()) {
      other = value.get<double>() / 2 + 0.001;
    } else if (value.is_array()) {
      other = {3, 4};
    } else {
      const std::map<std::string, std::string> others = {
          {"occupied", "all"},   {"none", "node"},    {"log", "sqrt"},       {"sinusoidal", "random"},
          {"learned", "random"}, {"shared", "agent"}, {"random", "one-node"}};
      other = others.at(value.get<std::string>());
    }
    Json changed = before;
    if (name == "start_nodes") changed["start"] = "chosen";  // they need each other
    changed[name] = other;
    const AgentNetConfig config = config_from_json(changed.dump());
    EXPECT_NE(config, base);
    EXPECT_EQ(Json::parse(to_json(config)), changed);
  }
}

TEST(AgentNetConfig, HelpListsEveryOptionWithItsDefault) {
  const Json defaults = Json::parse(complete_agentnet_options("{}"));
  const std::vector<OptionHelp> options = agentnet_options();
  ASSERT_EQ(options.size(), defaults.size());
  std::size_t i = 0;
  for (const auto& [name, value] : defaults.items()) {
    EXPECT_EQ(options[i].name, name);
    EXPECT_EQ(options[i].default_value, value.is_string() ? value.get<std::string>() : value.dump());
    EXPECT_FALSE(options[i].range.empty()) << name;
    EXPECT_FALSE(options[i].help.empty()) << name;
    ++i;
  }
}

TEST(AgentNetConfig, AnUnknownKeyIsRefusedWithASuggestion) {
  const Error near = error_of([] { static_cast<void>(config_from_json(R"({"hiden": 4})")); });
  EXPECT_EQ(near.kind(), ErrorKind::kUsage);
  EXPECT_STREQ(near.what(), "unknown model option 'hiden'");
  EXPECT_EQ(near.hint(), "did you mean 'hidden'?");
  const Error far = error_of([] { static_cast<void>(config_from_json(R"({"xyzzy": 4})")); });
  EXPECT_STREQ(far.what(), "unknown model option 'xyzzy'");
  EXPECT_THAT(far.hint(), testing::Not(HasSubstr("did you mean")));
}

struct BadJson {
  const char* json;
  const char* message;
  const char* hint;
};
std::ostream& operator<<(std::ostream& out, const BadJson& bad) { return out << bad.json; }

class AgentNetConfigOfBadJson : public testing::TestWithParam<BadJson> {};

TEST_P(AgentNetConfigOfBadJson, IsRefused) {
  const Error error = error_of([] { static_cast<void>(config_from_json(GetParam().json)); });
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  EXPECT_STREQ(error.what(), GetParam().message);
  EXPECT_THAT(error.hint(), HasSubstr(GetParam().hint));
}

INSTANTIATE_TEST_SUITE_P(
    All, AgentNetConfigOfBadJson,
    testing::Values(
        BadJson{"", "model options: byte 0: the text is empty", "make or copy it again"},
        BadJson{"[1]", "model options: not a JSON object", "VALUE"},
        BadJson{"{\"hidden\": 4", "model options: byte 11: not valid JSON at '{\"hidden\": 4'",
                "make or copy it again"},
        BadJson{R"({"hidden": 4, "hidden": 5})", "model options: byte 21: 'hidden' is given twice", ""},
        BadJson{R"({"hidden": [[[[[[[[4]]]]]]]]})",
                "model options: byte 18: lists and objects are nested more than 8 deep", ""},
        BadJson{R"({"hidden": 1e300})", "model option 'hidden' is 1e+300", "a whole number"},
        BadJson{R"({"hidden": 4294967300})", "model option 'hidden' is 4294967300", "1 to 4096"},
        BadJson{R"({"hidden": "4"})", "model option 'hidden' is \"4\"", "a whole number, 1 to 4096"},
        BadJson{R"({"hidden": 4.5})", "model option 'hidden' is 4.5", "a whole number"},
        BadJson{R"({"hidden": 4e9})", "model option 'hidden' is 4000000000.0", "a whole number"},
        BadJson{R"({"steps": 18446744073709551615})", "model option 'steps' is 18446744073709551615", "0 to 65535"},
        BadJson{R"({"agents": -1})", "model option 'agents' is -1", "1 to 1048576"},
        BadJson{R"({"hidden": null})", "model option 'hidden' is null", "a whole number"},
        BadJson{R"({"input_mlp": 1})", "model option 'input_mlp' is 1", "true or false"},
        BadJson{R"({"dropout": "no"})", "model option 'dropout' is \"no\"", "0 to 0.999"},
        BadJson{R"({"dropout": 1.5})", "model option 'dropout' is 1.5", "0 to 0.999"},
        BadJson{R"({"reduce": "max"})", "model option 'reduce' is \"max\"", "log, sum, mean, sqrt"},
        BadJson{R"({"reduce": 1})", "model option 'reduce' is 1", "log, sum, mean, sqrt"},
        BadJson{R"({"moves": "Learned"})", "model option 'moves' is \"Learned\"", "learned, random"},
        BadJson{R"({"node_categories": 3})", "model option 'node_categories' is 3", "a list of whole numbers"},
        BadJson{R"({"node_categories": [3, 0]})", "model option 'node_categories' is 0", "1 to 2147483647"},
        BadJson{R"({"edge_categories": [2.5]})", "model option 'edge_categories' is 2.5", "a whole number"}),
    [](const auto& test) { return "Case" + std::to_string(test.index); });

// The ends of every range are allowed, what lies beyond is not.
template <class T>
void check_range(const std::string& name, T AgentNetConfig::*field, T least, T below, T most, T above) {
  SCOPED_TRACE(name);
  for (const T good : {least, most}) {
    AgentNetConfig config;
    config.*field = good;
    EXPECT_NO_THROW(validate(config)) << good;
  }
  for (const T bad : {below, above}) {
    AgentNetConfig config;
    config.*field = bad;
    const Error error = error_of([&] { validate(config); });
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("model option '" + name + "' is ")) << bad;
    EXPECT_THAT(error.hint(), HasSubstr(" to ")) << bad;
  }
}

TEST(AgentNetConfig, EveryRangeIsKept) {
  check_range("hidden", &AgentNetConfig::hidden, 1, 0, 4096, 4097);
  check_range("agents", &AgentNetConfig::agents, 1, 0, 1 << 20, (1 << 20) + 1);
  check_range("steps", &AgentNetConfig::steps, 0, -1, 65535, 65536);  // a random stream has 16 bits for the step
  check_range("outputs", &AgentNetConfig::outputs, 1, 0, 1 << 20, (1 << 20) + 1);
  check_range("width", &AgentNetConfig::width, 1, 0, 64, 65);
  check_range("node_features", &AgentNetConfig::node_features, 0, -1, 1 << 20, (1 << 20) + 1);
  check_range("edge_features", &AgentNetConfig::edge_features, 0, -1, 1 << 20, (1 << 20) + 1);
  check_range("attention_width", &AgentNetConfig::attention_width, 1, 0, 64, 65);
  check_range("visited_decay", &AgentNetConfig::visited_decay, 0.0, -0.01, 1.0, 1.01);
  check_range("temperature", &AgentNetConfig::temperature, 1e-9, 0.0, 1e9, 1e10);
  check_range("slope", &AgentNetConfig::slope, 0.0, -0.01, 1.0, 1.01);
  check_range("edge_slope", &AgentNetConfig::edge_slope, 0.0, -0.01, 1.0, 1.01);
  check_range("dropout", &AgentNetConfig::dropout, 0.0, -0.01, 0.999, 1.0);
}

// Each option in its range, and together too much: the message has the numbers, the hint the limit.
TEST(AgentNetConfig, ProductsOfOptionsHaveLimits) {
  const auto refusal = [](const AgentNetConfig& config) {
    const Error error = error_of([&] { validate(config); });
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return std::string(error.what()) + " | " + error.hint();
  };
  EXPECT_EQ(
      refusal({.hidden = 4096, .agents = 1 << 20}),
      "the model's options ask for too much memory: agents (1048576) x hidden (4096) x steps + 1 (9) is 38654705664"
      " | make one of them smaller; the product may be at most 2000000000");
  EXPECT_THAT(refusal({.hidden = 64, .agents = 1000, .steps = 65535}), HasSubstr("steps + 1 (65536)"));
  EXPECT_THAT(refusal({.hidden = 16, .agents = 1 << 20, .steps = 0, .width = 64}), HasSubstr("2 width (128)"));
  EXPECT_THAT(refusal({.hidden = 1, .agents = 1, .steps = 65535, .outputs = 1 << 20}),
              HasSubstr("outputs (1048576) x steps + 1 (65536)"));
  EXPECT_THAT(refusal({.hidden = 4096, .agents = 1, .steps = 65535, .width = 64}), HasSubstr("hidden (4096)"));
  EXPECT_THAT(refusal({.hidden = 1024, .width = 64}),
              HasSubstr("the model would be too large: with tensor 'time.1.weight'"));
  EXPECT_THAT(refusal({.node_categories = {3, 2147483647}}),
              HasSubstr("with tensor 'embed.node.table.1.weight' (2147483647 x 64) it has 137438954624"));
  EXPECT_THAT(refusal({.edge_categories = std::vector<int>(65536, 1 << 20)}), HasSubstr("'embed.edge.table."));
  EXPECT_EQ(refusal({.node_categories = std::vector<int>(524'289, 1)}),
            "model option 'node_categories' lists 524289 columns | the most is 65536; give numbers as dense columns");
  EXPECT_THAT(refusal({.hidden = 2048, .edge_features = 3, .edge_kernel = true}), HasSubstr("'edge_kernel.1.weight'"));
}

TEST(AgentNetConfig, AnEnumOutOfItsRangeIsRefused) {
  for (const AgentNetConfig& config :
       {AgentNetConfig{.merge = static_cast<Merge>(77)}, AgentNetConfig{.reduce = static_cast<Reduce>(-1)},
        AgentNetConfig{.start = static_cast<StartPolicy>(4)}, AgentNetConfig{.moves = static_cast<MovePolicy>(5)}}) {
    EXPECT_THAT(error_of([&] { validate(config); }).what(), HasSubstr("the unknown value"));
    EXPECT_THROW(static_cast<void>(to_json(config)), Error);
  }
}

TEST(AgentNetConfig, NotANumberIsOutOfEveryRange) {
  for (double AgentNetConfig::*field :
       {&AgentNetConfig::visited_decay, &AgentNetConfig::temperature, &AgentNetConfig::slope,
        &AgentNetConfig::edge_slope, &AgentNetConfig::dropout}) {
    AgentNetConfig config;
    config.*field = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(validate(config), Error);
  }
}

TEST(AgentNetConfig, EmptyVocabulariesAreRefused) {
  for (std::vector<int> AgentNetConfig::*field : {&AgentNetConfig::node_categories, &AgentNetConfig::edge_categories}) {
    AgentNetConfig config;
    config.*field = {2, 0};
    EXPECT_THAT(error_of([&] { validate(config); }).what(), HasSubstr("_categories' is 0"));
  }
}

TEST(AgentNetConfig, ContradictionsAreRefused) {
  const auto message_of = [](const AgentNetConfig& config) {
    const Error error = error_of([&] { validate(config); });
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_FALSE(error.hint().empty());
    return std::string(error.what());
  };
  const std::string kernel = "model option 'edge_kernel' needs dense edge features and no categorical ones";
  EXPECT_EQ(message_of({.edge_kernel = true}), kernel);
  EXPECT_EQ(message_of({.edge_features = 2, .edge_categories = {3}, .edge_kernel = true}), kernel);
  const std::string merge = "model option 'merge' needs 'node_update' on and 'neighbourhood' occupied";
  for (const Merge kind : {Merge::kNode, Merge::kAgent, Merge::kWalk}) {
    EXPECT_EQ(message_of({.node_update = false, .merge = kind}), merge);
    EXPECT_EQ(message_of({.neighbourhood = Neighbourhood::kNone, .merge = kind}), merge);
    EXPECT_EQ(message_of({.neighbourhood = Neighbourhood::kAll, .merge = kind}), merge);
  }
  EXPECT_EQ(message_of({.merge = Merge::kWalk, .attention = false}), "model option 'merge' = walk needs 'attention'");
  EXPECT_EQ(message_of({.attention = false, .exploration = Exploration::kNone}),
            "learned moves without 'attention', 'exploration' and 'window_moves' have nothing to learn from");
  for (const Merge kind : {Merge::kAgent, Merge::kWalk}) {
    EXPECT_EQ(message_of({.merge = kind, .window = 8}),
              "model option 'window' needs an agent update, which this 'merge' has not");
  }
  EXPECT_EQ(message_of({.start = StartPolicy::kChosen}), "model option 'start' = chosen names no nodes");
  EXPECT_EQ(message_of({.start_nodes = {1}}), "model option 'start_nodes' needs 'start' = chosen");
  EXPECT_EQ(message_of({.agents = 1, .start = StartPolicy::kChosen, .start_nodes = {1, 2}}),
            "model option 'start_nodes' lists 2 nodes for 1 agents");
  EXPECT_EQ(message_of({.window_moves = true}), "model option 'window_moves' needs a 'window'");
  EXPECT_NO_THROW(validate({.moves = MovePolicy::kRandom, .attention = false, .exploration = Exploration::kNone}));
}

}  // namespace
}  // namespace agentnet
