#include "nets/agentnet/edge_attention.h"

#include <algorithm>
#include <cmath>

namespace agentnet {

namespace {

// Lists the nodes and candidate edges that the occupied nodes have to do with.
template <class S>
void find_rows(const Walk<S>& walk, const Occupied<S>& occupied, EdgeAttentionRecord<S>& record) {
  const Terrain<S>& terrain = *walk.terrain;
  Arena& keep = walk.keep();
  auto* first = keep.take<std::int64_t>(static_cast<std::size_t>(occupied.count) + 1);
  first[0] = 0;
  for (Index u = 0; u < occupied.count; ++u) first[u + 1] = first[u] + terrain.place(occupied.row[u]).candidates;
  const auto total = static_cast<std::size_t>(first[occupied.count]);

  const auto known = static_cast<std::size_t>(terrain.rows());
  Index* local = walk.scratch->template take<Index>(known);
  std::fill_n(local, known, kNone);
  auto* row = keep.take<Index>(std::min(known, total + static_cast<std::size_t>(occupied.count)));
  auto* own = keep.take<Index>(static_cast<std::size_t>(occupied.count));
  auto* which = keep.take<Index>(total);
  auto* edge = walk.e > 0 ? keep.take<Index>(total) : nullptr;
  const auto number = [&](Index r) {
    if (local[r] == kNone) {
      local[r] = record.rows;
      row[record.rows++] = r;
    }
    return local[r];
  };
  for (Index u = 0; u < occupied.count; ++u) {
    const Place& place = terrain.place(occupied.row[u]);
    own[u] = number(occupied.row[u]);
    for (Index c = 0; c < place.candidates; ++c) {
      which[first[u] + c] = number(terrain.candidates(place)[c]);
      if (edge != nullptr) edge[first[u] + c] = terrain.edge_of(place, c);
    }
  }
  record.first = first;
  record.row = row;
  record.own = own;
  record.which = which;
  record.edge = edge;
}

// u of one candidate: before and after the activation.
template <class S>
void edge_vector(const Walk<S>& walk, const EdgeAttentionRecord<S>& record, Index u, std::int64_t candidate, S* out) {
  const S slope = static_cast<S>(walk.config().edge_slope);
  const S* target = record.target.row(record.which[candidate]);
  const S* source = record.source.row(u);
  const S* feature = record.feature ? record.feature.row(static_cast<Index>(candidate)) : nullptr;
  for (Index j = 0; j < walk.h; ++j) {
    const S pre = target[j] + source[j] + (feature != nullptr ? feature[j] : S(0));
    out[j] = pre > 0 ? pre : slope * pre;
  }
}

// A sum over c neighbours weighted by shares that add up to 1 stands in for a mean.
template <class S>
S view_scale(const Walk<S>& walk, const Place& place) {
  return static_cast<S>(place.degree * neighbour_scale(walk.config().reduce, place));
}

}  // namespace

template <class S>
void edge_attention_forward(const Walk<S>& walk, const Occupied<S>& occupied, OffsetRows<S> offsets,
                            EdgeAttentionRecord<S>& record, Matrix<S> out) {
  const Kernels<S>& k = kernels<S>();
  const EdgeAttention<S>& weights = walk.weights->edge_attention;
  const auto h = static_cast<std::size_t>(walk.h);
  Arena& keep = walk.keep();
  find_rows(walk, occupied, record);
  const Matrix<S> nodes = walk.terrain->nodes();
  const auto total = static_cast<Index>(record.first[occupied.count]);

  record.xhat = keep.matrix<S>(record.rows, walk.h);
  record.rstd = keep.take<S>(static_cast<std::size_t>(record.rows));
  k.gather_add(record.rows, walk.h, nodes.data, nodes.ld, record.row, nullptr, 0, nullptr, record.xhat.data,
               record.xhat.ld);
  k.normalise(record.rows, walk.h, record.xhat.data, record.xhat.ld, 0, nullptr, nullptr, static_cast<S>(kNormEpsilon),
              nullptr, record.rstd);
  record.target = keep.matrix<S>(record.rows, walk.h);
  weights.target.forward(record.rows, record.xhat, {}, record.target);
  Matrix<S> own = walk.scratch->template matrix<S>(occupied.count, walk.h);
  k.gather_add(occupied.count, walk.h, record.xhat.data, record.xhat.ld, record.own, nullptr, 0, nullptr, own.data,
               own.ld);
  record.source = keep.matrix<S>(occupied.count, walk.h);
  weights.source.forward(occupied.count, own, {}, record.source);
  if (walk.e > 0) {
    Matrix<S> edges = walk.scratch->template matrix<S>(total, walk.e);
    k.gather_add(total, walk.e, walk.terrain->edges().data, walk.terrain->edges().ld, record.edge, nullptr, 0, nullptr,
                 edges.data, edges.ld);
    record.feature = keep.matrix<S>(total, walk.h);
    weights.feature.forward(total, edges, {}, record.feature, /*plain=*/true);
  }

  record.share = keep.take_zeroed<S>(static_cast<std::size_t>(total));
  record.logit = keep.take<S>(static_cast<std::size_t>(total));
  record.d_logit = keep.take_zeroed<S>(static_cast<std::size_t>(total));
  const S* heads = walk.weights->value(weights.heads_slot);
  S* u_vector = walk.scratch->template take<S>(h);
  for (Index u = 0; u < occupied.count; ++u) {
    const Place& place = walk.terrain->place(occupied.row[u]);
    S* share = record.share + record.first[u];
    for (Index c = 0; c < place.candidates; ++c) {
      edge_vector(walk, record, u, record.first[u] + c, u_vector);
      if (c < place.degree) share[c] = k.dot(h, heads, u_vector);
      record.logit[record.first[u] + c] = k.dot(h, heads + h, u_vector);
    }
    S* to = out.row(u);
    const S* offset = offsets.data == nullptr
                          ? nullptr
                          : offsets.data + (offsets.of_row != nullptr ? offsets.of_row[u] * offsets.ld : 0);
    for (Index j = 0; j < walk.h; ++j) to[j] = offset != nullptr ? offset[j] : S(0);
    if (place.degree == 0) continue;
    const S largest = *std::max_element(share, share + place.degree);
    S sum = 0;
    for (Index c = 0; c < place.degree; ++c) sum += share[c] = std::exp(share[c] - largest);
    const S scale = view_scale(walk, place);
    for (Index c = 0; c < place.degree; ++c) {
      share[c] /= sum;
      k.axpy(h, scale * share[c], nodes.row(walk.terrain->candidates(place)[c]), to);
    }
  }
}

template <class S>
void edge_attention_backward(const Walk<S>& walk, const Occupied<S>& occupied, const EdgeAttentionRecord<S>& record,
                             Matrix<S> d_out) {
  const Kernels<S>& k = kernels<S>();
  const EdgeAttention<S>& weights = walk.weights->edge_attention;
  const auto h = static_cast<std::size_t>(walk.h);
  const Matrix<S> nodes = walk.terrain->nodes();
  const auto total = static_cast<Index>(record.first[occupied.count]);
  const S slope = static_cast<S>(walk.config().edge_slope);
  const S* heads = walk.weights->value(weights.heads_slot);
  S* d_heads = walk.gradient + weights.heads_slot;

  Matrix<S> d_target = walk.scratch->template zero_matrix<S>(record.rows, walk.h);
  Matrix<S> d_source = walk.scratch->template zero_matrix<S>(occupied.count, walk.h);
  Matrix<S> d_feature = walk.scratch->template matrix<S>(total, walk.h);
  S* u_vector = walk.scratch->template take<S>(h);
  for (Index u = 0; u < occupied.count; ++u) {
    const Place& place = walk.terrain->place(occupied.row[u]);
    const Index* list = walk.terrain->candidates(place);
    const S* share = record.share + record.first[u];
    const S scale = view_scale(walk, place);
    const S* d_view = d_out.row(u);
    S* d_share = walk.scratch->template take_zeroed<S>(static_cast<std::size_t>(place.candidates));
    S mean = 0;  // of d_share, weighted by the shares
    for (Index c = 0; c < place.degree; ++c) {
      k.axpy(h, scale * share[c], d_view, walk.d_nodes.row(list[c]));
      d_share[c] = scale * k.dot(h, d_view, nodes.row(list[c]));
      mean += share[c] * d_share[c];
    }
    for (Index c = 0; c < place.candidates; ++c) {
      const std::int64_t at = record.first[u] + c;
      const S d_first = c < place.degree ? share[c] * (d_share[c] - mean) : S(0);
      const S d_second = record.d_logit[at];
      edge_vector(walk, record, u, at, u_vector);
      k.axpy(h, d_first, u_vector, d_heads);
      k.axpy(h, d_second, u_vector, d_heads + h);
      S* d = d_feature.row(static_cast<Index>(at));
      for (std::size_t j = 0; j < h; ++j) {
        d[j] = (d_first * heads[j] + d_second * heads[h + j]) * (u_vector[j] > 0 ? S(1) : slope);
      }
      k.axpy(h, S(1), d, d_target.row(record.which[at]));
      k.axpy(h, S(1), d, d_source.row(u));
    }
  }

  Matrix<S> own = walk.scratch->template matrix<S>(occupied.count, walk.h);
  k.gather_add(occupied.count, walk.h, record.xhat.data, record.xhat.ld, record.own, nullptr, 0, nullptr, own.data,
               own.ld);
  // W_t LN(v_j) has no bias of its own: its share of the folded bias has the gradient of W_s LN(v_i) + b.
  accumulate_weights(walk, record.rows, walk.h, walk.h, d_target, record.xhat, weights.target_slots.weight, walk.h);
  accumulate_weights(walk, occupied.count, walk.h, walk.h, d_source, own, weights.source_slots.weight, walk.h,
                     weights.source_slots.bias);
  Matrix<S> d_xhat = walk.scratch->template matrix<S>(record.rows, walk.h);
  weights.target.backward_input(record.rows, d_target, {}, d_xhat);
  Matrix<S> d_own = walk.scratch->template matrix<S>(occupied.count, walk.h);
  weights.source.backward_input(occupied.count, d_source, {}, d_own);
  k.scatter_add(occupied.count, walk.h, d_own.data, d_own.ld, record.own, nullptr, d_xhat.data, d_xhat.ld);
  k.normalise_backward(record.rows, walk.h, record.xhat.data, record.xhat.ld, 0, record.rstd, nullptr, nullptr,
                       d_xhat.data, d_xhat.ld);
  k.scatter_add(record.rows, walk.h, d_xhat.data, d_xhat.ld, record.row, nullptr, walk.d_nodes.data, walk.d_nodes.ld);
  if (walk.e > 0) {
    Matrix<S> edges = walk.scratch->template matrix<S>(total, walk.e);
    k.gather_add(total, walk.e, walk.terrain->edges().data, walk.terrain->edges().ld, record.edge, nullptr, 0, nullptr,
                 edges.data, edges.ld);
    accumulate_weights(walk, total, walk.h, walk.e, d_feature, edges, weights.feature_slots.weight, walk.e);
    weights.feature.backward_input(total, d_feature, {}, edges);
    k.scatter_add(total, walk.e, edges.data, edges.ld, record.edge, nullptr, walk.d_edges.data, walk.d_edges.ld);
  }
}

#define AGENTNET_INSTANTIATE(S)                                                                                    \
  template void edge_attention_forward(const Walk<S>&, const Occupied<S>&, OffsetRows<S>, EdgeAttentionRecord<S>&, \
                                       Matrix<S>);                                                                 \
  template void edge_attention_backward(const Walk<S>&, const Occupied<S>&, const EdgeAttentionRecord<S>&, Matrix<S>);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)
#undef AGENTNET_INSTANTIATE

}  // namespace agentnet
