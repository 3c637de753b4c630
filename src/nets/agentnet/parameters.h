// AgentNet's parameters: which tensors a configuration has, and how they start.
//
// The names, with their counterparts in the authors' state dict:
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

#include "agentnet/config.h"
#include "nn/parameters.h"

namespace agentnet {

// Throws Error (kUsage) naming the first option that is out of its range, whatever the others are.
void check_option_ranges(const AgentNetConfig& config);

// The layout of a configuration. Throws Error (kUsage) if options are out of range or the network would be too large.
[[nodiscard]] ParameterLayout agentnet_layout(const AgentNetConfig& config);

// Input widths of the three update functions (docs/spec.md, section 2); the order of their parts is
// [v, messages of agents, (neighbours, when merged), global mean], [v, neighbours], [a, v, edge].
[[nodiscard]] int node_update_width(const AgentNetConfig& config);
[[nodiscard]] int neighbourhood_width(const AgentNetConfig& config);
[[nodiscard]] int agent_update_width(const AgentNetConfig& config);

// Fills `values` (as many as the layout of `config` has) with starting values drawn from `seed`.
template <class S>
void initialise_agentnet(const ParameterLayout& layout, const AgentNetConfig& config, std::uint64_t seed,
                         std::span<S> values);

}  // namespace agentnet
