#include "nets/agentnet/weights.h"

#include <algorithm>

#include "agentnet/error.h"

namespace agentnet {

namespace {

CheckedSize checked(Index size) { return {static_cast<std::uint64_t>(size)}; }

template <class S>
Matrix<S> view(const std::vector<S>& values, Index columns) {
  return {const_cast<S*>(values.data()), columns};  // read-only use
}

// Rows of a small matrix through a layer, into a dense vector.
template <class S>
void apply(const Dense<S>& layer, Index rows, const S* x, std::vector<S>& y, const Epilogue<S>& epilogue) {
  y.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(layer.out()));
  layer.forward(rows, {const_cast<S*>(x), layer.in()}, epilogue, {y.data(), layer.out()});
}

template <class S>
Epilogue<S> leaky(double slope) {
  Epilogue<S> e;
  e.leaky = true;
  e.slope = static_cast<S>(slope);
  return e;
}

template <class S>
Epilogue<S> leaky_backward(const S* activated, Stride ld, double slope) {
  Epilogue<S> e;
  e.gate = activated;
  e.ld_gate = ld;
  e.gate_negative = e.gate_zero = static_cast<S>(slope);
  return e;
}

}  // namespace

template <class S>
Weights<S>::Weights(const AgentNetConfig& config)
    : config_(config), layout_(agentnet_layout(config)), gradient_size_(layout_.size()) {
  const Index h = config.hidden;
  agents_slot = layout_.at("agents.weight").offset;
  for (int i = 0; i < 2; ++i) {
    const std::string layer = std::to_string(i);
    embed_node_slots[i] = find_layer("embed.node." + layer);
    embed_edge_slots[i] = find_layer("embed.edge." + layer);
    time_slots_[i] = find_layer("time." + layer);
    head_slots[i] = find_layer("head." + layer);
    readout_slots[i] = find_layer("readout." + layer, i == 0 ? "readout.norm" : "");
    explore_slots[i] = find_layer("move.explore." + layer, i == 0 ? "move.explore.norm" : "");
  }
  for (std::size_t j = 0; j < config.node_categories.size(); ++j) {
    node_table_slots.push_back(layout_.at("embed.node.table." + std::to_string(j) + ".weight").offset);
  }
  for (std::size_t j = 0; !config.edge_kernel && j < config.edge_categories.size(); ++j) {
    edge_table_slots.push_back(layout_.at("embed.edge.table." + std::to_string(j) + ".weight").offset);
  }
  if (const Parameter* table = layout_.find("time.table")) time_table_slot_ = table->offset;

  agent_message_slots = find_layer("agent_message.0", "agent_message.norm");
  edge_message.slots = find_layer("node_message.0", "node_message.norm");
  kernel_message.first_slots = find_layer("edge_kernel.0");
  kernel_message.second_slots = find_layer("edge_kernel.1");
  if (kernel_message.first_slots.out > 0) {
    kernel_message.node_slot = reserve((checked(kernel_message.first_slots.out) + 1) * checked(h), checked(h));
  }
  find_block("node_update", node_update);
  find_block("neighbourhood", neighbourhood);
  find_block("agent_update", agent_update);
  if (config.node_update && config.global_communication) node_update.shared_width = h;

  if (const Parameter* heads = layout_.find("move.edge.heads.weight")) {
    edge_attention.target_slots = find_layer("move.edge.target", "move.edge.norm");
    edge_attention.source_slots = find_layer("move.edge.source", "move.edge.norm");
    edge_attention.feature_slots = find_layer("move.edge.feature");
    edge_attention.heads_slot = heads->offset;
  }
  query_slots = find_layer("move.query.0", "move.query.norm");
  key_slots = find_layer("move.key.0", "move.key.norm");
  if (query_slots.out > 0) {
    attention_slot = reserve(checked(key_slots.in), checked(h));
    attention_bias_slot = reserve(checked(key_slots.in), 1);
  }
  if (const Parameter* p = layout_.find("move.preference.weight")) preference_slot = p->offset;
  window_slots = find_layer("move.window.0", "move.window.norm");
  find_offsets("readout", h, readout_offsets);
}

template <class S>
std::size_t Weights<S>::reserve(CheckedSize rows, CheckedSize columns) {
  const std::size_t slot = gradient_size_;
  const CheckedSize size = CheckedSize(gradient_size_) + rows * columns;
  // The prepared quantities are about as many as the parameters that they are made of.
  if (!size.valid() || size.value() > 4 * kMostElements) {
    throw Error(ErrorKind::kUsage, "the gradient of the model would be too large",
                "make hidden, width or steps smaller");
  }
  gradient_size_ = static_cast<std::size_t>(size.value());
  return slot;
}

