// Part of kernels_impl.h: exponentials, logarithms, the noise of moves and the softmax over candidates.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "tensor/kernels.h"
#include "tensor/kernels_lanes.h"

namespace agentnet::AGENTNET_ISA {

using Floats = Vec<float>;
using Doubles = Vec<double>;
using Ints = Vec<std::int32_t>;
using Words = Vec<std::uint32_t>;
using LongWords = Vec<std::uint64_t>;

// ---- exponentials -----------------------------------------------------------------------------

// The sum of coefficients times rising powers of x.
template <class... Rest>
AGENTNET_INLINE Floats polynomial(Floats x, float first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return splat<float>(first);
  } else {
    return multiply_add(x, polynomial(x, rest...), splat<float>(first));
  }
}

// exp of numbers that are at most 0; below -87 it is 0.
AGENTNET_INLINE Floats exp_negative(Floats x) {
  const Floats clamped = x > -87.0f ? x : splat<float>(-87.0f);
  const Ints power = __builtin_convertvector(clamped * 1.44269504f - 0.5f, Ints);  // rounds to nearest: x <= 0
  const Floats n = __builtin_convertvector(power, Floats);
  const Floats r =
      scale_add<float>(2.12194440e-4f, n, scale_add<float>(-0.693359375f, n, clamped));  // ln 2 = 0.69... - 2e-4
  const Floats series = polynomial(r, 1.0f, 1.0f, 1.0f / 2, 1.0f / 6, 1.0f / 24, 1.0f / 120, 1.0f / 720);
  return x > -87.0f ? series * same_bits<Floats>((power + 127) << 23) : Floats{};
}
AGENTNET_INLINE Doubles exp_negative(Doubles x) {
  for (int i = 0; i < kLanes<double>; ++i) x[i] = std::exp(x[i]);
  return x;
}

template <class S>
void softmax_segments(Index n, const std::int64_t* first, S temperature, S* z, Index* best) {
  const S inverse = S(1) / temperature;
  for (Index i = 0; i < n; ++i) {
    S* s = z + first[i];
    const auto count = static_cast<Index>(first[i + 1] - first[i]);
    Vec<S> top = splat<S>(s[0]);
    S largest = s[0];
    columns<S>(
        count,
        [&](Index c) {
          const Vec<S> v = load(s + c);
          top = v > top ? v : top;
        },
        [&](Index c) { largest = s[c] > largest ? s[c] : largest; });
    for (int lane = 0; lane < kLanes<S>; ++lane) largest = top[lane] > largest ? top[lane] : largest;
    Index b = 0;
    while (b < count && s[b] != largest) ++b;
    best[i] = b < count ? b : 0;  // among scores that are not numbers none is best, and the first exists
    Vec<S> sums{};
    S sum = 0;
    columns<S>(
        count,
        [&](Index c) {
          const Vec<S> p = exp_negative((load(s + c) - largest) * inverse);
          store(s + c, p);
          sums += p;
        },
        [&](Index c) {
          s[c] = exp_negative(splat<S>((s[c] - largest) * inverse))[0];
          sum += s[c];
        });
    const S scale = S(1) / (sum + horizontal_sum<S>(sums));
    columns<S>(
        count, [&](Index c) { store(s + c, load(s + c) * scale); }, [&](Index c) { s[c] *= scale; });
  }
}

// ---- noise ------------------------------------------------------------------------------------

// A positive normal number x as (1 + fraction) 2^exponent, where 1 + fraction is in [sqrt(1/2), sqrt(2)).
struct Binary {
  Floats fraction, exponent;
};
AGENTNET_INLINE Binary to_binary(Floats x) {
  constexpr std::int32_t kSqrtHalf = 0x3f3504f3;
  const Ints bits = same_bits<Ints>(x) - kSqrtHalf;
  return {same_bits<Floats>((bits & 0x007fffff) + kSqrtHalf) - 1.0f, __builtin_convertvector(bits >> 23, Floats)};
}
AGENTNET_INLINE Floats log_of(Binary x) {  // log(1 + f) = 2 atanh(f / (2 + f))
  const Floats s = x.fraction / (x.fraction + 2.0f);
  const Floats z = s * s;
  const Floats series = polynomial(z, 1.0f, 1.0f / 3, 1.0f / 5, 1.0f / 7, 1.0f / 9);
  return scale_add<float>(0.693147181f, x.exponent, 2.0f * s * series);
}

