#include "agentnet/config.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "agentnet/error.h"
#include "core/suggest.h"

namespace agentnet {

namespace {

using Json = nlohmann::ordered_json;

template <class E>
struct Names;  // the spellings of an enum, in the order of its values

template <>
struct Names<Reduce> {
  static constexpr std::array<std::string_view, 4> kAll = {"log", "sum", "mean", "sqrt"};
};
template <>
struct Names<Neighbourhood> {
  static constexpr std::array<std::string_view, 3> kAll = {"occupied", "none", "all"};
};
template <>
struct Names<MovePolicy> {
  static constexpr std::array<std::string_view, 2> kAll = {"learned", "random"};
};
template <>
struct Names<Exploration> {
  static constexpr std::array<std::string_view, 3> kAll = {"none", "shared", "agent"};
};
template <>
struct Names<TimeTable> {
  static constexpr std::array<std::string_view, 2> kAll = {"sinusoidal", "random"};
};
template <>
struct Names<Merge> {
  static constexpr std::array<std::string_view, 4> kAll = {"none", "node", "agent", "walk"};
};

struct Range {
  double least = 0;
  double most = 0;  // inclusive
};

constexpr Range kNoRange{};
constexpr double kMany = 1 << 20;

// The table: one line per option. f(name, field, range, help).
template <class Config, class F>
void visit_options(Config& c, const F& f) {
  f("hidden", c.hidden, Range{1, 1 << 14}, "h, the width of node and agent states");
  f("agents", c.agents, Range{1, kMany}, "k, how many agents walk each graph");
  f("steps", c.steps, Range{0, 65535}, "T, how many moves each agent makes");
  f("outputs", c.outputs, Range{1, kMany}, "C, classes or target values");
  f("width", c.width, Range{1, 64}, "m, the update functions' hidden layers are 2 m h wide");
  f("node_features", c.node_features, Range{0, kMany}, "dense columns per node");
  f("node_categories", c.node_categories, Range{1, std::numeric_limits<std::int32_t>::max()},
    "vocabulary size of each categorical node column");
  f("edge_features", c.edge_features, Range{0, kMany}, "dense columns per edge");
  f("edge_categories", c.edge_categories, Range{1, std::numeric_limits<std::int32_t>::max()},
    "vocabulary size of each categorical edge column");
  f("input_mlp", c.input_mlp, kNoRange, "two layers from node features to states instead of one");
  f("edge_kernel", c.edge_kernel, kNoRange,
    "an edge's features yield a matrix that its message is multiplied by (QM9)");
  f("node_update", c.node_update, kNoRange, "agents write to the nodes they stand on");
  f("neighbourhood", c.neighbourhood, kNoRange, "which nodes read their neighbours at each visit");
  f("merge", c.merge, kNoRange, "merge steps of a visit (paper, appendix C)");
  f("reduce", c.reduce, kNoRange, "how a set of c vectors is summed up: mean * log2(c + 1), sum, mean, sum / sqrt(c)");
  f("global_communication", c.global_communication, kNoRange, "nodes are told the mean of all agents");
  f("graph_size", c.graph_size, kNoRange, "update functions are told the number of nodes");
  f("time_node", c.time_node, kNoRange, "the node update is told the time");
  f("time_neighbourhood", c.time_neighbourhood, kNoRange, "the neighbourhood update is told the time");
  f("time_agent", c.time_agent, kNoRange, "the agent update is told the time");
  f("time_readout", c.time_readout, kNoRange, "the readout is told the time");
  f("time_table", c.time_table, kNoRange, "what the time embedding starts from");
  f("moves", c.moves, kNoRange, "how agents choose where to go");
  f("attention", c.attention, kNoRange, "agents weigh candidates by attention to their states");
  f("attention_width", c.attention_width, Range{1, 64}, "queries and keys have attention_width * h entries");
  f("exploration", c.exploration, kNoRange,
    "preferences for new, known, previous and current nodes: none, shared by all agents, or each agent's own");
  f("self_loops", c.self_loops, kNoRange, "agents may stay where they are");
  f("visited_decay", c.visited_decay, Range{0, 1}, "how fast a visited node becomes like a new one");
  f("temperature", c.temperature, Range{1e-9, 1e9}, "of the softmax that moves are learned through");
  f("readout_mlp", c.readout_mlp, kNoRange, "two layers from agents to the pooled readout instead of one");
  f("head_mlp", c.head_mlp, kNoRange, "two layers from the pooled readout to the outputs instead of one");
  f("slope", c.slope, Range{0, 1}, "negative slope of the activation");
  f("edge_slope", c.edge_slope, Range{0, 1}, "negative slope in messages that carry edge features");
  f("dropout", c.dropout, Range{0, 0.999}, "share of activations set to zero in training");
}

std::string list_names(std::span<const std::string_view> names) {
  std::string all;
  for (const std::string_view n : names) all += (all.empty() ? "" : ", ") + std::string(n);
  return all;
}

std::string number(double v) { return fmt::format("{}", v); }

std::string range_text(Range r) { return number(r.least) + " to " + number(r.most); }

[[noreturn]] void refuse(std::string_view name, const std::string& found, const std::string& allowed) {
  throw Error(ErrorKind::kUsage, fmt::format("model option '{}' is {}", name, found),
              fmt::format("it can be {}", allowed));
}

// How each type of field is written, read and checked.
struct ToJson {
  Json& out;
  template <class T>
  void operator()(const char* name, const T& field, Range, const char*) const {
    if constexpr (std::is_enum_v<T>) {
      out[name] = Names<T>::kAll[static_cast<std::size_t>(field)];
    } else {
      out[name] = field;
    }
  }
};

struct FromJson {
  const Json& in;
  template <class T>
  void operator()(const char* name, T& field, Range range, const char*) const {
    const auto at = in.find(name);
    if (at == in.end()) return;
    const Json& v = *at;
    if constexpr (std::is_same_v<T, bool>) {
      if (!v.is_boolean()) refuse(name, v.dump(), "true or false");
      field = v.get<bool>();
    } else if constexpr (std::is_same_v<T, int>) {
      field = integer(name, v, range);
    } else if constexpr (std::is_same_v<T, double>) {
      if (!v.is_number()) refuse(name, v.dump(), range_text(range));
      field = v.get<double>();
    } else if constexpr (std::is_enum_v<T>) {
      const auto& names = Names<T>::kAll;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (v.is_string() && v.get<std::string>() == names[i]) {
          field = static_cast<T>(i);
          return;
        }
      }
      refuse(name, v.dump(), list_names(names));
    } else {
      if (!v.is_array()) refuse(name, v.dump(), "a list of whole numbers");
      field.clear();
      for (const Json& entry : v) field.push_back(integer(name, entry, range));
    }
  }
  static int integer(const char* name, const Json& v, Range range) {
    if (!v.is_number_integer()) refuse(name, v.dump(), "a whole number, " + range_text(range));
    const double value = v.get<double>();
    if (!(value >= range.least && value <= range.most)) refuse(name, v.dump(), range_text(range));
    return v.get<int>();
  }
};

struct CheckRange {
  template <class T>
  void operator()(const char* name, const T& field, Range range, const char*) const {
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, double>) {
      const auto v = static_cast<double>(field);
      if (!(v >= range.least && v <= range.most)) refuse(name, number(v), range_text(range));
    } else if constexpr (std::is_same_v<T, std::vector<int>>) {
      for (const int entry : field) (*this)(name, entry, range, "");
    }
  }
};

