#include "nets/taped/square_rows.h"

#include <algorithm>
#include <limits>

#include "agentnet/error.h"

namespace agentnet {

template <class S>
SquareRows square_rows(Formula<S>& f, bool padded) {
  const tape::Segments& members = f.graphs().members();
  const auto B = static_cast<std::size_t>(members.count), N = static_cast<std::size_t>(members.rows);
  std::int64_t largest = 0;
  for (Index b = 0; b < members.count; ++b) largest = std::max(largest, members.size(b));

  auto* sizes = f.tape().template keep<Index>(B);
  auto* offsets = f.tape().template keep<std::int64_t>(B + 1);
  auto* diagonal = f.tape().template keep<Index>(N);
  auto* first_row = f.tape().template keep<Index>(N);
  offsets[0] = 0;
  for (Index b = 0; b < members.count; ++b) {
    const std::int64_t n = members.size(b), m = padded ? largest : n;
    sizes[b] = static_cast<Index>(m);
    offsets[b + 1] = offsets[b] + m * m;
    if (offsets[b + 1] > std::numeric_limits<Index>::max() / 2) {
      throw Error(ErrorKind::kData, "the pairs of nodes of a batch are more rows than a matrix can have",
                  "use smaller batches or graphs, or a network that has no state per pair of nodes");
    }
    for (std::int64_t i = 0; i < n; ++i) {
      first_row[members.offsets[b] + i] = static_cast<Index>(offsets[b] + i * m);
      diagonal[members.offsets[b] + i] = static_cast<Index>(offsets[b] + i * m + i);
    }
  }
  return {
      .squares = {.count = members.count, .size = sizes, .offsets = offsets},
      .graphs = {.count = members.count, .rows = static_cast<Index>(offsets[B]), .offsets = offsets, .disjoint = true},
      .diagonal = {diagonal, N},
      .first_row = {first_row, N}};
}

template <class S>
tape::Segments off_diagonal(Formula<S>& f, const SquareRows& rows) {
  const tape::Segments& members = f.graphs().members();
  auto* offsets = f.tape().template keep<std::int64_t>(static_cast<std::size_t>(members.count) + 1);
  offsets[0] = 0;
  for (Index b = 0; b < members.count; ++b) offsets[b + 1] = offsets[b] + members.size(b) * (members.size(b) - 1);
  auto* all = f.tape().template keep<Index>(static_cast<std::size_t>(offsets[members.count]));
  Index* to = all;
  for (Index b = 0; b < members.count; ++b) {
    const auto n = static_cast<Index>(members.size(b));
    for (Index i = 0; i < n; ++i) {
      const Index first = rows.first_row[static_cast<std::size_t>(members.offsets[b] + i)];
      for (Index j = 0; j < n; ++j) {
        if (i != j) *to++ = first + j;
      }
    }
  }
  return {.count = members.count, .rows = rows.rows(), .offsets = offsets, .members = all, .disjoint = true};
}

template <class S>
std::span<const Index> edge_rows(Formula<S>& f, const SquareRows& rows) {
  const GraphArrays<S>& graphs = f.graphs();
  const tape::Segments& neighbours = graphs.neighbours();
  const auto E = static_cast<std::size_t>(graphs.edges());
  auto* index = f.tape().template keep<Index>(E);
  for (Index v = 0; v < graphs.nodes(); ++v) {
    const auto node = static_cast<std::size_t>(v);
    const auto first_node = v - static_cast<Index>(graphs.number_in_graph()[node]);
    for (std::int64_t e = neighbours.offsets[v]; e < neighbours.offsets[v + 1]; ++e) {
      index[e] = rows.first_row[node] + neighbours.members[e] - first_node;
    }
  }
  return {index, E};
}

template <class S>
S* adjacency(Formula<S>& f, const SquareRows& rows, Multiples multiples) {
  const auto count = static_cast<std::size_t>(rows.rows());
  S* entries = f.tape().template keep<S>(count);
  std::fill_n(entries, count, S(0));
  for (const Index row : edge_rows(f, rows)) entries[row] = multiples == Multiples::kOnce ? S(1) : entries[row] + S(1);
  return entries;
}

template <class S>
tape::Value<S> mask_of_padding(Formula<S>& f, const SquareRows& rows) {
  const tape::Segments& members = f.graphs().members();
  const auto count = static_cast<std::size_t>(rows.rows());
  S* mask = f.tape().template keep<S>(count);
  std::fill_n(mask, count, S(0));
  for (Index b = 0; b < members.count; ++b) {
    for (std::int64_t v = members.offsets[b]; v < members.offsets[b + 1]; ++v) {
      std::fill_n(mask + rows.first_row[static_cast<std::size_t>(v)], members.size(b), S(1));
    }
  }
  return f.tape().input(mask, rows.rows(), 1);
}

#define AGENTNET_INSTANTIATE(S)                                              \
  template SquareRows square_rows(Formula<S>&, bool);                        \
  template tape::Segments off_diagonal(Formula<S>&, const SquareRows&);      \
  template std::span<const Index> edge_rows(Formula<S>&, const SquareRows&); \
  template S* adjacency(Formula<S>&, const SquareRows&, Multiples);          \
  template tape::Value<S> mask_of_padding(Formula<S>&, const SquareRows&);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)

}  // namespace agentnet
