#include "support/golden_config.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "agentnet/error.h"

namespace agentnet {
namespace {

using nlohmann::json;

// The constructor arguments, each to be taken once: what is left at the end is unknown to us.
class Settings {
 public:
  explicit Settings(const SafetensorsFile& file)
      : source_(file.source_name()), values_(json::parse(golden_metadata(file, "config"))) {}

  template <class T>
  T take(const std::string& key) {
    const auto found = values_.find(key);
    if (found == values_.end()) throw Error(ErrorKind::kData, "golden case " + source_ + ": no setting " + key);
    T value = found->get<T>();
    values_.erase(found);
    return value;
  }
  // A setting with a single value that our model has.
  template <class T>
  void take_only(const std::string& key, const T& supported) {
    if (const T value = take<T>(key); value != supported) refuse(key, json(value));
  }
  [[noreturn]] void refuse(const std::string& key, const json& value) const {
    throw Error(ErrorKind::kUsage, "golden case " + source_ + ": our model has no " + key + " = " + value.dump());
  }
  void expect_all_taken() const {
    if (!values_.empty()) refuse(values_.begin().key(), values_.begin().value());
  }

 private:
  std::string source_;
  json values_;
};

// The vocabulary of each column is the height of its embedding table.
std::vector<int> table_heights(const SafetensorsFile& file, const std::string& tables) {
  std::vector<int> heights;
  while (const TensorInfo* table = file.find("param." + tables + std::to_string(heights.size()) + ".weight")) {
    heights.push_back(static_cast<int>(table->shape.at(0)));
  }
  return heights;
}

Reduce reduce_named(const std::string& name, const Settings& settings) {
  if (name == "log") return Reduce::kLog;
  if (name == "sum") return Reduce::kSum;
  if (name == "mean") return Reduce::kMean;
  if (name == "sqrt") return Reduce::kSqrt;
  settings.refuse("reduce", name);
}

// tests/golden/README.md, section 3, "Variants".
void take_moves(Settings& settings, AgentNetConfig& config) {
  const bool bias = settings.take<bool>("bias_attention");
  const bool agent = settings.take<bool>("basic_agent");
  const bool global = settings.take<bool>("basic_global_agent");
  config.attention = bias || !(agent || global);
  config.exploration = agent ? Exploration::kAgent : bias || global ? Exploration::kShared : Exploration::kNone;
  config.moves = settings.take<bool>("random_agent") ? MovePolicy::kRandom : MovePolicy::kLearned;
  config.attention_width = settings.take<int>("attn_width_mult");
  config.self_loops = settings.take<bool>("self_loops");
  config.visited_decay = settings.take<double>("visited_decay");
}

void take_input(Settings& settings, const SafetensorsFile& file, AgentNetConfig& config) {
  const int node_features = settings.take<int>("num_features");
  const int edge_features = settings.take<int>("num_edge_features");
  config.input_mlp = settings.take<bool>("input_mlp");
  config.edge_kernel = settings.take<bool>("qm9");
  if (settings.take<bool>("ogb_mol")) {
    config.node_categories = table_heights(file, "atom_encoder.atom_embedding_list.");
    config.edge_categories = table_heights(file, "bond_encoder.bond_embedding_list.");
  } else {
    config.node_features = node_features;
    config.edge_features = edge_features;
  }
}

// Ours -> theirs; whatever follows (".weight", ".bias") stays.
std::string reference_name(const std::string& ours, const AgentNetConfig& config) {
  static const std::vector<std::pair<std::string, std::string>> kPrefixes = {
      {"agents", "agent_emb"},
      {"embed.node.0", "input_proj.0"},
      {"embed.node.1", "input_proj.2"},
      {"embed.node.table", "atom_encoder.atom_embedding_list"},
      {"embed.edge.0", "edge_input_proj.0"},
      {"embed.edge.1", "edge_input_proj.2"},
      {"embed.edge.table", "bond_encoder.bond_embedding_list"},
      {"time.0", "time_emb.timembedding.1"},
      {"time.1", "time_emb.timembedding.3"},
      {"node_update.norm", "node_mlp.0"},
      {"node_update.0", "node_mlp.1"},
      {"node_update.1", "node_mlp.4"},
      {"node_update.time", "node_mlp_time.1"},
      {"neighbourhood.norm", "conv_mlp.0"},
      {"neighbourhood.0", "conv_mlp.1"},
      {"neighbourhood.1", "conv_mlp.4"},
      {"agent_update.norm", "agent_mlp.0"},
      {"agent_update.0", "agent_mlp.1"},
      {"agent_update.1", "agent_mlp.4"},
      {"agent_update.time", "agent_mlp_time.1"},
      {"agent_message.norm", "agent_node_ln.0"},
      {"agent_message.0", "agent_node_ln.1"},
      {"node_message.norm", "message_val.0"},
      {"node_message.0", "message_val.1"},
      {"edge_kernel.0", "edge_nn.0"},
      {"edge_kernel.1", "edge_nn.3"},
      {"move.query.norm", "query.0"},
      {"move.query.0", "query.1"},
      {"move.key.norm", "key.0"},
      {"move.key.0", "key.1"},
      {"move.explore.norm", "basic_agent_attn_mlp.0"},
      {"move.explore.0", "basic_agent_attn_mlp.1"},
      {"move.explore.1", "basic_agent_attn_mlp.4"},
      {"readout.norm", "step_readout_mlp.0"},
      {"readout.0", "step_readout_mlp.1"},
      {"readout.1", "step_readout_mlp.4"},
      {"readout.time", "step_readout_mlp_time.1"},
      {"head.1", "fc.3"},
  };
  if (ours == "time.table") return "time_emb.timembedding.0.weight";
  if (ours.starts_with("head.0.")) return (config.head_mlp ? "fc.0." : "fc.") + ours.substr(7);
  for (const auto& [prefix, theirs] : kPrefixes) {
    if (ours.starts_with(prefix + ".")) return theirs + ours.substr(prefix.size());
  }
  throw std::logic_error("no name of the reference for parameter " + ours);
}

}  // namespace

const std::string& golden_metadata(const SafetensorsFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  if (found != file.metadata().end()) return found->second;
  throw Error(ErrorKind::kData, "golden case " + file.source_name() + ": no metadata " + key);
}

std::set<std::string> golden_names(const SafetensorsFile& file, const std::string& key) {
  return json::parse(golden_metadata(file, key)).get<std::set<std::string>>();
}

AgentNetConfig golden_config(const SafetensorsFile& file) {
  Settings settings(file);
  AgentNetConfig config;
  config.hidden = settings.take<int>("hidden_units");
  config.agents = settings.take<int>("num_agents");
  config.steps = settings.take<int>("num_steps");
  config.outputs = settings.take<int>("num_out_classes");
  config.width = settings.take<int>("mlp_width_mult");
  take_input(settings, file, config);
  config.reduce = reduce_named(settings.take<std::string>("reduce"), settings);
  config.global_communication = settings.take<bool>("global_agent_pool");
  config.time_neighbourhood = false;
  config.time_table = TimeTable::kRandom;
  take_moves(settings, config);
  config.readout_mlp = settings.take<bool>("use_step_readout_lin");
  config.head_mlp = settings.take<bool>("readout_mlp");
  config.slope = settings.take<double>("negative_slope");
  config.edge_slope = settings.take<double>("edge_negative_slope");
  // ReLU is LeakyReLU without a slope; the time MLP has one of its own either way.
  if (const auto act = settings.take<std::string>("activation_function"); act == "relu")
    config.slope = 0.0;
  else if (act != "leaky_relu")
    settings.refuse("activation_function", act);

  const std::string& mode = golden_metadata(file, "mode");
  const bool train = mode == "train";
  if (!train && mode != "eval") settings.refuse("mode", mode);
  const bool test_argmax = settings.take<bool>("test_argmax");
  config.temperature = !train && test_argmax ? 1e-6 : std::stod(golden_metadata(file, "temp"));
  // No draw of dropout is recorded; in eval mode there is none.
  if (const auto dropout = settings.take<double>("dropout"); train && dropout != 0.0)
    settings.refuse("dropout", dropout);
  settings.take<json>("attn_dropout");  // the reference accepts it and does not use it

  // Cross entropy is over log-softmax outputs, the other losses over raw ones.
  const bool raw = settings.take<bool>("regression") || !config.node_categories.empty();
  if (raw == (golden_metadata(file, "loss") == "nll")) settings.refuse("regression", raw);

  settings.take_only("agent_global_extra", false);
  settings.take_only("final_readout_only", false);
  settings.take_only("importance_init", false);
  settings.take_only("mean_pool_only", false);
  settings.take_only("no_time_cond", false);
  settings.take_only("node_readout", false);
  settings.take_only("num_pos_attention_heads", 1);
  settings.take_only("post_ln", false);
  settings.take_only("sparse_conv", false);
  settings.expect_all_taken();
  return config;
}

std::vector<GoldenParameter> golden_parameters(const AgentNetConfig& config, const ParameterLayout& layout) {
  std::vector<GoldenParameter> parameters;
  for (const Parameter& p : layout.all()) {
    if (p.name == "move.preference.weight") {
      std::size_t offset = p.offset;
      for (const char* name : {"explored_param", "unexplored_param", "stay_param", "back_param"}) {
        parameters.push_back({name, {1}, offset++});
      }
      continue;
    }
    parameters.push_back({reference_name(p.name, config), {p.shape.begin(), p.shape.end()}, p.offset});
  }
  return parameters;
}

}  // namespace agentnet
