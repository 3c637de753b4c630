// Vectors of 16 bytes, which every machine has: for loops that the compiler would not vectorise, because it cannot know
// that their operands lie apart.
#pragma once

#include <cstring>

#include "tensor/kernels.h"

namespace agentnet::tape {

template <class S>
struct Lanes {
  static constexpr int kCount = 16 / static_cast<int>(sizeof(S));
  using Vector [[gnu::vector_size(16)]] = S;
};
template <class S>
using Vec = typename Lanes<S>::Vector;

// So that one formula serves whole vectors (V = Vec<S>) and what is left of a row (V = S).
template <class V, class S>
[[gnu::always_inline]] inline V load(const S* p) {
  V v;
  std::memcpy(&v, p, sizeof(V));
  return v;
}
template <class V, class S>
[[gnu::always_inline]] inline void store(S* p, V v) {
  std::memcpy(p, &v, sizeof(V));
}

// f<V>(j) for the columns from j on that V holds.
template <class S, class F>
[[gnu::always_inline]] inline void each_column(Index columns, const F& f) {
  Index j = 0;
  for (; j + Lanes<S>::kCount <= columns; j += Lanes<S>::kCount) f.template operator()<Vec<S>>(j);
  for (; j < columns; ++j) f.template operator()<S>(j);
}

}  // namespace agentnet::tape
