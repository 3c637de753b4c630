// The parameters as one optimizer step uses them, and the gradient as it is collected.
//
// Everything that depends on the weights alone is computed once per step: layer norms folded into
// the layers after them, Q and K merged into one matrix (docs/spec.md, section 4), the time rows of every
// function, all matrices packed for the kernels. A shard collects gradients of these prepared
// quantities; finish_gradient takes them apart once per step.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agentnet/config.h"
#include "core/checked.h"
#include "nets/agentnet/parameters.h"
#include "nn/input_scale.h"
#include "tensor/dense.h"

namespace agentnet {

constexpr double kNormEpsilon = 1e-5;
constexpr double kTimeSlope = 0.01;  // of the time MLP, whatever the model's slope is

// Places of one linear layer and of the norm before it, in the flat buffer; kAbsent where there is none.
constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);
struct LayerSlots {
  std::size_t weight = kAbsent, bias = kAbsent;
  std::size_t gamma = kAbsent, beta = kAbsent;
  Index out = 0, in = 0;
};

// Rows that are added to a function's input before its norm: time (docs/spec.md, section 1), graph size.
template <class S>
struct InputOffsets {
  Index width = 0;
  std::vector<S> time;      // [T + 1, width]; empty: not conditioned on time
  const S* size = nullptr;  // [width]; null: not conditioned on the size of the graph
  LayerSlots time_layer;
  std::size_t size_slot = kAbsent;
  std::size_t time_slot = kAbsent;  // of the gradient of `time`
};

// One of the update functions f_v, f_n, f_a.
template <class S>
struct Block {
  LayerSlots first_slots, second_slots;
  Dense<S> first;  // the columns of the first layer that differ from row to row
  Dense<S> second;
  InputOffsets<S> offsets;

  // f_v only: the last `shared_width` input columns are the same for all nodes of a graph.
  Index shared_width = 0;
  Dense<S> shared;
  std::vector<S> shared_direction;  // W'_shared 1 [wide]

  // f_a with a window only: columns that pass no norm, W_window [wide, 2 s].
  LayerSlots window_slots;
  Dense<S> window;

  [[nodiscard]] bool present() const { return first.ready(); }
  [[nodiscard]] Index own_width() const { return first.in(); }
  [[nodiscard]] Index wide() const { return first.out(); }
};

// psi with edge features: LeakyReLU(Linear(LN([v, e]))) needs one product per node and one per edge, because
// Linear(LN([v, e])) = (W'_v v + W'_e e - mu W' 1) / sigma + b'.
template <class S>
struct EdgeMessage {
  LayerSlots slots;
  Dense<S> node;             // W'_v [h, h]
  Dense<S> edge;             // W'_e [h, e]
  std::vector<S> direction;  // W' 1 [h]
  std::vector<S> bias;       // b' [h]
};

// psi of the QM9 variant: message = v^T (sum_c hidden_c(e) K_c + K_bias).
template <class S>
struct KernelMessage {
  LayerSlots first_slots, second_slots;
  Dense<S> first;                   // e -> hidden [mh, e]
  Dense<S> node;                    // v -> all products v^T K_c, and v^T K_bias last: [(mh + 1) h, h]
  std::size_t node_slot = kAbsent;  // of its gradient
};

// The attention over edges that Merge::kWalk shares between looking around and moving (edge_attention.h).
template <class S>
struct EdgeAttention {
  LayerSlots target_slots, source_slots, feature_slots;
  Dense<S> target, source, feature;
  std::size_t heads_slot = kAbsent;  // [2, h]
};

template <class S>
class Weights {
 public:
  explicit Weights(const AgentNetConfig& config);

  [[nodiscard]] const AgentNetConfig& config() const { return config_; }
  [[nodiscard]] const ParameterLayout& layout() const { return layout_; }

  // Folds and packs. `values` (layout().size() entries) must stay as they are until the next call.
  void prepare(std::span<const S> values);

  // Elements of a gradient as shards collect it: the parameters, then the prepared quantities.
  [[nodiscard]] std::size_t gradient_size() const { return gradient_size_; }
  // Turns a collected gradient into that of the parameters, in place in its first layout().size() entries.
  void finish_gradient(std::span<S> gradient) const;

  // A parameter's values; `slot` is an offset into the flat buffer.
  [[nodiscard]] const S* value(std::size_t slot) const { return values_.data() + slot; }

  InputScale inputs;  // how dense features are read

  // The parts of the model, in the order of a visit.
  std::size_t agents_slot = 0;  // [k, h]
  LayerSlots embed_node_slots[2];
  Dense<S> embed_node[2];
  std::vector<std::size_t> node_table_slots;
  LayerSlots embed_edge_slots[2];
  Dense<S> embed_edge[2];
  std::vector<std::size_t> edge_table_slots;

  LayerSlots agent_message_slots;
  Dense<S> agent_message;  // phi [h, h + e]
  EdgeMessage<S> edge_message;
  KernelMessage<S> kernel_message;
  Block<S> node_update, neighbourhood, agent_update;

  EdgeAttention<S> edge_attention;

  LayerSlots query_slots, key_slots;
  Dense<S> attention;                    // Wk'^T Wq' [2h + e, h], bias Wk'^T bq'
  std::size_t attention_slot = kAbsent;  // of its gradient, [2h + e, h]
  std::size_t attention_bias_slot = kAbsent;
  std::size_t preference_slot = kAbsent;
  LayerSlots explore_slots[2];
  Dense<S> explore[2];
  LayerSlots window_slots;
  Dense<S> window;  // an agent's preferences for the bits of its window [2 s, h]

  LayerSlots readout_slots[2];
  Dense<S> readout[2];
  InputOffsets<S> readout_offsets;
  LayerSlots head_slots[2];
  Dense<S> head[2];

 private:
  [[nodiscard]] LayerSlots find_layer(const std::string& name, const std::string& norm = {}) const;
  [[nodiscard]] LayerSource<S> source(const LayerSlots& slots) const;
  void find_block(const std::string& name, Block<S>& block);
  void find_offsets(const std::string& name, Index width, InputOffsets<S>& offsets);
  std::size_t reserve(CheckedSize rows, CheckedSize columns);

  void prepare_time();
  void prepare_block(Block<S>& block);
  void prepare_edge_message();
  void prepare_kernel_message();
  void prepare_attention();
  void finish_norm(const LayerSlots& slots, S* gradient) const;
  void finish_edge_attention(S* gradient) const;
  void finish_time(S* gradient) const;
  void finish_attention(S* gradient) const;
  void finish_kernel_message(S* gradient) const;
  [[nodiscard]] std::vector<InputOffsets<S>*> timed();
  [[nodiscard]] std::vector<const InputOffsets<S>*> timed() const;

  AgentNetConfig config_;
  ParameterLayout layout_;
  std::size_t gradient_size_ = 0;
  std::span<const S> values_;

  // The time MLP and what its backward needs.
  std::size_t time_table_slot_ = kAbsent;
  LayerSlots time_slots_[2];
  Dense<S> time_layers_[2];
  std::vector<S> time_hidden_;  // [T + 1, mh], after the activation
  std::vector<S> time_active_;  // [T + 1, mh], act(t), what every projection reads
};

}  // namespace agentnet