template <class S>
LayerSlots Weights<S>::find_layer(const std::string& name, const std::string& norm) const {
  LayerSlots slots;
  const Parameter* weight = layout_.find(name + ".weight");
  if (weight == nullptr) return slots;
  slots.weight = weight->offset;
  slots.out = static_cast<Index>(weight->shape[0]);
  slots.in = static_cast<Index>(weight->shape[1]);
  if (const Parameter* bias = layout_.find(name + ".bias")) slots.bias = bias->offset;
  if (!norm.empty()) {
    slots.gamma = layout_.at(norm + ".weight").offset;
    slots.beta = layout_.at(norm + ".bias").offset;
  }
  return slots;
}

template <class S>
void Weights<S>::find_offsets(const std::string& name, Index width, InputOffsets<S>& offsets) {
  offsets.width = width;
  offsets.time_layer = find_layer(name + ".time");
  if (offsets.time_layer.out > 0) {
    offsets.time_slot = reserve(checked(config_.steps) + 1, checked(width));
  }
  if (const Parameter* p = layout_.find(name + ".size.weight")) offsets.size_slot = p->offset;
}

template <class S>
void Weights<S>::find_block(const std::string& name, Block<S>& block) {
  block.first_slots = find_layer(name + ".0", layout_.find(name + ".0.weight") != nullptr ? name + ".norm" : "");
  block.second_slots = find_layer(name + ".1");
  block.window_slots = find_layer(name + ".window");
  find_offsets(name, block.first_slots.in, block.offsets);
}

template <class S>
LayerSource<S> Weights<S>::source(const LayerSlots& slots) const {
  LayerSource<S> s;
  s.weight = value(slots.weight);
  s.ld = slots.in;
  s.out = slots.out;
  s.in = slots.in;
  if (slots.bias != kAbsent) s.bias = value(slots.bias);
  if (slots.gamma != kAbsent) {
    s.gamma = value(slots.gamma);
    s.beta = value(slots.beta);
  }
  return s;
}

template <class S>
std::vector<InputOffsets<S>*> Weights<S>::timed() {
  return {&node_update.offsets, &neighbourhood.offsets, &agent_update.offsets, &readout_offsets};
}

template <class S>
std::vector<const InputOffsets<S>*> Weights<S>::timed() const {
  return {&node_update.offsets, &neighbourhood.offsets, &agent_update.offsets, &readout_offsets};
}

template <class S>
void Weights<S>::prepare(std::span<const S> values) {
  values_ = values;
  const auto plain = [this](const LayerSlots& slots, Dense<S>& layer) {
    if (slots.out > 0) layer.prepare(source(slots));
  };
  for (int i = 0; i < 2; ++i) {
    plain(embed_node_slots[i], embed_node[i]);
    plain(embed_edge_slots[i], embed_edge[i]);
    plain(time_slots_[i], time_layers_[i]);
    plain(readout_slots[i], readout[i]);
    plain(explore_slots[i], explore[i]);
    plain(head_slots[i], head[i]);
  }
  plain(agent_message_slots, agent_message);
  plain(edge_attention.target_slots, edge_attention.target);
  plain(edge_attention.source_slots, edge_attention.source);
  plain(edge_attention.feature_slots, edge_attention.feature);
  plain(window_slots, window);
  if (time_table_slot_ != kAbsent) prepare_time();
  for (InputOffsets<S>* o : timed()) {
    if (o->size_slot != kAbsent) o->size = value(o->size_slot);
  }
  for (Block<S>* block : {&node_update, &neighbourhood, &agent_update}) {
    if (block->first_slots.out > 0) prepare_block(*block);
  }
  if (edge_message.slots.out > 0) prepare_edge_message();
  if (kernel_message.first_slots.out > 0) prepare_kernel_message();
  if (query_slots.out > 0) prepare_attention();
}

template <class S>
void Weights<S>::prepare_time() {
  const Index rows = config_.steps + 1;
  apply(time_layers_[0], rows, value(time_table_slot_), time_hidden_, leaky<S>(kTimeSlope));
  apply(time_layers_[1], rows, time_hidden_.data(), time_active_, leaky<S>(config_.slope));
  for (InputOffsets<S>* o : timed()) {
    if (o->time_layer.out == 0) continue;
    Dense<S> layer;
    layer.prepare(source(o->time_layer));
    apply(layer, rows, time_active_.data(), o->time, Epilogue<S>{});
  }
}

