// Vectors of the width that kernels_impl.h is compiled for, and loops over them.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

// The first `count` elements, then zeros.
template <class S>
AGENTNET_INLINE Vec<S> load_some(const S* p, int count) {
  Vec<S> v{};
  for (int c = 0; c < count; ++c) v[c] = p[c];
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

// The same bits as another type of vector.
template <class To, class From>
AGENTNET_INLINE To same_bits(From from) {
  To to;
  static_assert(sizeof(to) == sizeof(from));
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

// a * b + c, with one rounding where the instruction set can. These files are compiled with -ffp-contract=off: left to
// itself the compiler fuses some products and not others, and a row's bits would depend on the tile it is in.
AGENTNET_INLINE Vec<float> multiply_add(Vec<float> a, Vec<float> b, Vec<float> c) {
#if defined(__AVX512F__) && AGENTNET_VECTOR_BYTES == 64
  return same_bits<Vec<float>>(_mm512_fmadd_ps(same_bits<__m512>(a), same_bits<__m512>(b), same_bits<__m512>(c)));
#elif defined(__FMA__) && AGENTNET_VECTOR_BYTES == 32
  return same_bits<Vec<float>>(_mm256_fmadd_ps(same_bits<__m256>(a), same_bits<__m256>(b), same_bits<__m256>(c)));
#else
  return a * b + c;
#endif
}
AGENTNET_INLINE Vec<double> multiply_add(Vec<double> a, Vec<double> b, Vec<double> c) {
#if defined(__AVX512F__) && AGENTNET_VECTOR_BYTES == 64
  return same_bits<Vec<double>>(_mm512_fmadd_pd(same_bits<__m512d>(a), same_bits<__m512d>(b), same_bits<__m512d>(c)));
#elif defined(__FMA__) && AGENTNET_VECTOR_BYTES == 32
  return same_bits<Vec<double>>(_mm256_fmadd_pd(same_bits<__m256d>(a), same_bits<__m256d>(b), same_bits<__m256d>(c)));
#else
  return a * b + c;
#endif
}
// The same for one number a.
template <class S>
AGENTNET_INLINE Vec<S> scale_add(S a, Vec<S> b, Vec<S> c) {
  return multiply_add(splat<S>(a), b, c);
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

// The same for loops that gain from several vectors at a time: vectors<4>(j), vectors<1>(j), scalar(j).
template <class S, class V, class T>
AGENTNET_INLINE void wide_columns(Index N, const V& vectors, const T& scalar) {
  Index j = 0;
  for (; j + 4 * kLanes<S> <= N; j += 4 * kLanes<S>) vectors.template operator()<4>(j);
  for (; j + kLanes<S> <= N; j += kLanes<S>) vectors.template operator()<1>(j);
  for (; j < N; ++j) scalar(j);
}

}  // namespace agentnet::AGENTNET_ISA
