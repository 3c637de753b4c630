#include "nets/agentnet/node_update.h"

namespace agentnet {

namespace {

constexpr BlockSites kSites = {DropoutSite::kNodeUpdateHidden, DropoutSite::kNodeUpdateOut};

// Whether the merged function updates the agents as well.
bool updates_agents(const AgentNetConfig& config) {
  return config.merge == Merge::kAgent || config.merge == Merge::kWalk;
}

// phi(a, e) = LeakyReLU(Linear(LN([a, w e_taken]))); the first visit has e_taken = 0.
template <class S>
void agent_message_forward(const Walk<S>& walk, NodeUpdateRecord<S>& record) {
  const Kernels<S>& k = kernels<S>();
  const Index width = walk.h + walk.e;
  record.phi_xhat = walk.keep().template matrix<S>(walk.A, width);
  record.phi_rstd = walk.keep().template take<S>(static_cast<std::size_t>(walk.A));
  record.phi = walk.keep().template matrix<S>(walk.A, walk.h);
  k.gather_add(walk.A, walk.h, walk.agents.data, walk.agents.ld, nullptr, nullptr, 0, nullptr, record.phi_xhat.data,
               record.phi_xhat.ld);
  for (Index a = 0; a < walk.A; ++a) {
    S* to = record.phi_xhat.row(a) + walk.h;
    for (Index j = 0; j < walk.e; ++j)
      to[j] = walk.taken[a] == kNone ? S(0) : walk.terrain->edges().row(walk.taken[a])[j];
  }
  k.normalise(walk.A, width, record.phi_xhat.data, record.phi_xhat.ld, 0, nullptr, nullptr,
              static_cast<S>(kNormEpsilon), nullptr, record.phi_rstd);
  walk.weights->agent_message.forward(walk.A, record.phi_xhat, activation<S>(walk.config().edge_slope), record.phi);
}

template <class S>
void agent_message_backward(const Walk<S>& walk, const NodeUpdateRecord<S>& record, Matrix<S> d_phi) {
  const Kernels<S>& k = kernels<S>();
  const Index width = walk.h + walk.e;
  const S slope = static_cast<S>(walk.config().edge_slope);
  for (Index a = 0; a < walk.A; ++a) {
    for (Index j = 0; j < walk.h; ++j) d_phi.row(a)[j] *= record.phi.row(a)[j] > 0 ? S(1) : slope;
  }
  const LayerSlots& slots = walk.weights->agent_message_slots;
  accumulate_weights(walk, walk.A, walk.h, width, d_phi, record.phi_xhat, slots.weight, width, slots.bias);
  Matrix<S> dz = walk.scratch->template matrix<S>(walk.A, width);
  walk.weights->agent_message.backward_input(walk.A, d_phi, {}, dz);
  k.normalise_backward(walk.A, width, record.phi_xhat.data, record.phi_xhat.ld, 0, record.phi_rstd, nullptr, nullptr,
                       dz.data, dz.ld);
  k.scatter_add(walk.A, walk.h, dz.data, dz.ld, nullptr, nullptr, walk.d_agents.data, walk.d_agents.ld);
  for (Index a = 0; a < walk.A; ++a) {
    if (walk.taken[a] == kNone) continue;
    const S* d = dz.row(a) + walk.h;
    const S* edge = walk.terrain->edges().row(walk.taken[a]);
    S* d_edge = walk.d_edges.row(walk.taken[a]);
    for (Index j = 0; j < walk.e; ++j) {
      d_edge[j] += d[j];
      walk.d_weight[a] += d[j] * edge[j];
    }
  }
}

// The mean over the agents of each graph, as a scaled sum over consecutive rows.
template <class S>
struct GlobalMean {
  explicit GlobalMean(const Walk<S>& walk) {
    const auto graphs = static_cast<std::size_t>(walk.B);
    first = walk.scratch->template take<std::int64_t>(graphs + 1);
    scale = walk.scratch->template take<S>(graphs);
    index = walk.scratch->template take<Index>(graphs);
    everyone = walk.scratch->template take<Index>(static_cast<std::size_t>(walk.A));
    for (Index g = 0; g <= walk.B; ++g) first[g] = walk.first_agent[g];
    for (Index g = 0; g < walk.B; ++g) {
      scale[g] = S(1) / static_cast<S>(walk.agents_of(g));
      index[g] = g;
    }
    for (Index a = 0; a < walk.A; ++a) everyone[a] = a;
  }
  std::int64_t* first;
  S* scale;
  Index* index;
  Index* everyone;
};

}  // namespace

template <class S>
Matrix<S> add_to_nodes(const Walk<S>& walk, Index count, const Index* rows, Matrix<S> delta) {
  const Kernels<S>& k = kernels<S>();
  const Matrix<S> nodes = walk.terrain->nodes();
  Matrix<S> old_states;
  if (walk.training) {
    old_states = walk.record->template matrix<S>(count, walk.h);
    k.gather_add(count, walk.h, nodes.data, nodes.ld, rows, nullptr, 0, nullptr, old_states.data, old_states.ld);
  }
  k.scatter_add(count, walk.h, delta.data, delta.ld, rows, nullptr, nodes.data, nodes.ld);
  return old_states;
}

template <class S>
void restore_nodes(const Walk<S>& walk, Index count, const Index* rows, Matrix<S> old_states) {
  const Matrix<S> nodes = walk.terrain->nodes();
  for (Index i = 0; i < count; ++i) {
    const S* from = old_states.row(i);
    S* to = nodes.row(rows[i]);
    for (Index j = 0; j < walk.h; ++j) to[j] = from[j];
  }
}

template <class S>
void node_update_forward(const Walk<S>& walk, Messages<S>& messages, const Occupied<S>& occupied, int t,
                         NodeUpdateRecord<S>& record, Matrix<S> new_agents) {
  const Kernels<S>& k = kernels<S>();
  const Block<S>& block = walk.weights->node_update;
  const Index h = walk.h;
  if (walk.e > 0) {
    agent_message_forward(walk, record);
  } else {
    record.phi = walk.agents;
  }
  const auto from_column = [](OffsetRows<S> offsets, Index column) {
    if (offsets.data != nullptr) offsets.data += column;
    return offsets;
  };

  BlockRecord<S>& b = record.block;
  b.rows = occupied.count;
  b.graph = occupied.graph;
  b.ids = {occupied.graph, occupied.node};
  b.xhat = walk.keep().template matrix<S>(b.rows, block.own_width());
  const Matrix<S> nodes = walk.terrain->nodes();
  const OffsetRows<S> offsets = offset_rows(walk, block.offsets, t, occupied.graph);
  k.gather_add(b.rows, h, nodes.data, nodes.ld, occupied.row, offsets.data, offsets.ld, offsets.of_row, b.xhat.data,
               b.xhat.ld);
  const OffsetRows<S> second = from_column(offsets, h);
  k.segment_sum(b.rows, h, occupied.first, occupied.first + 1, occupied.agents, occupied.scale, record.phi.data,
                record.phi.ld, second.data, second.ld, second.of_row, b.xhat.data + h, b.xhat.ld);
  if (walk.config().merge == Merge::kWalk) {
    edge_attention_forward(walk, occupied, from_column(offsets, 2 * h), record.attention, b.xhat.from_column(2 * h));
  } else if (walk.config().merge != Merge::kNone) {
    messages.forward(walk, record.merged, b.rows, occupied.row, from_column(offsets, 2 * h), b.xhat.from_column(2 * h));
  }
  if (block.shared_width > 0) {
    const GlobalMean<S> mean(walk);
    const OffsetRows<S> shared = from_column(offset_rows(walk, block.offsets, t, mean.index), block.own_width());
    b.shared = walk.keep().template matrix<S>(walk.B, h);
    k.segment_sum(walk.B, h, mean.first, mean.first + 1, mean.everyone, mean.scale, record.phi.data, record.phi.ld,
                  shared.data, shared.ld, shared.of_row, b.shared.data, b.shared.ld);
  }

  Matrix<S> delta = walk.keep().template matrix<S>(b.rows, block.second.out());
  block_forward(walk, block, kSites, t, b, {}, delta);
  record.old_states = add_to_nodes(walk, b.rows, occupied.row, delta);
  messages.changed(b.rows, occupied.row);
  if (updates_agents(walk.config())) {
    record.agent_delta = delta.from_column(h);
    const GlobalMean<S> all(walk);
    k.gather_add(walk.A, h, record.agent_delta.data, record.agent_delta.ld, occupied.node_of, walk.agents.data,
                 walk.agents.ld, all.everyone, new_agents.data, new_agents.ld);
  }
}

template <class S>
void node_update_backward(const Walk<S>& walk, Messages<S>& messages, const Occupied<S>& occupied, int t,
                          const NodeUpdateRecord<S>& record) {
  const Kernels<S>& k = kernels<S>();
  const Block<S>& block = walk.weights->node_update;
  const Index h = walk.h, U = occupied.count;
  Matrix<S> d_delta = walk.scratch->template matrix<S>(U, block.second.out());
  k.gather_add(U, h, walk.d_nodes.data, walk.d_nodes.ld, occupied.row, nullptr, 0, nullptr, d_delta.data, d_delta.ld);
  if (updates_agents(walk.config())) {
    S* ones = walk.scratch->template take<S>(static_cast<std::size_t>(U));
    for (Index i = 0; i < U; ++i) ones[i] = S(1);
    k.segment_sum(U, h, occupied.first, occupied.first + 1, occupied.agents, ones, walk.d_agents.data, walk.d_agents.ld,
                  nullptr, 0, nullptr, d_delta.data + h, d_delta.ld);
    k.row_dots(walk.A, h, walk.d_agents.data, walk.d_agents.ld, nullptr, record.agent_delta.data, record.agent_delta.ld,
               occupied.node_of, nullptr, walk.d_weight);
  }
  Matrix<S> d_shared = walk.scratch->template matrix<S>(walk.B, h);
  Matrix<S> dz = block_backward(walk, block, kSites, t, record.block, d_delta, d_shared);

  restore_nodes(walk, U, occupied.row, record.old_states);
  k.scatter_add(U, h, dz.data, dz.ld, occupied.row, nullptr, walk.d_nodes.data, walk.d_nodes.ld);
  if (walk.config().merge == Merge::kWalk) {
    edge_attention_backward(walk, occupied, record.attention, dz.from_column(2 * h));
  } else if (walk.config().merge != Merge::kNone) {
    messages.backward(walk, record.merged, dz.from_column(2 * h));
  }

  // The agents' share: scaled sum of w_j phi_j, and the plain mean.
  Matrix<S> d_phi = walk.d_agents;
  if (walk.e > 0) d_phi = walk.scratch->template zero_matrix<S>(walk.A, h);
  k.segment_scatter(U, h, occupied.first, occupied.first + 1, occupied.agents, occupied.scale, dz.data + h, dz.ld,
                    d_phi.data, d_phi.ld);
  S* scale = walk.scratch->template take<S>(static_cast<std::size_t>(walk.A));
  for (Index a = 0; a < walk.A; ++a) scale[a] = occupied.scale[occupied.node_of[a]];
  k.row_dots(walk.A, h, dz.data + h, dz.ld, occupied.node_of, record.phi.data, record.phi.ld, nullptr, scale,
             walk.d_weight);
  if (block.shared_width > 0) {
    const GlobalMean<S> mean(walk);
    k.segment_scatter(walk.B, h, mean.first, mean.first + 1, mean.everyone, mean.scale, d_shared.data, d_shared.ld,
                      d_phi.data, d_phi.ld);
  }
  if (walk.e > 0) agent_message_backward(walk, record, d_phi);
}

#define AGENTNET_INSTANTIATE(S)                                                                                  \
  template Matrix<S> add_to_nodes(const Walk<S>&, Index, const Index*, Matrix<S>);                               \
  template void restore_nodes(const Walk<S>&, Index, const Index*, Matrix<S>);                                   \
  template void node_update_forward(const Walk<S>&, Messages<S>&, const Occupied<S>&, int, NodeUpdateRecord<S>&, \
                                    Matrix<S>);                                                                  \
  template void node_update_backward(const Walk<S>&, Messages<S>&, const Occupied<S>&, int, const NodeUpdateRecord<S>&);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)
#undef AGENTNET_INSTANTIATE

}  // namespace agentnet
