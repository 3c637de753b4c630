#include "nets/agentnet/messages.h"

#include <algorithm>
#include <cmath>

#include "nets/agentnet/block.h"

namespace agentnet {

template <class S>
void Messages<S>::begin(const Walk<S>& walk) {
  kind_ = Kind::kState;
  h_ = walk.h;
  width_ = edge_width_ = 0;
  if (walk.weights->edge_message.slots.out > 0) {
    kind_ = Kind::kEdge;
    width_ = edge_width_ = h_;
  } else if (walk.weights->kernel_message.first_slots.out > 0) {
    kind_ = Kind::kKernel;
    edge_width_ = walk.weights->kernel_message.first.out();
    width_ = (edge_width_ + 1) * h_;
  }
  known_rows_ = known_edges_ = 0;
  stale_.clear();
  is_stale_.clear();
}

template <class S>
void Messages<S>::changed(Index count, const Index* rows) {
  if (kind_ == Kind::kState) return;
  for (Index i = 0; i < count; ++i) {
    if (rows[i] >= known_rows_) continue;  // has no product yet
    char& flag = is_stale_[static_cast<std::size_t>(rows[i])];
    if (flag == 0) stale_.push_back(rows[i]);
    flag = 1;
  }
}

template <class S>
void Messages<S>::refresh_edges(const Walk<S>& walk) {
  const Index edges = walk.terrain->edge_rows();
  const Index fresh = edges - known_edges_;
  if (fresh == 0) return;
  edge_parts_.resize(static_cast<std::size_t>(edges) * static_cast<std::size_t>(edge_width_));
  const Matrix<S> states{walk.terrain->edges().row(known_edges_), walk.terrain->edges().ld};
  const Matrix<S> parts{edge_parts_.data() + static_cast<Stride>(known_edges_) * edge_width_, edge_width_};
  if (kind_ == Kind::kEdge) {
    walk.weights->edge_message.edge.forward(fresh, states, {}, parts, /*plain=*/true);
  } else {
    walk.weights->kernel_message.first.forward(fresh, states, activation<S>(walk.config().slope), parts);
    if (walk.drops()) {
      Index* graph = walk.scratch->template take<Index>(static_cast<std::size_t>(fresh));
      auto* key = walk.scratch->template take<std::uint32_t>(static_cast<std::size_t>(fresh));
      for (Index i = 0; i < fresh; ++i) {
        const EdgeOrigin& origin = walk.terrain->edge_origin(known_edges_ + i);
        graph[i] = origin.graph;
        key[i] = static_cast<std::uint32_t>(origin.entry);
      }
      apply_dropout(walk, DropoutSite::kEdgeKernel, 0, fresh, static_cast<Index>(edge_width_), {graph, key}, parts);
    }
  }
  known_edges_ = edges;
}

template <class S>
void Messages<S>::refresh(const Walk<S>& walk, MessageRecord<S>& record) {
  const Kernels<S>& k = kernels<S>();
  refresh_edges(walk);
  const Index rows = walk.terrain->rows();
  record.brand_new = rows - known_rows_;
  record.refreshed = static_cast<Index>(stale_.size()) + record.brand_new;
  Index* senders = walk.keep().template take<Index>(static_cast<std::size_t>(record.refreshed));
  std::copy(stale_.begin(), stale_.end(), senders);
  for (Index i = 0; i < record.brand_new; ++i) senders[stale_.size() + static_cast<std::size_t>(i)] = known_rows_ + i;
  record.senders = senders;

  const auto total = static_cast<std::size_t>(rows);
  products_.resize(total * static_cast<std::size_t>(width_));
  mean_.resize(total);
  m2_.resize(total);
  is_stale_.resize(total, 0);
  if (walk.training) {
    const auto old = static_cast<Index>(stale_.size());
    record.old_products = walk.record->template matrix<S>(old, static_cast<Index>(width_));
    k.gather_add(old, static_cast<Index>(width_), products_.data(), width_, senders, nullptr, 0, nullptr,
                 record.old_products.data, record.old_products.ld);
    S* mean = walk.record->template take<S>(stale_.size());
    S* m2 = walk.record->template take<S>(stale_.size());
    for (Index i = 0; i < old; ++i) {
      mean[i] = mean_[static_cast<std::size_t>(senders[i])];
      m2[i] = m2_[static_cast<std::size_t>(senders[i])];
    }
    record.old_mean = mean;
    record.old_m2 = m2;
  }
  for (const Index row : stale_) is_stale_[static_cast<std::size_t>(row)] = 0;
  stale_.clear();
  known_rows_ = rows;

  const Matrix<S> nodes = walk.terrain->nodes();
  record.states = walk.keep().template matrix<S>(record.refreshed, h_);
  k.gather_add(record.refreshed, h_, nodes.data, nodes.ld, senders, nullptr, 0, nullptr, record.states.data,
               record.states.ld);
  const Dense<S>& layer = kind_ == Kind::kEdge ? walk.weights->edge_message.node : walk.weights->kernel_message.node;
  Matrix<S> fresh = walk.scratch->template matrix<S>(record.refreshed, static_cast<Index>(width_));
  layer.forward(record.refreshed, record.states, {}, fresh, /*plain=*/true);
  for (Index i = 0; i < record.refreshed; ++i) std::copy(fresh.row(i), fresh.row(i) + width_, product(senders[i]));
  if (kind_ == Kind::kEdge) k.row_stats(record.refreshed, h_, nodes.data, nodes.ld, senders, mean_.data(), m2_.data());
}

template <class S>
void Messages<S>::forward(const Walk<S>& walk, MessageRecord<S>& record, Index targets, const Index* rows,
                          OffsetRows<S> offsets, Matrix<S> out) {
  const Kernels<S>& k = kernels<S>();
  const auto count = static_cast<std::size_t>(targets);
  record.targets = targets;
  record.rows = rows;
  auto* first = walk.keep().template take<std::int64_t>(count);
  auto* last = walk.keep().template take<std::int64_t>(count);
  S* scale = walk.keep().template take<S>(count);
  for (Index i = 0; i < targets; ++i) {
    const Place& place = walk.terrain->place(rows[i]);
    first[i] = place.first;
    last[i] = place.first + place.degree;
    scale[i] = static_cast<S>(neighbour_scale(walk.config().reduce, place));
  }
  record.first = first;
  record.last = last;
  record.scale = scale;

  if (kind_ == Kind::kState) {
    const Matrix<S> nodes = walk.terrain->nodes();
    k.segment_sum(targets, h_, first, last, walk.terrain->all_candidates(), scale, nodes.data, nodes.ld, offsets.data,
                  offsets.ld, offsets.of_row, out.data, out.ld);
    return;
  }
  refresh(walk, record);
  for (Index i = 0; i < targets; ++i) {
    S* to = out.row(i);
    std::fill(to, to + h_, S(0));
    if (kind_ == Kind::kEdge) {
      sum_edges(walk, record, i, to);
    } else {
      sum_kernels(walk, record, i, to);
    }
    const S* offset = offsets.data == nullptr
                          ? nullptr
                          : offsets.data + (offsets.of_row != nullptr ? offsets.of_row[i] * offsets.ld : 0);
    for (Index j = 0; j < h_; ++j) to[j] = scale[i] * to[j] + (offset != nullptr ? offset[j] : S(0));
  }
}

template <class S>
void Messages<S>::begin_backward(const Walk<S>& walk) {
  if (kind_ == Kind::kState) return;
  const auto rows = static_cast<std::size_t>(known_rows_);
  const auto edges = static_cast<std::size_t>(walk.terrain->edge_rows());
  d_products_.assign(rows * static_cast<std::size_t>(width_), S(0));
  d_scale_.assign(rows, S(0));
  d_shift_.assign(rows, S(0));
  d_edge_parts_.assign(edges * static_cast<std::size_t>(edge_width_), S(0));
  d_edge_scale_.assign(edges, S(0));
  d_edge_shift_.assign(edges, S(0));
  d_direction_.assign(static_cast<std::size_t>(h_), S(0));
}

template <class S>
void Messages<S>::backward(const Walk<S>& walk, const MessageRecord<S>& record, Matrix<S> d_out) {
  if (kind_ == Kind::kState) {
    kernels<S>().segment_scatter(record.targets, h_, record.first, record.last, walk.terrain->all_candidates(),
                                 record.scale, d_out.data, d_out.ld, walk.d_nodes.data, walk.d_nodes.ld);
    return;
  }
  for (Index i = 0; i < record.targets; ++i) {
    if (kind_ == Kind::kEdge) {
      sum_edges_backward(walk, record, i, d_out.row(i));
    } else {
      sum_kernels_backward(walk, record, i, d_out.row(i));
    }
  }
  flush(walk, record);
}

// Moves what was collected for the refreshed senders on to their states and the weights, and puts their products
// back to what they were before.
template <class S>
void Messages<S>::flush(const Walk<S>& walk, const MessageRecord<S>& record) {
  const Kernels<S>& k = kernels<S>();
  const Index n = record.refreshed;
  const auto width = static_cast<Index>(width_);
  const bool edge = kind_ == Kind::kEdge;
  const Dense<S>& layer = edge ? walk.weights->edge_message.node : walk.weights->kernel_message.node;
  Matrix<S> d_fresh = walk.scratch->template matrix<S>(n, width);
  k.gather_add(n, width, d_products_.data(), width_, record.senders, nullptr, 0, nullptr, d_fresh.data, d_fresh.ld);
  if (edge) {
    const LayerSlots& slots = walk.weights->edge_message.slots;
    accumulate_weights(walk, n, width, h_, d_fresh, record.states, slots.weight, slots.in);
  } else {
    accumulate_weights(walk, n, width, h_, d_fresh, record.states, walk.weights->kernel_message.node_slot, h_);
  }
  Matrix<S> d_states = walk.scratch->template matrix<S>(n, h_);
  layer.backward_input(n, d_fresh, {}, d_states);
  for (Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(record.senders[i]);
    S* to = walk.d_nodes.row(record.senders[i]);
    for (Index j = 0; j < h_; ++j)
      to[j] += d_states.row(i)[j] + d_scale_[row] * record.states.row(i)[j] + d_shift_[row];
    d_scale_[row] = d_shift_[row] = 0;
    std::fill_n(d_products_.data() + static_cast<Stride>(row) * width_, width_, S(0));
  }
  for (Index i = 0; i < n - record.brand_new; ++i) {
    const auto row = static_cast<std::size_t>(record.senders[i]);
    std::copy(record.old_products.row(i), record.old_products.row(i) + width_, product(record.senders[i]));
    mean_[row] = record.old_mean[i];
    m2_[row] = record.old_m2[i];
  }
}

template <class S>
void Messages<S>::finish_backward(const Walk<S>& walk) {
  if (kind_ == Kind::kState) return;
  const Index edges = known_edges_;
  const auto part = static_cast<Index>(edge_width_);
  const Matrix<S> states = walk.terrain->edges();
  const Matrix<S> d_parts{d_edge_parts_.data(), edge_width_};
  Epilogue<S> add;
  add.accumulate = true;
  if (kind_ == Kind::kEdge) {
    const LayerSlots& slots = walk.weights->edge_message.slots;
    accumulate_weights(walk, edges, part, walk.e, d_parts, states, slots.weight + h_, slots.in);
    walk.weights->edge_message.edge.backward_input(edges, d_parts, add, walk.d_edges);
    for (Index i = 0; i < edges; ++i) {
      const auto at = static_cast<std::size_t>(i);
      for (Index j = 0; j < walk.e; ++j)
        walk.d_edges.row(i)[j] += d_edge_scale_[at] * states.row(i)[j] + d_edge_shift_[at];
    }
    for (Index o = 0; o < h_; ++o) {
      S* row = walk.gradient + slots.weight + static_cast<std::size_t>(o) * static_cast<std::size_t>(slots.in);
      for (Index j = 0; j < slots.in; ++j) row[j] += d_direction_[static_cast<std::size_t>(o)];
    }
  } else {
    const LayerSlots& slots = walk.weights->kernel_message.first_slots;
    const Epilogue<S> gate = activation_backward(walk, walk.config().slope, Matrix<S>{edge_parts_.data(), edge_width_});
    for (std::size_t i = 0; i < static_cast<std::size_t>(edges) * static_cast<std::size_t>(edge_width_); ++i) {
      const S a = edge_parts_[i];
      d_edge_parts_[i] *= a > 0 ? gate.gate_positive : (a < 0 ? gate.gate_negative : gate.gate_zero);
    }
    accumulate_weights(walk, edges, part, walk.e, d_parts, states, slots.weight, slots.in, slots.bias);
    walk.weights->kernel_message.first.backward_input(edges, d_parts, add, walk.d_edges);
  }
}

template <class S>
std::size_t Messages<S>::memory() const {
  std::size_t numbers = 0;
  for (const std::vector<S>* v : {&products_, &mean_, &m2_, &edge_parts_, &d_products_, &d_scale_, &d_shift_,
                                  &d_edge_parts_, &d_edge_scale_, &d_edge_shift_, &d_direction_}) {
    numbers += v->capacity();
  }
  return numbers * sizeof(S) + stale_.capacity() * sizeof(Index) + is_stale_.capacity();
}

// ---- LeakyReLU(Linear(LN([v, e]))) ------------------------------------------------------------

template <class S>
void Messages<S>::norm_of_edge(const Walk<S>& walk, Index sender, Index edge, S& mean, S& rstd) const {
  const S n = static_cast<S>(h_), m = static_cast<S>(walk.e);
  const S node_mean = mean_[static_cast<std::size_t>(sender)];
  const S delta = walk.terrain->edge_mean()[edge] - node_mean;
  mean = node_mean + delta * m / (n + m);
  const S m2 = m2_[static_cast<std::size_t>(sender)] + walk.terrain->edge_m2()[edge] + delta * delta * n * m / (n + m);
  rstd = S(1) / std::sqrt(m2 / (n + m) + static_cast<S>(kNormEpsilon));
}

template <class S>
void Messages<S>::sum_edges(const Walk<S>& walk, const MessageRecord<S>& record, Index target, S* out) const {
  const EdgeMessage<S>& message = walk.weights->edge_message;
  const S slope = static_cast<S>(walk.config().edge_slope);
  const Place& place = walk.terrain->place(record.rows[target]);
  const Index* neighbours = walk.terrain->candidates(place);
  for (Index c = 0; c < place.degree; ++c) {
    const Index edge = place.first_edge + c;
    S mean = 0, rstd = 0;
    norm_of_edge(walk, neighbours[c], edge, mean, rstd);
    const S* p = product(neighbours[c]);
    const S* q = edge_parts_.data() + static_cast<Stride>(edge) * edge_width_;
    for (Index j = 0; j < h_; ++j) {
      const S pre = (p[j] + q[j] - mean * message.direction[static_cast<std::size_t>(j)]) * rstd +
                    message.bias[static_cast<std::size_t>(j)];
      out[j] += pre > 0 ? pre : slope * pre;
    }
  }
}

template <class S>
void Messages<S>::sum_edges_backward(const Walk<S>& walk, const MessageRecord<S>& record, Index target,
                                     const S* d_out) {
  const EdgeMessage<S>& message = walk.weights->edge_message;
  const LayerSlots& slots = message.slots;
  const S slope = static_cast<S>(walk.config().edge_slope);
  const S inverse_width = S(1) / static_cast<S>(h_ + walk.e);
  const Place& place = walk.terrain->place(record.rows[target]);
  const Index* neighbours = walk.terrain->candidates(place);
  S* d_bias = walk.gradient + slots.bias;
  S* d_direction = d_direction_.data();
  for (Index c = 0; c < place.degree; ++c) {
    const Index edge = place.first_edge + c;
    const auto sender = static_cast<std::size_t>(neighbours[c]);
    S mean = 0, rstd = 0;
    norm_of_edge(walk, neighbours[c], edge, mean, rstd);
    const S* p = product(neighbours[c]);
    const S* q = edge_parts_.data() + static_cast<Stride>(edge) * edge_width_;
    S* dp = d_products_.data() + static_cast<Stride>(sender) * width_;
    S* dq = d_edge_parts_.data() + static_cast<Stride>(edge) * edge_width_;
    S sum1 = 0, sum2 = 0;  // of dxhat and dxhat * xhat, see block.cpp
    for (Index j = 0; j < h_; ++j) {
      const S direction = message.direction[static_cast<std::size_t>(j)];
      const S centred = (p[j] + q[j] - mean * direction) * rstd;
      const S pre = centred + message.bias[static_cast<std::size_t>(j)];
      const S d = record.scale[target] * d_out[j] * (pre > 0 ? S(1) : slope);
      d_bias[j] += d;
      d_direction[j] -= mean * rstd * d;
      dp[j] += rstd * d;
      dq[j] += rstd * d;
      sum1 += d * direction;
      sum2 += d * centred;
    }
    // The rest of the layer norm's gradient is affine in the state: -rstd (sum1 + xhat sum2) / width.
    const S curvature = -rstd * rstd * sum2 * inverse_width;
    const S shift = -rstd * sum1 * inverse_width - curvature * mean;
    d_scale_[sender] += curvature;
    d_shift_[sender] += shift;
    d_edge_scale_[static_cast<std::size_t>(edge)] += curvature;
    d_edge_shift_[static_cast<std::size_t>(edge)] += shift;
  }
}

// ---- the QM9 kernel ---------------------------------------------------------------------------

template <class S>
void Messages<S>::sum_kernels(const Walk<S>& walk, const MessageRecord<S>& record, Index target, S* out) const {
  const Place& place = walk.terrain->place(record.rows[target]);
  const Index* neighbours = walk.terrain->candidates(place);
  const auto h = static_cast<std::size_t>(h_);
  for (Index c = 0; c < place.degree; ++c) {
    const S* p = product(neighbours[c]);
    const S* hidden = edge_parts_.data() + static_cast<Stride>(place.first_edge + c) * edge_width_;
    for (Stride u = 0; u < edge_width_; ++u) kernels<S>().axpy(h, hidden[u], p + u * h_, out);
    kernels<S>().axpy(h, S(1), p + edge_width_ * h_, out);
  }
}

template <class S>
void Messages<S>::sum_kernels_backward(const Walk<S>& walk, const MessageRecord<S>& record, Index target,
                                       const S* d_out) {
  const Place& place = walk.terrain->place(record.rows[target]);
  const Index* neighbours = walk.terrain->candidates(place);
  const S scale = record.scale[target];
  const auto h = static_cast<std::size_t>(h_);
  for (Index c = 0; c < place.degree; ++c) {
    const S* p = product(neighbours[c]);
    S* dp = d_products_.data() + static_cast<Stride>(neighbours[c]) * width_;
    const Stride at = static_cast<Stride>(place.first_edge + c) * edge_width_;
    for (Stride u = 0; u < edge_width_; ++u) {
      kernels<S>().axpy(h, scale * edge_parts_[static_cast<std::size_t>(at + u)], d_out, dp + u * h_);
      d_edge_parts_[static_cast<std::size_t>(at + u)] += scale * kernels<S>().dot(h, d_out, p + u * h_);
    }
    kernels<S>().axpy(h, scale, d_out, dp + edge_width_ * h_);
  }
}

template class Messages<float>;
template class Messages<double>;

}  // namespace agentnet