struct CollectHelp {
  std::vector<OptionHelp>& out;
  template <class T>
  void operator()(const char* name, const T& field, Range range, const char* help) const {
    Json value;
    ToJson{value}(name, field, range, help);
    std::string allowed;
    if constexpr (std::is_same_v<T, bool>) {
      allowed = "true, false";
    } else if constexpr (std::is_enum_v<T>) {
      allowed = list_names(Names<T>::kAll);
    } else {
      allowed = range_text(range);
    }
    const Json& v = value[name];
    out.push_back({name, v.is_string() ? v.get<std::string>() : v.dump(), allowed, help});
  }
};

}  // namespace

std::vector<OptionHelp> model_options() {
  std::vector<OptionHelp> all;
  const ModelConfig defaults;
  visit_options(defaults, CollectHelp{all});
  return all;
}

void validate(const ModelConfig& config) {
  visit_options(config, CheckRange{});
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
  if (config.moves == MovePolicy::kLearned && !config.attention && config.exploration == Exploration::kNone) {
    contradiction("learned moves without 'attention' and without 'exploration' have nothing to learn from",
                  "set moves to random, or turn one of them on");
  }
}

std::string to_json(const ModelConfig& config) {
  Json out = Json::object();
  visit_options(config, ToJson{out});
  return out.dump();
}

ModelConfig config_from_json(const std::string& json) {
  const Json in = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!in.is_object()) throw Error(ErrorKind::kUsage, "the model's config is not a JSON object", "");
  std::vector<std::string> known;
  for (const OptionHelp& option : model_options()) known.push_back(option.name);
  for (const auto& [key, value] : in.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const auto close = closest_match(key, known);
    throw Error(ErrorKind::kUsage, fmt::format("unknown model option '{}'", key),
                close ? fmt::format("did you mean '{}'?", *close) : "see the list of options in docs");
  }
  ModelConfig config;
  visit_options(config, FromJson{in});
  validate(config);
  return config;
}

}  // namespace agentnet
