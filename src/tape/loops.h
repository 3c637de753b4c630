// Loops that operations share. Every element is computed by one task, in an order that does not depend on the tasks.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tape/tape.h"

namespace agentnet::tape {

[[nodiscard]] inline std::size_t elements(Shape shape) {
  return static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(shape.columns);
}

// f(i) for every row i of a shape.
template <class S, class F>
void each_row(const Run<S>& run, Shape shape, const F& f) {
  run.parallel(shape.rows, elements(shape), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) f(i);
  });
}

template <class S>
void set_zero(const Run<S>& run, Matrix<S> m, Shape shape) {
  each_row(run, shape, [&](Index i) { std::fill_n(m.row(i), shape.columns, S(0)); });
}

// gradient = or += f(i, j).
template <class S, class F>
void put_each(const Run<S>& run, const Gradient<S>& gradient, Shape shape, const F& f) {
  each_row(run, shape, [&](Index i) {
    S* to = gradient.to.row(i);
    if (gradient.add) {
      for (Index j = 0; j < shape.columns; ++j) to[j] += f(i, j);
    } else {
      for (Index j = 0; j < shape.columns; ++j) to[j] = f(i, j);
    }
  });
}

[[nodiscard]] inline Index row_blocks(Index rows) { return (rows + kBlockRows - 1) / kBlockRows; }

// Scratch of sum_over_rows.
template <class S>
[[nodiscard]] std::size_t row_sum_bytes(Index rows, Index columns) {
  return static_cast<std::size_t>(row_blocks(rows)) * static_cast<std::size_t>(columns) * sizeof(S);
}

// to[j] = or += the sum over all rows of what add_row(i, sums) adds to sums [columns]: by blocks of kBlockRows rows,
// the sums of the blocks added in a fixed tree.
template <class S, class F>
void sum_over_rows(const Run<S>& run, Index rows, Index columns, S* partial, S* to, bool add, const F& add_row) {
  const Index blocks = row_blocks(rows);
  const auto sums_of = [&](Index block) { return partial + static_cast<Stride>(block) * columns; };
  run.parallel(blocks, elements({rows, columns}), [&](Index first, Index last) {
    for (Index block = first; block < last; ++block) {
      S* sums = sums_of(block);
      std::fill_n(sums, columns, S(0));
      const Index end = std::min(rows, (block + 1) * kBlockRows);
      for (Index i = block * kBlockRows; i < end; ++i) add_row(i, sums);
    }
  });
  for (Index distance = 1; distance < blocks; distance *= 2) {
    for (Index block = 0; block + distance < blocks; block += 2 * distance) {
      S* left = sums_of(block);
      const S* right = sums_of(block + distance);
      for (Index j = 0; j < columns; ++j) left[j] += right[j];
    }
  }
  for (Index j = 0; j < columns; ++j) {
    const S sum = blocks > 0 ? partial[j] : S(0);
    to[j] = add ? to[j] + sum : sum;
  }
}

}  // namespace agentnet::tape
