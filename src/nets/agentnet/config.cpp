#include "agentnet/config.h"

#include <fmt/core.h>

#include <string>

#include "agentnet/error.h"
#include "core/checked.h"
#include "core/option_table.h"
#include "core/text.h"
#include "nets/agentnet/agentnet.h"
#include "nets/agentnet/parameters.h"
#include "nets/agentnet/window.h"
#include "nn/shape_table.h"

namespace agentnet {

template <>
inline constexpr std::array option_names<Reduce> = std::to_array<std::string_view>({"log", "sum", "mean", "sqrt"});
template <>
inline constexpr std::array option_names<Neighbourhood> = std::to_array<std::string_view>({"occupied", "none", "all"});
template <>
inline constexpr std::array option_names<MovePolicy> =
    std::to_array<std::string_view>({"learned", "random", "stay", "non-backtracking", "depth-first"});
template <>
inline constexpr std::array option_names<StartPolicy> = std::to_array<std::string_view>({"random", "one-node",
                                                                                         "every-node", "chosen"});
template <>
inline constexpr std::array option_names<Exploration> = std::to_array<std::string_view>({"none", "shared", "agent"});
template <>
inline constexpr std::array option_names<TimeTable> = std::to_array<std::string_view>({"sinusoidal", "random"});
template <>
inline constexpr std::array option_names<Merge> = std::to_array<std::string_view>({"none", "node", "agent", "walk"});

namespace {

constexpr double kMany = 1 << 20;
constexpr OptionRange kSteps = {0, 9007199254740992};  // what a double holds exactly
constexpr const char* kWhat = "model option";

// The table: one line per option. f(name, field, range, help).
constexpr auto kVisitOptions = [](auto& c, const auto& f) {
  f("hidden", c.hidden, OptionRange{1, 4096}, "h, the width of node and agent states");
  f("agents", c.agents, OptionRange{1, kMany},
    "k, how many agents walk each graph; with start = every-node, on each node");
  f("steps", c.steps, OptionRange{0, 65535}, "T, how many moves each agent makes");
  f("width", c.width, OptionRange{1, 64}, "m, the update functions' hidden layers are 2 m h wide");
  f("max_neighbours", c.max_neighbours, OptionRange{0, std::numeric_limits<std::int32_t>::max()},
    "of nodes with more neighbours, each rollout sees a uniform sample of so many; 0: all");
  f("input_mlp", c.input_mlp, kAnyValue, "two layers from node features to states instead of one");
  f("edge_kernel", c.edge_kernel, kAnyValue,
    "an edge's features yield a matrix that its message is multiplied by (QM9)");
  f("node_update", c.node_update, kAnyValue, "agents write to the nodes they stand on");
  f("neighbourhood", c.neighbourhood, kAnyValue, "which nodes read their neighbours at each visit");
  f("merge", c.merge, kAnyValue, "merge steps of a visit (paper, appendix C)");
  f("reduce", c.reduce, kAnyValue, "how a set of c vectors is summed up: mean * log2(c + 1), sum, mean, sum / sqrt(c)");
  f("global_communication", c.global_communication, kAnyValue, "nodes are told the mean of all agents");
  f("graph_size", c.graph_size, kAnyValue, "update functions are told the number of nodes");
  f("time_node", c.time_node, kAnyValue, "the node update is told the time");
  f("time_neighbourhood", c.time_neighbourhood, kAnyValue, "the neighbourhood update is told the time");
  f("time_agent", c.time_agent, kAnyValue, "the agent update is told the time");
  f("time_readout", c.time_readout, kAnyValue, "the readout is told the time");
  f("time_table", c.time_table, kAnyValue, "what the time embedding starts from");
  f("start", c.start, kAnyValue,
    "where agents begin: each on a random node, all on one, so many on every node, or on chosen ones");
  f("start_nodes", c.start_nodes, OptionRange{0, std::numeric_limits<std::int32_t>::max()},
    "the nodes of start = chosen, counted from 0: agent i begins on number i mod their count");
  f("moves", c.moves, kAnyValue, "how agents choose where to go");
  f("attention", c.attention, kAnyValue, "agents weigh candidates by attention to their states");
  f("attention_width", c.attention_width, OptionRange{1, 64}, "queries and keys have attention_width * h entries");
  f("exploration", c.exploration, kAnyValue,
    "preferences for new, known, previous and current nodes: none, shared by all agents, or each agent's own");
  f("self_loops", c.self_loops, kAnyValue, "agents may stay where they are");
  f("visited_decay", c.visited_decay, OptionRange{0, 1}, "how fast a visited node becomes like a new one");
  f("temperature", c.temperature, OptionRange{1e-9, 1e9}, "of the softmax that moves are learned through");
  f("window", c.window, OptionRange{0, kLongestWindow},
    "s, agents are told which of their last s positions a node is, and which it is next to; 0: none");
  f("window_moves", c.window_moves, kAnyValue, "candidates of a move are preferred by what 'window' says of them");
  f("readout_mlp", c.readout_mlp, kAnyValue, "two layers from agents to the pooled readout instead of one");
  f("head_mlp", c.head_mlp, kAnyValue, "two layers from the pooled readout to the outputs instead of one");
  f("slope", c.slope, OptionRange{0, 1}, "negative slope of the activation");
  f("edge_slope", c.edge_slope, OptionRange{0, 1}, "negative slope in messages that carry edge features");
  f("dropout", c.dropout, OptionRange{0, 0.999}, "share of activations set to zero in training");
  f("solo_steps", c.solo_steps, kSteps, "training steps at the beginning that the first agent takes alone");
  f("growth_steps", c.growth_steps, kSteps,
    "then so many steps each with 2, 4, 8, ... agents; newcomers start as copies; 0: all join at once");
  f("mixed_steps", c.mixed_steps, kSteps, "then so many steps in which the first agent and all of them take turns");
};

// With what the data decides.
constexpr auto kVisit = [](auto& c, const auto& f) {
  kVisitOptions(c, f);
  kVisitShape(c, f);
};

// Each option may be as large as its range says, but not all of them at once: every graph that is run takes memory for
// these products.
void check_products(const AgentNetConfig& config) {
  struct Factor {
    const char* name;
    std::uint64_t value;
  };
  const Factor agents{"agents", static_cast<std::uint64_t>(config.agents)};
  const Factor hidden{"hidden", static_cast<std::uint64_t>(config.hidden)};
  const Factor width{"2 width", 2 * static_cast<std::uint64_t>(config.width)};
  const Factor visits{"steps + 1", static_cast<std::uint64_t>(config.steps) + 1};
  const Factor outputs{"outputs", static_cast<std::uint64_t>(config.outputs)};
  for (const std::vector<Factor>& factors : {std::vector{agents, hidden, visits}, std::vector{agents, hidden, width},
                                             std::vector{outputs, visits}, std::vector{hidden, width, visits}}) {
    CheckedSize product = 1;
    std::string text;
    for (const Factor& factor : factors) {
      product *= factor.value;
      text += fmt::format("{}{} ({})", text.empty() ? "" : " x ", factor.name, factor.value);
    }
    if (product.valid() && product.value() <= kMostElements) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("the model's options ask for too much memory: {} is {}", text,
                            product.valid() ? std::to_string(product.value()) : "more than 2^64"),
                fmt::format("make one of them smaller; the product may be at most {}", kMostElements));
  }
}

}  // namespace

