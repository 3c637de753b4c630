// The parameters of a model: names, shapes, places in one flat buffer, and how they start.
//
// All weights live in one array, so that the optimizer, clipping, checkpoints and reductions each
// work on one array; a layout gives every tensor its name and its place. Linear weights are stored
// [out, in]. The names, with their counterparts in the authors' state dict:
//
//   agents.weight [k, h]                           agent_emb.weight
//   embed.node.0, embed.node.1                     input_proj.0, input_proj.2
//   embed.node.table.J.weight                      atom_encoder.atom_embedding_list.J.weight
//   embed.edge.0, embed.edge.1                     edge_input_proj.0, edge_input_proj.2
//   embed.edge.table.J.weight                      bond_encoder.bond_embedding_list.J.weight
//   time.table [T + 1, h] (frozen), time.0, time.1 time_emb.timembedding.0 / .1 / .3
//   node_update.{norm,0,1,time}                    node_mlp.0 / .1 / .4, node_mlp_time.1
//   neighbourhood.{norm,0,1,time}                  conv_mlp.0 / .1 / .4, conv_mlp_time.1
//   agent_update.{norm,0,1,time}                   agent_mlp.0 / .1 / .4, agent_mlp_time.1
//   {node_update,neighbourhood,agent_update}.size.weight  (graph_size; not in the authors' code)
//   agent_message.{norm,0}                         agent_node_ln.0 / .1        (phi, edge features)
//   node_message.{norm,0}                          message_val.0 / .1          (psi, edge features)
//   edge_kernel.{0,1}                              edge_nn.0 / .3              (psi, QM9)
//   move.query.{norm,0}, move.key.{norm,0}         query.0 / .1, key.0 / .1
//   move.preference.weight [4]                     explored, unexplored, stay, back
//   move.explore.{norm,0,1}                        basic_agent_attn_mlp.0 / .1 / .4
//   move.edge.{norm,target,source,feature,heads}   (Merge::kWalk; not in the authors' code)
//   readout.{norm,0[,1],time}                      step_readout_mlp.0 / .1 [/ .4], step_readout_mlp_time.1
//   head.0 [, head.1]                              fc, or fc.0 and fc.3
//
// Parameters that a configuration never uses do not exist in it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/config.h"

namespace agentnet {

enum class Init {
  kKaiming,     // uniform(-b, b), b = sqrt(6 / ((1 + slope^2) fan_in)), fan_in = the last dimension
  kZero,        // biases
  kOne,         // the scale of a layer norm
  kNormal,      // N(0, 1): embedding tables, agents, the authors' time table
  kSinusoidal,  // the Transformer's table over t = 0..T
  kPreference,  // the starting [explored, unexplored, stay, back] of the move
};

struct Parameter {
  std::string name;
  std::vector<std::int64_t> shape;
  Init init = Init::kZero;
  bool trainable = true;
  std::size_t offset = 0;  // in elements, into the flat buffer
  std::size_t size = 0;
};

class ParameterLayout {
 public:
  explicit ParameterLayout(const ModelConfig& config);

  [[nodiscard]] const std::vector<Parameter>& all() const { return parameters_; }
  // Elements of the flat buffer.
  [[nodiscard]] std::size_t size() const { return size_; }
  // The parameter of this name; null if the configuration has none.
  [[nodiscard]] const Parameter* find(std::string_view name) const;
  // The same, for a name that must exist: a missing one is a bug, thrown as std::logic_error.
  [[nodiscard]] const Parameter& at(std::string_view name) const;

 private:
  void add(std::string name, std::vector<std::int64_t> shape, Init init, bool trainable = true);
  void add_linear(const std::string& name, int out, int in, bool bias = true);
  void add_norm(const std::string& name, int width);
  // One of the paper's update functions: LN -> Linear(in, wide) -> act -> Linear(wide, out), with
  // its projections of time and graph size onto the input.
  void add_block(const std::string& name, int in, int wide, int out, bool time, const ModelConfig& config);

  std::vector<Parameter> parameters_;
  std::size_t size_ = 0;
};

// Input widths of the three update functions (docs/spec.md, section 2); the order of their parts is
// [v, messages of agents, (neighbours, when merged), global mean], [v, neighbours], [a, v, edge].
[[nodiscard]] int node_update_width(const ModelConfig& config);
[[nodiscard]] int neighbourhood_width(const ModelConfig& config);
[[nodiscard]] int agent_update_width(const ModelConfig& config);

// Fills `values` (layout.size() entries) with starting values drawn from `seed`.
template <class S>
void initialise(const ParameterLayout& layout, const ModelConfig& config, std::uint64_t seed, std::span<S> values);

}  // namespace agentnet
