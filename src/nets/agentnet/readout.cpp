#include "nets/agentnet/readout.h"

namespace agentnet {

namespace {

template <class S>
RowIds agent_ids(const Walk<S>& walk) {
  return {walk.graph_of_agent, walk.number_of_agent};
}

// Rows that are whole graphs.
template <class S>
RowIds graph_rows(const Walk<S>& walk) {
  Index* graph = walk.scratch->template take<Index>(static_cast<std::size_t>(walk.B));
  for (Index g = 0; g < walk.B; ++g) graph[g] = g;
  return {graph, nullptr};
}

// [max over agents, mean over agents]; the first of equals is the arg max.
template <class S>
void pool(const Walk<S>& walk, Matrix<S> said, ReadoutRecord<S>& record) {
  const Index width = 2 * walk.h;
  for (Index g = 0; g < walk.B; ++g) {
    S* largest = record.pooled.row(g);
    Index* arg = record.arg_max + static_cast<Stride>(g) * width;
    kernels<S>().pool_rows(walk.agents_of(g), width, said.row(walk.first_agent[g]), said.ld, largest, arg,
                           largest + width);
    for (Index j = 0; j < width; ++j) arg[j] += walk.first_agent[g];
  }
}

// Backward of the pooling into a full matrix, for the two-layer phi_o and for dropout.
template <class S>
Matrix<S> pool_backward(const Walk<S>& walk, const ReadoutRecord<S>& record, Matrix<S> d_pooled) {
  const Index width = 2 * walk.h;
  Matrix<S> d_said = walk.scratch->template matrix<S>(walk.A, width);
  for (Index a = 0; a < walk.A; ++a) {
    const S* d_mean = d_pooled.row(walk.graph_of_agent[a]) + width;
    const S share = S(1) / static_cast<S>(walk.agents_of(walk.graph_of_agent[a]));
    for (Index j = 0; j < width; ++j) d_said.row(a)[j] = d_mean[j] * share;
  }
  for (Index g = 0; g < walk.B; ++g) {
    const Index* arg = record.arg_max + static_cast<Stride>(g) * width;
    for (Index j = 0; j < width; ++j) d_said.row(arg[j])[j] += d_pooled.row(g)[j];
  }
  return d_said;
}

// The same through a single linear layer without making that matrix: the mean sends every agent of a graph the same
// row, the maximum sends each of its 2h columns to one agent. Gives d_xhat [A, h].
template <class S>
Matrix<S> sparse_backward(const Walk<S>& walk, const ReadoutRecord<S>& record, Matrix<S> d_pooled) {
  const Kernels<S>& k = kernels<S>();
  const Index h = walk.h, width = 2 * h;
  const Dense<S>& layer = walk.weights->readout[0];
  const LayerSlots& slots = walk.weights->readout_slots[0];
  S* d_weight = walk.gradient + slots.weight;
  S* d_bias = walk.gradient + slots.bias;

  Matrix<S> d_mean = walk.scratch->template matrix<S>(walk.B, width);  // per agent
  for (Index g = 0; g < walk.B; ++g) {
    for (Index j = 0; j < width; ++j) d_mean.row(g)[j] = d_pooled.row(g)[width + j] / static_cast<S>(walk.agents_of(g));
  }
  if (!walk.explaining) {
    Matrix<S> xhat_sum = walk.scratch->template zero_matrix<S>(walk.B, h);  // over the agents of a graph
    k.scatter_add(walk.A, h, record.xhat.data, record.xhat.ld, walk.graph_of_agent, nullptr, xhat_sum.data,
                  xhat_sum.ld);
    k.gemm_tn(walk.B, width, h, d_mean.data, d_mean.ld, xhat_sum.data, xhat_sum.ld, d_weight, h);
    k.column_sums(walk.B, width, d_pooled.data, d_pooled.ld, d_bias);
    k.column_sums(walk.B, width, d_pooled.data + width, d_pooled.ld, d_bias);
  }

  Matrix<S> d_row = walk.scratch->template matrix<S>(walk.B, h);
  layer.backward_input(walk.B, d_mean, {}, d_row);
  Matrix<S> d_xhat = walk.scratch->template matrix<S>(walk.A, h);
  k.gather_add(walk.A, h, d_row.data, d_row.ld, walk.graph_of_agent, nullptr, 0, nullptr, d_xhat.data, d_xhat.ld);
  for (Index g = 0; g < walk.B; ++g) {
    const Index* arg = record.arg_max + static_cast<Stride>(g) * width;
    const S* d = d_pooled.row(g);
    k.scatter_add(width, h, layer.row(0), h, arg, d, d_xhat.data, d_xhat.ld);
    if (walk.explaining) continue;
    for (Index j = 0; j < width; ++j) {
      k.axpy(static_cast<std::size_t>(h), d[j], record.xhat.row(arg[j]), d_weight + static_cast<Stride>(j) * h);
    }
  }
  return d_xhat;
}

template <class S>
Matrix<S> dense_backward(const Walk<S>& walk, int t, const ReadoutRecord<S>& record, Matrix<S> d_pooled) {
  const Dense<S>* layers = walk.weights->readout;
  const LayerSlots* slots = walk.weights->readout_slots;
  Matrix<S> d_said = pool_backward(walk, record, d_pooled);
  if (walk.drops()) apply_dropout(walk, DropoutSite::kReadoutOut, t, walk.A, 2 * walk.h, agent_ids(walk), d_said);
  Matrix<S> d_first = d_said;
  if (layers[1].ready()) {
    accumulate_weights(walk, walk.A, layers[1].out(), layers[1].in(), d_said, record.hidden, slots[1].weight,
                       layers[1].in(), slots[1].bias);
    d_first = walk.scratch->template matrix<S>(walk.A, layers[0].out());
    layers[1].backward_input(walk.A, d_said, activation_backward(walk, walk.config().slope, record.hidden), d_first);
  }
  accumulate_weights(walk, walk.A, layers[0].out(), walk.h, d_first, record.xhat, slots[0].weight, walk.h,
                     slots[0].bias);
  Matrix<S> d_xhat = walk.scratch->template matrix<S>(walk.A, walk.h);
  layers[0].backward_input(walk.A, d_first, {}, d_xhat);
  return d_xhat;
}

}  // namespace

template <class S>
void readout_forward(const Walk<S>& walk, int t, ReadoutRecord<S>& record, Matrix<S> out) {
  const Kernels<S>& k = kernels<S>();
  const Weights<S>& w = *walk.weights;
  const Index width = 2 * walk.h;
  record.xhat = walk.keep().template matrix<S>(walk.A, walk.h);
  record.rstd = walk.keep().template take<S>(static_cast<std::size_t>(walk.A));
  const OffsetRows<S> offsets = offset_rows(walk, w.readout_offsets, t, walk.graph_of_agent);
  k.gather_add(walk.A, walk.h, walk.agents.data, walk.agents.ld, nullptr, offsets.data, offsets.ld, offsets.of_row,
               record.xhat.data, record.xhat.ld);
  k.normalise(walk.A, walk.h, record.xhat.data, record.xhat.ld, 0, nullptr, nullptr, static_cast<S>(kNormEpsilon),
              nullptr, record.rstd);
  Matrix<S> said = walk.scratch->template matrix<S>(walk.A, width);
  if (w.readout[1].ready()) {
    record.hidden = walk.keep().template matrix<S>(walk.A, w.readout[0].out());
    w.readout[0].forward(walk.A, record.xhat, activation<S>(walk.config().slope), record.hidden);
    if (walk.drops()) {
      apply_dropout(walk, DropoutSite::kReadoutHidden, t, walk.A, w.readout[0].out(), agent_ids(walk), record.hidden);
    }
    w.readout[1].forward(walk.A, record.hidden, {}, said);
  } else {
    w.readout[0].forward(walk.A, record.xhat, {}, said);
  }
  if (walk.drops()) apply_dropout(walk, DropoutSite::kReadoutOut, t, walk.A, width, agent_ids(walk), said);

  record.pooled = walk.keep().template matrix<S>(walk.B, 2 * width);
  record.arg_max = walk.keep().template take<Index>(static_cast<std::size_t>(walk.B) * static_cast<std::size_t>(width));
  pool(walk, said, record);

  if (w.head[1].ready()) {
    record.head_hidden = walk.keep().template matrix<S>(walk.B, w.head[0].out());
    w.head[0].forward(walk.B, record.pooled, activation<S>(walk.config().slope), record.head_hidden);
    if (walk.drops()) {
      apply_dropout(walk, DropoutSite::kHeadHidden, t, walk.B, w.head[0].out(), graph_rows(walk), record.head_hidden);
    }
    w.head[1].forward(walk.B, record.head_hidden, {}, out);
  } else {
    w.head[0].forward(walk.B, record.pooled, {}, out);
  }
  if (walk.drops()) apply_dropout(walk, DropoutSite::kHeadOut, t, walk.B, walk.config().outputs, graph_rows(walk), out);
}

template <class S>
void readout_backward(const Walk<S>& walk, int t, const ReadoutRecord<S>& record, Matrix<S> d_out) {
  const Kernels<S>& k = kernels<S>();
  const Weights<S>& w = *walk.weights;
  if (walk.drops())
    apply_dropout(walk, DropoutSite::kHeadOut, t, walk.B, walk.config().outputs, graph_rows(walk), d_out);

  Matrix<S> d_first = d_out;
  if (w.head[1].ready()) {
    accumulate_weights(walk, walk.B, w.head[1].out(), w.head[1].in(), d_out, record.head_hidden, w.head_slots[1].weight,
                       w.head[1].in(), w.head_slots[1].bias);
    d_first = walk.scratch->template matrix<S>(walk.B, w.head[0].out());
    w.head[1].backward_input(walk.B, d_out, activation_backward(walk, walk.config().slope, record.head_hidden),
                             d_first);
  }
  accumulate_weights(walk, walk.B, w.head[0].out(), w.head[0].in(), d_first, record.pooled, w.head_slots[0].weight,
                     w.head[0].in(), w.head_slots[0].bias);
  Matrix<S> d_pooled = walk.scratch->template matrix<S>(walk.B, w.head[0].in());
  w.head[0].backward_input(walk.B, d_first, {}, d_pooled);

  const bool sparse = !w.readout[1].ready() && !walk.drops();
  Matrix<S> dz = sparse ? sparse_backward(walk, record, d_pooled) : dense_backward(walk, t, record, d_pooled);
  k.normalise_backward(walk.A, walk.h, record.xhat.data, record.xhat.ld, 0, record.rstd, nullptr, nullptr, dz.data,
                       dz.ld);
  offset_gradient(walk, w.readout_offsets, t, walk.A, 0, walk.h, dz, walk.graph_of_agent);
  k.scatter_add(walk.A, walk.h, dz.data, dz.ld, nullptr, nullptr, walk.d_agents.data, walk.d_agents.ld);
}

#define AGENTNET_INSTANTIATE(S)                                                     \
  template void readout_forward(const Walk<S>&, int, ReadoutRecord<S>&, Matrix<S>); \
  template void readout_backward(const Walk<S>&, int, const ReadoutRecord<S>&, Matrix<S>);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)
#undef AGENTNET_INSTANTIATE

}  // namespace agentnet