std::vector<OptionHelp> agentnet_options() {
  std::vector<OptionHelp> all;
  describe_options<AgentNetConfig>(
      kVisitOptions, [&](const char* name, const std::string& value, const std::string& allowed, const char* help) {
        all.push_back({name, value, allowed, help});
      });
  return all;
}

std::string complete_agentnet_options(const std::string& json) {
  AgentNetConfig config;
  options_from_text(json, config, kVisitOptions, kWhat);
  return options_to_text(config, kVisitOptions);
}

void AgentNetConfig::set_shape(const DataShape& shape) {
  node_features = shape.node_features;
  node_categories = shape.node_categories;
  edge_features = shape.edge_features;
  edge_categories = shape.edge_categories;
  outputs = shape.outputs;
}

AgentNetConfig::operator NetworkConfig() const {
  return {kAgentNetKind, options_to_text(*this, kVisitOptions), shape()};
}

AgentNetConfig agentnet_config(const NetworkConfig& config) {
  if (config.kind != kAgentNetKind) {
    throw Error(ErrorKind::kUsage, fmt::format("a network of kind {} is no AgentNet", in_quotes(config.kind)),
                "use a model of kind 'agentnet' here");
  }
  AgentNetConfig own;
  options_from_text(config.options, own, kVisitOptions, kWhat);
  own.set_shape(config.shape);
  validate(own);
  return own;
}

