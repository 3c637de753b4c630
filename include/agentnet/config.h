// What an AgentNet is: every choice that docs/spec.md, sections 1 to 3, leaves open, one declaration per option.
//
// src/nets/agentnet/config.cpp holds the table (name, range, help) that the command line, the config file, --help and
// the metadata of a model file all read; the defaults are those of the struct below. Plain values: any number of
// threads may use them at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agentnet/network.h"

namespace agentnet {

enum class Reduce { kLog, kSum, kMean, kSqrt };       // how a set of c vectors is summed up
enum class Neighbourhood { kOccupied, kNone, kAll };  // who looks around (step 2)
// Where agents begin: each on a node of its own draw; all on one node that is drawn; `agents` of them on every node,
// which n still agents of section 4.2 are; on the nodes of start_nodes, in turn.
enum class StartPolicy { kRandom, kOneNode, kEveryNode, kChosen };
// How agents move: as they learn to; uniformly over the candidates; not at all; uniformly but not back where they came
// from unless there is no other way; to a neighbour that they have not visited, else back where they came from first.
enum class MovePolicy { kLearned, kRandom, kStay, kNonBacktracking, kDepthFirst };
enum class Exploration {
  kNone,
  kShared,
  kAgent
};  // the bias b(a, j): absent; four numbers; those plus an MLP of the agent
enum class TimeTable { kSinusoidal, kRandom };  // random: frozen N(0, 1), as the authors' code does
// Paper, appendix C: steps 1 and 2 in one; step 3 with them; and with them step 4, the same for all agents of a node.
enum class Merge { kNone, kNode, kAgent, kWalk };

struct AgentNetConfig {
  // Sizes.
  int hidden = 64;  // h
  int agents = 16;  // k; with StartPolicy::kEveryNode, on each node
  int steps = 8;    // T: moves; there are T + 1 visits
  int outputs = 2;  // C
  int width = 2;    // m: the block MLPs are 2 m h wide, the time vector m h

  // Input, decided by the data.
  int node_features = 0;                  // dense columns per node
  std::vector<int> node_categories = {};  // vocabulary size of each categorical node column
  int edge_features = 0;
  std::vector<int> edge_categories = {};
  int max_neighbours = 0;    // nodes with more show a uniform sample of so many in each rollout; 0: all
  bool input_mlp = true;     // Linear -> act -> Linear; false: one Linear
  bool edge_kernel = false;  // QM9: dense edge features stay raw and yield an h x h matrix per edge

  // Updates (steps 1 to 3).
  bool node_update = true;
  Neighbourhood neighbourhood = Neighbourhood::kOccupied;
  Merge merge = Merge::kNone;
  Reduce reduce = Reduce::kLog;
  bool global_communication = true;
  bool graph_size = false;  // every update function is told the number of nodes
  bool time_node = true, time_neighbourhood = true, time_agent = true, time_readout = true;
  TimeTable time_table = TimeTable::kSinusoidal;

  // Starts and moves (step 4).
  StartPolicy start = StartPolicy::kRandom;
  std::vector<int> start_nodes = {};  // of kChosen
  MovePolicy moves = MovePolicy::kLearned;
  bool attention = true;    // the dot product Q . K
  int attention_width = 1;  // Q and K have attention_width * h entries
  Exploration exploration = Exploration::kShared;
  bool self_loops = true;  // staying is always possible
  double visited_decay = 0.9;
  double temperature = 2.0 / 3.0;

  // What agents remember of their own way (not in the paper). 0: nothing.
  int window = 0;             // s: the agent update is told which of the last s positions the node is, or is next to
  bool window_moves = false;  // candidates of a move are preferred by the same

  // Readout.
  bool readout_mlp = false;  // phi_o has two layers (the paper's text) instead of one (the authors' code)
  bool head_mlp = false;     // f_o has two layers

  double slope = 0.01;      // of LeakyReLU everywhere but the messages with edge features
  double edge_slope = 0.2;  // of those
  double dropout = 0.0;

  // How agents join the training. Tasks that one agent can solve by what it sees have a long plateau if all agents
  // learn at once (docs/results.md, 2-WL). So at first only some of them walk:
  std::uint64_t solo_steps = 0;    // at the beginning, the first agent alone
  std::uint64_t growth_steps = 0;  // then 2, 4, 8, ... agents, so many steps each; who joins starts as a copy of one
                                   // that is there. 0: all at once, and nobody is copied
  std::uint64_t mixed_steps = 0;   // then the first alone and all of them take turns

  [[nodiscard]] bool has_edges() const { return edge_features > 0 || !edge_categories.empty(); }
  // Width of an edge state: h, or the raw features of the QM9 variant; 0 without edge features.
  [[nodiscard]] int edge_width() const {
    if (!has_edges()) return 0;
    return edge_kernel ? edge_features : hidden;
  }

  [[nodiscard]] DataShape shape() const {
    return {node_features, node_categories, edge_features, edge_categories, outputs};
  }
  void set_shape(const DataShape& shape);

  // The same as any network's config: an AgentNetConfig can stand wherever a NetworkConfig is asked for.
  operator NetworkConfig() const;  // NOLINT(google-explicit-constructor)

  bool operator==(const AgentNetConfig&) const = default;
};

// Back again. Throws Error (kUsage) for a network of another kind and for options that it has not.
[[nodiscard]] AgentNetConfig agentnet_config(const NetworkConfig& config);

// Throws Error (kUsage) naming the first option that is out of range or contradicts another.
void validate(const AgentNetConfig& config);

// The config as a JSON object, shape included, and back; unknown keys and wrong types throw Error (kUsage).
[[nodiscard]] std::string to_json(const AgentNetConfig& config);
[[nodiscard]] AgentNetConfig config_from_json(const std::string& json);
// Sets what the JSON object has, on top of `config`, and does not validate() the result: options may come one by one.
void apply_json(AgentNetConfig& config, const std::string& json);

}  // namespace agentnet