template <class S>
void Weights<S>::prepare_block(Block<S>& block) {
  // The bias of the first layer carries the norm's beta of all columns, so it is folded before the split.
  LayerSource<S> whole = source(block.first_slots);
  LayerSource<S> own = whole;
  own.in = whole.in - block.shared_width;
  block.first.prepare(own);
  if (block.shared_width > 0) {
    LayerSource<S> shared = whole;
    shared.weight += own.in;
    shared.gamma += own.in;
    shared.beta += own.in;
    shared.in = block.shared_width;
    shared.bias = block.first.bias();  // b + W_own beta_own; the sum over all columns ends up here
    block.shared.prepare(shared);
    block.shared_direction.assign(static_cast<std::size_t>(shared.out), S(0));
    for (Index o = 0; o < shared.out; ++o) {
      for (Index i = 0; i < shared.in; ++i)
        block.shared_direction[static_cast<std::size_t>(o)] += block.shared.row(o)[i];
    }
  }
  block.second.prepare(source(block.second_slots));
  if (block.window_slots.out > 0) block.window.prepare(source(block.window_slots));
}

template <class S>
void Weights<S>::prepare_edge_message() {
  const LayerSource<S> whole = source(edge_message.slots);
  const Index h = config_.hidden;
  LayerSource<S> node = whole;
  node.in = h;
  edge_message.node.prepare(node);
  LayerSource<S> edge = whole;
  edge.weight += h;
  edge.gamma += h;
  edge.beta += h;
  edge.in = whole.in - h;
  edge.bias = edge_message.node.bias();
  edge_message.edge.prepare(edge);
  edge_message.bias.assign(edge_message.edge.bias(), edge_message.edge.bias() + h);
  edge_message.direction.assign(static_cast<std::size_t>(h), S(0));
  for (Index o = 0; o < h; ++o) {
    S& sum = edge_message.direction[static_cast<std::size_t>(o)];
    for (Index i = 0; i < h; ++i) sum += edge_message.node.row(o)[i];
    for (Index i = 0; i < edge.in; ++i) sum += edge_message.edge.row(o)[i];
  }
}

template <class S>
void Weights<S>::prepare_kernel_message() {
  // Entry (i, o) of the edge's matrix is row i h + o of edge_kernel.1: hidden . weight + bias. Seen from the node,
  // product c has W[(c, o), i] = weight[(i, o), c]; the bias is one more c.
  kernel_message.first.prepare(source(kernel_message.first_slots));
  const auto h = static_cast<std::size_t>(config_.hidden);
  const auto hidden = static_cast<std::size_t>(kernel_message.first_slots.out);
  const S* weight = value(kernel_message.second_slots.weight);
  const S* bias = value(kernel_message.second_slots.bias);
  std::vector<S> turned((hidden + 1) * h * h);
  for (std::size_t c = 0; c <= hidden; ++c) {
    for (std::size_t o = 0; o < h; ++o) {
      for (std::size_t i = 0; i < h; ++i) {
        turned[(c * h + o) * h + i] = c < hidden ? weight[(i * h + o) * hidden + c] : bias[i * h + o];
      }
    }
  }
  LayerSource<S> s;
  s.weight = turned.data();
  s.ld = static_cast<Stride>(h);
  s.out = static_cast<Index>((hidden + 1) * h);
  s.in = static_cast<Index>(h);
  kernel_message.node.prepare(s);
}

template <class S>
void Weights<S>::prepare_attention() {
  Dense<S> query, key;
  query.prepare(source(query_slots));
  key.prepare(source(key_slots));
  const auto in = static_cast<std::size_t>(key_slots.in);
  const auto h = static_cast<std::size_t>(config_.hidden);
  std::vector<S> merged(in * h, S(0)), bias(in, S(0));
  kernels<S>().gemm_tn(query.out(), key.in(), query.in(), key.row(0), key.in(), query.row(0), query.in(), merged.data(),
                       query.in());
  for (Index w = 0; w < query.out(); ++w) kernels<S>().axpy(in, query.bias()[w], key.row(w), bias.data());
  LayerSource<S> s;
  s.weight = merged.data();
  s.ld = static_cast<Stride>(h);
  s.out = static_cast<Index>(in);
  s.in = static_cast<Index>(h);
  s.bias = bias.data();
  attention.prepare(s);
}

template <class S>
void Weights<S>::finish_norm(const LayerSlots& slots, S* g) const {
  if (slots.out == 0 || slots.gamma == kAbsent) return;
  unfold_norm(source(slots), g + slots.weight, slots.in, slots.bias != kAbsent ? g + slots.bias : nullptr,
              g + slots.gamma, g + slots.beta);
}

template <class S>
void Weights<S>::finish_gradient(std::span<S> gradient) const {
  S* g = gradient.data();
  if (time_table_slot_ != kAbsent) finish_time(g);
  for (const Block<S>* block : {&node_update, &neighbourhood, &agent_update}) finish_norm(block->first_slots, g);
  finish_norm(agent_message_slots, g);
  finish_norm(edge_message.slots, g);
  finish_norm(explore_slots[0], g);
  finish_norm(window_slots, g);
  finish_norm(readout_slots[0], g);
  if (query_slots.out > 0) finish_attention(g);
  if (edge_attention.heads_slot != kAbsent) finish_edge_attention(g);
  if (kernel_message.node_slot != kAbsent) finish_kernel_message(g);
}