// out[i] = -log(-log(u)) with u = (bits[i] + 1/2) 2^-32. Near 1, where the large values of the noise come from, a
// float u would have lost most bits or be 1: there the logarithm takes its argument as 1 - end.
AGENTNET_INLINE void gumbel_of_bits(Words bits, float* out) {
  const Ints half = same_bits<Ints>(bits);  // negative where u > 1/2
  const Floats end = (__builtin_convertvector(half ^ (half >> 31), Floats) + 0.5f) * 0x1p-32f;  // min(u, 1 - u)
  Binary u = to_binary(half < 0 ? 1.0f - end : end);
  u.fraction = u.exponent == 0.0f ? -end : u.fraction;
  store(out, -log_of(to_binary(-log_of(u))));
}
AGENTNET_INLINE void gumbel_of_bits(Words bits, double* out) {
  for (int i = 0; i < kLanes<float>; ++i) {
    out[i] = -std::log(-std::log((static_cast<double>(bits[i]) + 0.5) * 0x1p-32));
  }
}

// Products of the lower halves of a's lanes with m. GCC makes three multiplications of the plain form, and warns about
// its own header's unmasked form of the 512-bit one.
AGENTNET_INLINE LongWords multiply_lower_halves(LongWords a, std::uint32_t m) {
#if defined(__AVX512F__) && AGENTNET_VECTOR_BYTES == 64
  return same_bits<LongWords>(_mm512_maskz_mul_epu32(0xFF, same_bits<__m512i>(a), _mm512_set1_epi64(m)));
#elif defined(__AVX2__) && AGENTNET_VECTOR_BYTES == 32
  return same_bits<LongWords>(_mm256_mul_epu32(same_bits<__m256i>(a), _mm256_set1_epi64x(m)));
#elif defined(__SSE2__) && AGENTNET_VECTOR_BYTES == 16
  return same_bits<LongWords>(_mm_mul_epu32(same_bits<__m128i>(a), _mm_set1_epi64x(m)));
#else
  return (a & 0xffffffffu) * std::uint64_t{m};
#endif
}

// Philox4x32-10 (core/random.h has the plain version) on a vector of counters; word w of counter i goes to
// words[4 i + w]. Counters 0, 2, 4, ... and 1, 3, 5, ... each take the lower halves of 64-bit lanes; what the upper
// halves hold does not matter.
AGENTNET_INLINE void philox_vector(const Words counter[4], std::uint32_t k0, std::uint32_t k1, std::uint32_t* words) {
  LongWords x[2][4];
  for (int word = 0; word < 4; ++word) {
    x[0][word] = same_bits<LongWords>(counter[word]);
    x[1][word] = x[0][word] >> 32;
  }
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 2
    for (int odd = 0; odd < 2; ++odd) {
      LongWords* c = x[odd];
      const LongWords p0 = multiply_lower_halves(c[0], 0xD2511F53u);
      const LongWords p1 = multiply_lower_halves(c[2], 0xCD9E8D57u);
      c[0] = (p1 >> 32) ^ (c[1] ^ k0);
      c[1] = p1;
      c[2] = (p0 >> 32) ^ (c[3] ^ k1);
      c[3] = p0;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  std::uint64_t pairs[2][2][kLanes<std::uint64_t>];  // two words of a counter side by side
  for (int odd = 0; odd < 2; ++odd) {
    for (int pair = 0; pair < 2; ++pair) {
      store(pairs[odd][pair], (x[odd][2 * pair] & 0xffffffffu) | (x[odd][2 * pair + 1] << 32));
    }
  }
  for (int i = 0; i < kLanes<std::uint64_t>; ++i) {
    for (int odd = 0; odd < 2; ++odd) {
      for (int pair = 0; pair < 2; ++pair) {
        std::memcpy(words + 8 * i + 4 * odd + 2 * pair, &pairs[odd][pair][i], sizeof(std::uint64_t));
      }
    }
  }
}

template <class S>
void gumbel(Index n, const std::uint32_t* const counter[4], const std::uint32_t key[2], S* out) {
  constexpr int W = kLanes<std::uint32_t>;
  constexpr Index kBatch = 64;  // counters; in two loops, because one would be too long to overlap with itself
  std::uint32_t words[4 * kBatch];
  for (Index first = 0; first < n; first += kBatch, out += 4 * kBatch) {
    const Index count = n - first < kBatch ? n - first : kBatch;
    for (Index i = 0; i < count; i += W) {
      Words x[4] = {};
      for (int word = 0; word < 4; ++word) {
        const std::uint32_t* from = counter[word] + first + i;
        if (count - i >= W) {
          x[word] = load(from);
        } else {
          for (Index c = 0; c < count - i; ++c) x[word][c] = from[c];
        }
      }
      philox_vector(x, key[0], key[1], words + 4 * i);
    }
    Index j = 0;
    for (; j + W <= 4 * count; j += W) gumbel_of_bits(load(words + j), out + j);
    if (j < 4 * count) {
      S rest[W];
      gumbel_of_bits(load(words + j), rest);
      for (int c = 0; j + c < 4 * count; ++c) out[j + c] = rest[c];
    }
  }
}

}  // namespace agentnet::AGENTNET_ISA
