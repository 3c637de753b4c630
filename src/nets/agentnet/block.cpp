#include "nets/agentnet/block.h"

#include <algorithm>

namespace agentnet {

template <class S>
Epilogue<S> activation(double slope) {
  Epilogue<S> e;
  e.leaky = true;
  e.slope = static_cast<S>(slope);
  return e;
}

template <class S>
Epilogue<S> activation_backward(const Walk<S>& walk, double slope, Matrix<S> activated) {
  // A dropped entry is exactly zero, a kept one has the sign of what entered the activation.
  const double keep = walk.drops() ? 1 / (1 - walk.config().dropout) : 1;
  Epilogue<S> e;
  e.gate = activated.data;
  e.ld_gate = activated.ld;
  e.gate_positive = static_cast<S>(keep);
  e.gate_negative = static_cast<S>(slope * keep);
  e.gate_zero = walk.drops() ? S(0) : static_cast<S>(slope);
  return e;
}

template <class S>
void block_forward(const Walk<S>& walk, const Block<S>& block, BlockSites sites, int t, BlockRecord<S>& record,
                   Matrix<S> residual, Matrix<S> out) {
  const Kernels<S>& k = kernels<S>();
  Arena& keep = walk.keep();
  const Index rows = record.rows;
  const auto count = static_cast<std::size_t>(rows);
  record.rstd = keep.take<S>(count);
  record.hidden = keep.matrix<S>(rows, block.wide());
  Epilogue<S> first = activation<S>(walk.config().slope);

  if (block.shared_width == 0) {
    k.normalise(rows, block.own_width(), record.xhat.data, record.xhat.ld, 0, nullptr, nullptr,
                static_cast<S>(kNormEpsilon), nullptr, record.rstd);
  } else {
    // The norm runs over own and shared columns; the shared ones enter it by their mean and centred squares, and
    // their product with the weights is made once per graph: W'_s (s - mean) rstd = rstd (W'_s s) - rstd mean (W'_s 1).
    S* mean = walk.scratch->template take<S>(static_cast<std::size_t>(walk.B));
    S* m2 = walk.scratch->template take<S>(static_cast<std::size_t>(walk.B));
    k.row_stats(walk.B, block.shared_width, record.shared.data, record.shared.ld, nullptr, mean, m2);
    S* row_mean = walk.scratch->template take<S>(count);
    S* row_m2 = walk.scratch->template take<S>(count);
    for (Index i = 0; i < rows; ++i) {
      row_mean[i] = mean[record.graph[i]];
      row_m2[i] = m2[record.graph[i]];
    }
    record.mean = keep.take<S>(count);
    k.normalise(rows, block.own_width(), record.xhat.data, record.xhat.ld, block.shared_width, row_mean, row_m2,
                static_cast<S>(kNormEpsilon), record.mean, record.rstd);
    record.products = keep.matrix<S>(walk.B, block.wide());
    block.shared.forward(walk.B, record.shared, {}, record.products, /*plain=*/true);
    S* scale = row_mean;  // no longer needed
    for (Index i = 0; i < rows; ++i) scale[i] = -record.mean[i] * record.rstd[i];
    first.bias = block.shared.bias();
    first.group = record.products.data;
    first.ld_group = record.products.ld;
    first.group_of_row = record.graph;
    first.group_scale = record.rstd;
    first.direction = block.shared_direction.data();
    first.direction_scale = scale;
  }
  if (block.window.ready()) {
    WindowRecord<S>& window = record.window;
    window.products = keep.matrix<S>(window.patterns, block.wide());
    block.window.forward(window.patterns, window.bits, {}, window.products, /*plain=*/true);
    S* ones = walk.scratch->template take<S>(count);
    std::fill_n(ones, count, S(1));
    first.group = window.products.data;
    first.ld_group = window.products.ld;
    first.group_of_row = window.pattern;
    first.group_scale = ones;
  }
  block.first.forward(rows, record.xhat, first, record.hidden);
  if (walk.drops()) apply_dropout(walk, sites.hidden, t, rows, block.wide(), record.ids, record.hidden);
  Epilogue<S> second;
  if (residual && !walk.drops()) {
    second.residual = residual.data;
    second.ld_residual = residual.ld;
  }
  block.second.forward(rows, record.hidden, second, out);
  if (walk.drops()) {
    apply_dropout(walk, sites.out, t, rows, block.second.out(), record.ids, out);
    if (residual) {
      k.scatter_add(rows, block.second.out(), residual.data, residual.ld, nullptr, nullptr, out.data, out.ld);
    }
  }
}

namespace {

// Backward of the shared columns: their weights' gradients and d_shared; sum1 and sum2 are the rows' means of
// dxhat and dxhat * xhat over all columns.
template <class S>
void shared_backward(const Walk<S>& walk, const Block<S>& block, const BlockRecord<S>& record, Matrix<S> d_hidden,
                     const S* sum1, const S* sum2, const S* scale, Matrix<S> d_shared) {
  const Kernels<S>& k = kernels<S>();
  const Index wide = block.wide();
  Matrix<S> d_products = walk.scratch->template zero_matrix<S>(walk.B, wide);
  k.scatter_add(record.rows, wide, d_hidden.data, d_hidden.ld, record.graph, record.rstd, d_products.data,
                d_products.ld);
  S* d_direction = walk.scratch->template take_zeroed<S>(static_cast<std::size_t>(wide));
  k.scatter_add(record.rows, wide, d_hidden.data, d_hidden.ld, nullptr, scale, d_direction, 0);

  if (!walk.explaining) {
    const Index in = block.first_slots.in;
    S* d_weight = walk.gradient + block.first_slots.weight + block.own_width();
    k.gemm_tn(walk.B, wide, block.shared_width, d_products.data, d_products.ld, record.shared.data, record.shared.ld,
              d_weight, in);
    for (Index o = 0; o < wide; ++o) {
      for (Index j = 0; j < block.shared_width; ++j) d_weight[static_cast<Stride>(o) * in + j] += d_direction[o];
    }
  }

  block.shared.backward_input(walk.B, d_products, {}, d_shared);
  S* slope = walk.scratch->template take_zeroed<S>(static_cast<std::size_t>(walk.B));
  S* shift = walk.scratch->template take_zeroed<S>(static_cast<std::size_t>(walk.B));
  for (Index i = 0; i < record.rows; ++i) {
    const Index g = record.graph[i];
    const S curvature = record.rstd[i] * record.rstd[i] * sum2[i];
    slope[g] -= curvature;
    shift[g] += curvature * record.mean[i] - record.rstd[i] * sum1[i];
  }
  for (Index g = 0; g < walk.B; ++g) {
    for (Index j = 0; j < block.shared_width; ++j) d_shared.row(g)[j] += slope[g] * record.shared.row(g)[j] + shift[g];
  }
}

// W_window's gradient, and that of the moves' weights, which the bits are multiplied by.
template <class S>
void window_backward(const Walk<S>& walk, const Block<S>& block, const BlockRecord<S>& record, Matrix<S> d_hidden) {
  const Kernels<S>& k = kernels<S>();
  const WindowRecord<S>& window = record.window;
  const Index wide = block.wide(), bits = block.window.in();
  k.row_dots(record.rows, wide, d_hidden.data, d_hidden.ld, nullptr, window.products.data, window.products.ld,
             window.pattern, nullptr, walk.d_weight);
  if (walk.explaining) return;
  Matrix<S> d_products = walk.scratch->template zero_matrix<S>(window.patterns, wide);
  k.scatter_add(record.rows, wide, d_hidden.data, d_hidden.ld, window.pattern, nullptr, d_products.data, d_products.ld);
  k.gemm_tn(window.patterns, wide, bits, d_products.data, d_products.ld, window.bits.data, window.bits.ld,
            walk.gradient + block.window_slots.weight, bits);
}

}  // namespace

template <class S>
Matrix<S> block_backward(const Walk<S>& walk, const Block<S>& block, BlockSites sites, int t,
                         const BlockRecord<S>& record, Matrix<S> d_out, Matrix<S> d_shared) {
  const Kernels<S>& k = kernels<S>();
  const Index rows = record.rows;
  const auto count = static_cast<std::size_t>(rows);
  const Index own = block.own_width(), wide = block.wide(), in = block.first_slots.in;
  if (walk.drops()) apply_dropout(walk, sites.out, t, rows, block.second.out(), record.ids, d_out);

  accumulate_weights(walk, rows, block.second.out(), wide, d_out, record.hidden, block.second_slots.weight, wide,
                     block.second_slots.bias);
  Matrix<S> d_hidden = walk.scratch->template matrix<S>(rows, wide);
  block.second.backward_input(rows, d_out, activation_backward(walk, walk.config().slope, record.hidden), d_hidden);
  if (block.window.ready()) window_backward(walk, block, record, d_hidden);
  accumulate_weights(walk, rows, wide, own, d_hidden, record.xhat, block.first_slots.weight, in,
                     block.first_slots.bias);
  Matrix<S> dz = walk.scratch->template matrix<S>(rows, own);
  block.first.backward_input(rows, d_hidden, {}, dz);

  if (block.shared_width == 0) {
    k.normalise_backward(rows, own, record.xhat.data, record.xhat.ld, 0, record.rstd, nullptr, nullptr, dz.data, dz.ld);
  } else {
    S* sum1 = walk.scratch->template take_zeroed<S>(count);
    S* sum2 = walk.scratch->template take_zeroed<S>(count);
    S* scale = walk.scratch->template take<S>(count);
    k.row_dots(rows, wide, d_hidden.data, d_hidden.ld, nullptr, block.shared_direction.data(), 0, nullptr, nullptr,
               sum1);
    k.row_dots(rows, wide, d_hidden.data, d_hidden.ld, nullptr, record.products.data, record.products.ld, record.graph,
               nullptr, sum2);
    for (Index i = 0; i < rows; ++i) {
      sum2[i] = record.rstd[i] * (sum2[i] - record.mean[i] * sum1[i]);
      scale[i] = -record.mean[i] * record.rstd[i];
    }
    k.normalise_backward(rows, own, record.xhat.data, record.xhat.ld, block.shared_width, record.rstd, sum1, sum2,
                         dz.data, dz.ld);
    shared_backward(walk, block, record, d_hidden, sum1, sum2, scale, d_shared);
    Index* graphs = walk.scratch->template take<Index>(static_cast<std::size_t>(walk.B));
    for (Index g = 0; g < walk.B; ++g) graphs[g] = g;
    offset_gradient(walk, block.offsets, t, walk.B, own, block.shared_width, d_shared, graphs);
  }
  offset_gradient(walk, block.offsets, t, rows, 0, own, dz, record.graph);
  return dz;
}

#define AGENTNET_INSTANTIATE(S)                                                                              \
  template Epilogue<S> activation(double);                                                                   \
  template Epilogue<S> activation_backward(const Walk<S>&, double, Matrix<S>);                               \
  template void block_forward(const Walk<S>&, const Block<S>&, BlockSites, int, BlockRecord<S>&, Matrix<S>,  \
                              Matrix<S>);                                                                    \
  template Matrix<S> block_backward(const Walk<S>&, const Block<S>&, BlockSites, int, const BlockRecord<S>&, \
                                    Matrix<S>, Matrix<S>);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)
#undef AGENTNET_INSTANTIATE

}  // namespace agentnet
