// Vectors of the width that kernels_impl.h is compiled for, and loops over them.
#pragma once

#include <cstring>

#include "tensor/kernels.h"

namespace agentnet::AGENTNET_ISA {

template <class S>
struct Lanes {
  static constexpr int kCount = AGENTNET_VECTOR_BYTES / static_cast<int>(sizeof(S));
  using Vector [[gnu::vector_size(AGENTNET_VECTOR_BYTES)]] = S;
};

template <class S>
using Vec = typename Lanes<S>::Vector;
template <class S>
constexpr int kLanes = Lanes<S>::kCount;

#define AGENTNET_INLINE [[gnu::always_inline]] inline

template <class S>
AGENTNET_INLINE Vec<S> load(const S* p) {
  Vec<S> v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}

template <class S>
AGENTNET_INLINE void store(S* p, Vec<S> v) {
  std::memcpy(p, &v, sizeof(v));
}

template <class S>
AGENTNET_INLINE Vec<S> splat(S s) {
  return s - Vec<S>{};
}

template <class S>
AGENTNET_INLINE S horizontal_sum(Vec<S> v) {
  S lanes[kLanes<S>];
  store(lanes, v);
  for (int width = kLanes<S> / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

// Calls vector(j) for whole vectors of the N columns and scalar(j) for the rest.
template <class S, class V, class T>
AGENTNET_INLINE void columns(Index N, const V& vector, const T& scalar) {
  Index j = 0;
  for (; j + kLanes<S> <= N; j += kLanes<S>) vector(j);
  for (; j < N; ++j) scalar(j);
}

}  // namespace agentnet::AGENTNET_ISA
