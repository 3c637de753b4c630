// A view of row-major memory. It owns nothing; shapes stand in comments, as `// [A, h]`.
#pragma once

#include <cstddef>

#include "tensor/kernels.h"

namespace agentnet {

template <class S>
struct Matrix {
  S* data = nullptr;
  Stride ld = 0;  // elements from one row to the next

  [[nodiscard]] S* row(Index i) const { return data + static_cast<Stride>(i) * ld; }
  // The same rows from column j on.
  [[nodiscard]] Matrix from_column(Index j) const { return {data + j, ld}; }
  [[nodiscard]] explicit operator bool() const { return data != nullptr; }
};

// Row distance for a matrix of that many columns: an odd number of cache lines, so that walking
// down a column does not hit the same few sets of the first-level cache again and again.
template <class S>
[[nodiscard]] constexpr Stride leading_dimension(Index columns) {
  constexpr Stride kPerLine = 64 / static_cast<Stride>(sizeof(S));
  const Stride lines = (static_cast<Stride>(columns) + kPerLine - 1) / kPerLine;
  return (lines | 1) * kPerLine;
}

}  // namespace agentnet