void check_option_ranges(const AgentNetConfig& config) {
  check_ranges(config, kVisit, kWhat);
  check_category_columns(config.shape());
}

void validate(const AgentNetConfig& config) {
  check_option_ranges(config);
  check_products(config);
  const auto contradiction = [](const std::string& what, const std::string& hint) {
    throw Error(ErrorKind::kUsage, what, hint);
  };
  if (config.edge_kernel && (config.edge_features == 0 || !config.edge_categories.empty())) {
    contradiction("model option 'edge_kernel' needs dense edge features and no categorical ones",
                  "turn it off, or use data with numbers on its edges");
  }
  if (config.merge != Merge::kNone && (!config.node_update || config.neighbourhood != Neighbourhood::kOccupied)) {
    contradiction("model option 'merge' needs 'node_update' on and 'neighbourhood' occupied",
                  "merged steps cannot be left out one by one");
  }
  if (config.merge == Merge::kWalk && !config.attention) {
    contradiction("model option 'merge' = walk needs 'attention'",
                  "it is the attention that the merged step and the moves share");
  }
  if (config.window > 0 && (config.merge == Merge::kAgent || config.merge == Merge::kWalk)) {
    contradiction("model option 'window' needs an agent update, which this 'merge' has not",
                  "set merge to none or node, or window to 0");
  }
  if (config.window_moves && config.window == 0) {
    contradiction("model option 'window_moves' needs a 'window'", "set window to 8, say, or turn it off");
  }
  if (config.moves == MovePolicy::kLearned && !config.attention && config.exploration == Exploration::kNone &&
      !config.window_moves) {
    contradiction("learned moves without 'attention', 'exploration' and 'window_moves' have nothing to learn from",
                  "set moves to random, or turn one of them on");
  }
  if ((config.start == StartPolicy::kChosen) != !config.start_nodes.empty()) {
    contradiction(config.start_nodes.empty() ? "model option 'start' = chosen names no nodes"
                                             : "model option 'start_nodes' needs 'start' = chosen",
                  "set both: start = \"chosen\", start_nodes = [0]");
  }
  if (config.start_nodes.size() > static_cast<std::size_t>(config.agents)) {
    contradiction(fmt::format("model option 'start_nodes' lists {} nodes for {} agents", config.start_nodes.size(),
                              config.agents),
                  "use as many agents as nodes or more, so that every node gets one");
  }
  static_cast<void>(agentnet_layout(config));  // throws if it would be too large
}

std::string to_json(const AgentNetConfig& config) { return options_to_text(config, kVisit); }

AgentNetConfig config_from_json(const std::string& json) {
  AgentNetConfig config;
  apply_json(config, json);
  validate(config);
  return config;
}

void apply_json(AgentNetConfig& config, const std::string& json) { options_from_text(json, config, kVisit, kWhat); }

}  // namespace agentnet
