// Which rows belong together: the nodes of a graph, the neighbours of a node, the edges that a node receives.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/kernels.h"

namespace agentnet::tape {

// Segment i of a matrix with `rows` rows: its rows members[e] for e in [offsets[i], offsets[i + 1]), or the rows e
// themselves without members. A view: the arrays belong to someone else and stay until the tape has gone backward.
struct Segments {
  Index count = 0;
  Index rows = 0;
  const std::int64_t* offsets = nullptr;  // [count + 1]
  const Index* members = nullptr;         // [offsets[count]]
  // Row r is a member of the segments transposed->members[...] of its segment r, as often as it occurs. With it the way
  // back is a sum per row, spread over threads by rows; without, a scatter spread by columns. Members in ascending
  // order give the same bytes both ways.
  const Segments* transposed = nullptr;
  bool symmetric = false;  // it is its own transpose: the neighbours in undirected graphs
  bool disjoint = false;   // no row is in two segments, or twice in one; known without members

  [[nodiscard]] std::int64_t size(Index i) const { return offsets[i + 1] - offsets[i]; }
  // Offsets that ascend from 0 and members that are rows; std::logic_error otherwise, naming the operation.
  void check(const char* operation, Index rows_of_matrix) const;
};

// The rows of each group, in order, found by counting: Grouping(target_of_edge, nodes) are the edges that a node
// receives.
class Grouping {
 public:
  Grouping() = default;
  Grouping(std::span<const Index> group_of_row, Index groups) { assign(group_of_row, groups); }
  // The same with memory that is there already.
  void assign(std::span<const Index> group_of_row, Index groups);
  [[nodiscard]] Segments segments() const;

 private:
  Index groups_ = 0;
  std::vector<std::int64_t> offsets_{0};
  std::vector<Index> members_;
};

// The segments that every row is a member of, in ascending order.
class Transposed {
 public:
  void assign(const Segments& of);
  [[nodiscard]] const Segments& segments() const { return view_; }

 private:
  std::vector<std::int64_t> offsets_{0};
  std::vector<Index> members_;
  Segments view_;
};

}  // namespace agentnet::tape
