#include "nets/smp/contexts.h"

#include <algorithm>
#include <limits>

#include "agentnet/error.h"

namespace agentnet {
namespace {

void check_rows(std::int64_t rows) {
  if (rows <= std::numeric_limits<Index>::max() / 2) return;
  throw Error(ErrorKind::kData,
              "the pairs of nodes, or of edges and nodes, of a batch are more rows than a matrix can have",
              "use smaller batches or graphs, or a network that has no state per pair of nodes");
}

// Rows (k, j) for every member k of segment i, for every row (i, j) of the blocks.
template <class S>
tape::Segments rows_of_members(Formula<S>& f, const tape::Segments& nodes, const tape::Segments& blocks) {
  std::int64_t total = 0;
  for (Index i = 0; i < nodes.count; ++i) total += nodes.size(i) * blocks.size(i);
  check_rows(total);
  auto* offsets = f.tape().template keep<std::int64_t>(static_cast<std::size_t>(blocks.rows) + 1);
  auto* members = f.tape().template keep<Index>(static_cast<std::size_t>(total));
  Index* to = members;
  for (Index i = 0; i < nodes.count; ++i) {
    for (std::int64_t j = 0; j < blocks.size(i); ++j) {
      offsets[blocks.offsets[i] + j] = to - members;
      for (std::int64_t e = nodes.offsets[i]; e < nodes.offsets[i + 1]; ++e) {
        *to++ = static_cast<Index>(blocks.offsets[nodes.members[e]] + j);
      }
    }
  }
  offsets[blocks.rows] = total;
  return {.count = blocks.rows, .rows = blocks.rows, .offsets = offsets, .members = members};
}

}  // namespace

template <class S>
Contexts<S> make_contexts(Formula<S>& f, bool padded) {
  const GraphArrays<S>& graphs = f.graphs();
  const tape::Segments& members = graphs.members();
  const auto N = static_cast<std::size_t>(graphs.nodes());
  std::int64_t largest = 0;
  for (Index b = 0; b < members.count; ++b) largest = std::max(largest, members.size(b));

  auto* offsets = f.tape().template keep<std::int64_t>(N + 1);
  auto* own_offsets = f.tape().template keep<std::int64_t>(N + 1);
  auto* real_offsets = f.tape().template keep<std::int64_t>(N + 1);
  auto* own = f.tape().template keep<Index>(N);
  S* shares = f.tape().template keep<S>(N);
  offsets[0] = own_offsets[0] = real_offsets[0] = 0;
  for (Index b = 0; b < members.count; ++b) {
    const std::int64_t n = members.size(b), width = padded ? largest : n;
    for (std::int64_t v = members.offsets[b]; v < members.offsets[b + 1]; ++v) {
      offsets[v + 1] = offsets[v] + width;
      real_offsets[v + 1] = real_offsets[v] + n;
      own_offsets[v + 1] = v + 1;
      check_rows(offsets[v + 1]);
      own[v] = static_cast<Index>(offsets[v] + v - members.offsets[b]);
      shares[v] = S(1) / static_cast<S>(n);
    }
  }
  const auto R = static_cast<Index>(offsets[N]);
  auto* real = f.tape().template keep<Index>(static_cast<std::size_t>(real_offsets[N]));
  S* per_edge = f.tape().template keep<S>(static_cast<std::size_t>(R));
  const std::int64_t* edges = graphs.received().offsets;
  for (Index b = 0; b < members.count; ++b) {
    const std::int64_t first = members.offsets[b], last = members.offsets[b + 1];
    const std::int64_t received = edges[last] - edges[first];
    const S share = received > 0 ? static_cast<S>(last - first) / static_cast<S>(received) : S(1);
    std::fill(per_edge + offsets[first], per_edge + offsets[last], share);
    for (std::int64_t v = first; v < last; ++v) {
      for (std::int64_t j = 0; j < last - first; ++j) real[real_offsets[v] + j] = static_cast<Index>(offsets[v] + j);
    }
  }
  const Index count = graphs.nodes();
  Contexts<S> all;
  all.blocks = {.count = count, .rows = R, .offsets = offsets, .disjoint = true};
  all.own = {.count = count, .rows = R, .offsets = own_offsets, .members = own, .disjoint = true};
  all.real = {.count = count, .rows = R, .offsets = real_offsets, .members = real, .disjoint = true};
  all.around = rows_of_members(f, graphs.neighbours(), all.blocks);
  auto* back = f.tape().template keep<tape::Segments>(1);
  *back = rows_of_members(f, *graphs.neighbours().transposed, all.blocks);
  all.around.transposed = back;
  all.shares = f.tape().input(shares, count, 1);
  all.per_edge = f.tape().input(per_edge, R, 1);
  return all;
}

template <class S>
EdgeContexts make_edge_contexts(Formula<S>& f, const Contexts<S>& contexts) {
  const tape::Segments& received = f.graphs().received();
  const tape::Segments& around = contexts.around;  // its members are the senders, in the order of these rows
  const auto L = static_cast<std::size_t>(around.offsets[around.count]);
  auto* edges = f.tape().template keep<Index>(L);
  Index* to = edges;
  for (Index i = 0; i < received.count; ++i) {
    for (std::int64_t j = 0; j < contexts.blocks.size(i); ++j) {
      for (std::int64_t e = received.offsets[i]; e < received.offsets[i + 1]; ++e) *to++ = static_cast<Index>(e);
    }
  }
  return {
      .received = {.count = around.count, .rows = static_cast<Index>(L), .offsets = around.offsets, .disjoint = true},
      .senders = {around.members, L},
      .edges = {edges, L},
      .sent = f.grouped({around.members, L}, around.count),
      .of_edge = f.grouped({edges, L}, f.graphs().edges())};
}

#define AGENTNET_INSTANTIATE(S)                          \
  template Contexts<S> make_contexts(Formula<S>&, bool); \
  template EdgeContexts make_edge_contexts(Formula<S>&, const Contexts<S>&);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)

}  // namespace agentnet