template <class S>
void Weights<S>::finish_kernel_message(S* g) const {
  const auto h = static_cast<std::size_t>(config_.hidden);
  const auto hidden = static_cast<std::size_t>(kernel_message.first_slots.out);
  const S* turned = g + kernel_message.node_slot;  // see prepare_kernel_message
  for (std::size_t i = 0; i < h; ++i) {
    for (std::size_t o = 0; o < h; ++o) {
      for (std::size_t c = 0; c < hidden; ++c) {
        g[kernel_message.second_slots.weight + (i * h + o) * hidden + c] += turned[(c * h + o) * h + i];
      }
      g[kernel_message.second_slots.bias + i * h + o] += turned[(hidden * h + o) * h + i];
    }
  }
}

template <class S>
void Weights<S>::finish_edge_attention(S* g) const {
  // Both layers follow the same norm, and both fold its beta into the one bias.
  const S* d_bias = g + edge_attention.source_slots.bias;
  for (const LayerSlots* slots : {&edge_attention.target_slots, &edge_attention.source_slots}) {
    unfold_norm(source(*slots), g + slots->weight, slots->in, d_bias, g + slots->gamma, g + slots->beta);
  }
}

template <class S>
void Weights<S>::finish_time(S* g) const {
  const Index rows = config_.steps + 1;
  const Index mh = time_layers_[0].out();
  const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(mh);
  std::vector<S> d_active(size, S(0));  // gradient of act(t), then of t
  for (const InputOffsets<S>* o : timed()) {
    if (o->time_layer.out == 0) continue;
    Dense<S> layer;
    layer.prepare(source(o->time_layer));
    const Matrix<S> d_rows{g + o->time_slot, o->width};
    accumulate_layer(rows, o->width, mh, d_rows, view(time_active_, mh), g + o->time_layer.weight, mh,
                     g + o->time_layer.bias);
    Epilogue<S> add;
    add.accumulate = true;
    layer.backward_input(rows, d_rows, add, {d_active.data(), mh});
  }
  for (std::size_t i = 0; i < size; ++i) d_active[i] *= time_active_[i] > 0 ? S(1) : static_cast<S>(config_.slope);
  std::vector<S> d_hidden(size);
  accumulate_layer(rows, mh, mh, {d_active.data(), mh}, view(time_hidden_, mh), g + time_slots_[1].weight, mh,
                   g + time_slots_[1].bias);
  time_layers_[1].backward_input(rows, {d_active.data(), mh}, leaky_backward(time_hidden_.data(), mh, kTimeSlope),
                                 {d_hidden.data(), mh});
  const Matrix<S> table{const_cast<S*>(value(time_table_slot_)), config_.hidden};
  accumulate_layer(rows, mh, config_.hidden, {d_hidden.data(), mh}, table, g + time_slots_[0].weight, config_.hidden,
                   g + time_slots_[0].bias);
}

template <class S>
void Weights<S>::finish_attention(S* g) const {
  // attention = Wk'^T Wq' and Wk'^T bq'. The key's bias and beta shift all logits of an agent alike: no gradient.
  Dense<S> query, key;
  query.prepare(source(query_slots));
  key.prepare(source(key_slots));
  const Index wide = query.out(), in = key.in(), h = query.in();
  const S* d_merged = g + attention_slot;     // [in, h]
  const S* d_bias = g + attention_bias_slot;  // [in]

  LayerSource<S> s;  // as a layer: x [wide, h] -> x d_merged^T [wide, in]
  s.weight = d_merged;
  s.ld = h;
  s.out = in;
  s.in = h;
  Dense<S> turn;
  turn.prepare(s);
  Epilogue<S> add;
  add.accumulate = true;
  turn.forward(wide, {const_cast<S*>(query.row(0)), h}, add, {g + key_slots.weight, in}, /*plain=*/true);
  turn.backward_input(wide, {const_cast<S*>(key.row(0)), in}, add, {g + query_slots.weight, h});
  for (Index w = 0; w < wide; ++w) {
    kernels<S>().axpy(static_cast<std::size_t>(in), query.bias()[w], d_bias,
                      g + key_slots.weight + static_cast<std::size_t>(w) * static_cast<std::size_t>(in));
    g[query_slots.bias + static_cast<std::size_t>(w)] +=
        kernels<S>().dot(static_cast<std::size_t>(in), key.row(w), d_bias);
  }
  finish_norm(query_slots, g);
  finish_norm(key_slots, g);
}

template class Weights<float>;
template class Weights<double>;

}  // namespace agentnet
