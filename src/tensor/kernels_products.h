// Matrix products of kernels_impl.h: packed weights, tiles of registers, and what is done to a tile before it is
// stored.
#pragma once

#include "tensor/kernels.h"
#include "tensor/kernels_lanes.h"

namespace agentnet::AGENTNET_ISA {

constexpr int kTileRows = AGENTNET_TILE_ROWS;
constexpr int kTileVectors = 2;
template <class S>
constexpr int kPanel = kLanes<S>* kTileVectors;

template <class S>
void pack(Index K, Index N, const S* src, Stride row_stride, Stride col_stride, S* packed) {
  constexpr int P = kPanel<S>;
  for (Index j = 0; j < N; j += P) {
    const int columns = N - j < P ? N - j : P;
    for (Index k = 0; k < K; ++k, packed += P) {
      for (int c = 0; c < columns; ++c) packed[c] = src[k * row_stride + (j + c) * col_stride];
      for (int c = columns; c < P; ++c) packed[c] = 0;
    }
  }
}

// Applies the epilogue to `count` <= lanes elements of row i, starting at column j.
template <class S>
AGENTNET_INLINE Vec<S> finish_any(const Epilogue<S>& e, Vec<S> v, Index i, Index j, int count) {
  const auto part = [count](const S* p) { return count == kLanes<S> ? load(p) : load_some(p, count); };
  if (e.bias != nullptr) v += part(e.bias + j);
  if (e.group != nullptr) v = scale_add<S>(e.group_scale[i], part(e.group + e.group_of_row[i] * e.ld_group + j), v);
  if (e.direction != nullptr) v = scale_add<S>(e.direction_scale[i], part(e.direction + j), v);
  if (e.leaky) v = v > 0 ? v : v * e.slope;
  if (e.gate != nullptr) {
    const Vec<S> g = part(e.gate + i * e.ld_gate + j);
    v *= g > 0 ? splat<S>(e.gate_positive) : (g < 0 ? splat<S>(e.gate_negative) : splat<S>(e.gate_zero));
  }
  if (e.residual != nullptr) v += part(e.residual + i * e.ld_residual + j);
  return v;
}

// The combinations that the model uses, compiled apart: tiles are small, so asking each vector what is to be done with
// it would cost a fifth of the product.
enum class Finish { kAny, kPlain, kBias, kLeaky, kShared, kGate, kResidual, kAccumulate };

template <class S>
Finish kind_of(const Epilogue<S>& e) {
  const bool shared = e.group != nullptr && e.direction != nullptr;
  if ((e.group != nullptr) != (e.direction != nullptr)) return Finish::kAny;
  const int extras =
      (shared ? 1 : 0) + (e.gate != nullptr ? 1 : 0) + (e.residual != nullptr ? 1 : 0) + (e.accumulate ? 1 : 0);
  if (extras == 0 && e.bias == nullptr && !e.leaky) return Finish::kPlain;
  if (extras == 0 && e.bias != nullptr) return e.leaky ? Finish::kLeaky : Finish::kBias;
  if (extras != 1) return Finish::kAny;
  if (shared && e.bias != nullptr && e.leaky) return Finish::kShared;
  if (e.residual != nullptr && e.bias != nullptr && !e.leaky) return Finish::kResidual;
  if (e.bias != nullptr || e.leaky) return Finish::kAny;
  if (e.gate != nullptr) return Finish::kGate;
  if (e.accumulate) return Finish::kAccumulate;
  return Finish::kAny;
}

// A whole vector, the kind known.
template <class S, Finish F>
AGENTNET_INLINE Vec<S> finish(const Epilogue<S>& e, Vec<S> v, Index i, Index j, const S* out) {
  if constexpr (F == Finish::kAny) {
    v = finish_any(e, v, i, j, kLanes<S>);
    return e.accumulate ? v + load(out) : v;
  }
  if constexpr (F == Finish::kBias || F == Finish::kLeaky || F == Finish::kShared || F == Finish::kResidual) {
    v += load(e.bias + j);
  }
  if constexpr (F == Finish::kShared) {
    v = scale_add<S>(e.group_scale[i], load(e.group + e.group_of_row[i] * e.ld_group + j), v);
    v = scale_add<S>(e.direction_scale[i], load(e.direction + j), v);
  }
  if constexpr (F == Finish::kLeaky || F == Finish::kShared) v = v > 0 ? v : v * e.slope;
  if constexpr (F == Finish::kGate) {
    const Vec<S> g = load(e.gate + i * e.ld_gate + j);
    v *= g > 0 ? splat<S>(e.gate_positive) : (g < 0 ? splat<S>(e.gate_negative) : splat<S>(e.gate_zero));
  }
  if constexpr (F == Finish::kResidual) v += load(e.residual + i * e.ld_residual + j);
  if constexpr (F == Finish::kAccumulate) v += load(out);
  return v;
}

template <class S, int MR, Finish F>
AGENTNET_INLINE void gemm_tile(Index row, Index column, Index N, Index K, const S* x, Stride ldx, const S* panel,
                               const Epilogue<S>& e, S* y, Stride ldy) {
  constexpr int W = kLanes<S>;
  Vec<S> acc[MR][kTileVectors] = {};
  const S* rows[MR];
  for (int i = 0; i < MR; ++i) rows[i] = x + (row + i) * ldx;
#pragma GCC unroll 4
  for (Index k = 0; k < K; ++k, panel += kPanel<S>) {
    const Vec<S> b0 = load(panel);
    const Vec<S> b1 = load(panel + W);
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
      const Vec<S> a = splat<S>(rows[i][k]);
      acc[i][0] = multiply_add(a, b0, acc[i][0]);
      acc[i][1] = multiply_add(a, b1, acc[i][1]);
    }
  }
  if (column + kPanel<S> <= N) {
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
      for (int part = 0; part < kTileVectors; ++part) {
        const Index j = column + part * W;
        S* out = y + (row + i) * ldy + j;
        store(out, finish<S, F>(e, acc[i][part], row + i, j, out));
      }
    }
    return;
  }
  // The last panel is not full. The sums go through memory: indexed in a loop, acc itself would leave its registers,
  // above as well.
  S sums[MR][kPanel<S>];
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i) {
    store(sums[i], acc[i][0]);
    store(sums[i] + W, acc[i][1]);
  }
  for (int i = 0; i < MR; ++i) {
    for (int part = 0; part < kTileVectors; ++part) {
      const Index j = column + part * W;
      const int count = N - j < W ? N - j : W;
      if (count <= 0) continue;
      S* out = y + (row + i) * ldy + j;
      const Vec<S> v = finish_any(e, load(sums[i] + part * W), row + i, j, count);
      for (int c = 0; c < count; ++c) out[c] = e.accumulate ? out[c] + v[c] : v[c];
    }
  }
}

// Covers `rows` < kTileRows rows with tiles of 8, 4, 2 and 1: tile<MR>(first row).
template <int MR, class F>
AGENTNET_INLINE void remaining_rows(Index first, Index rows, const F& tile) {
  if constexpr (MR >= kTileRows) {
    remaining_rows<MR / 2>(first, rows, tile);
  } else if constexpr (MR > 0) {
    if (rows >= MR) {
      tile.template operator()<MR>(first);
      first += MR;
      rows -= MR;
    }
    remaining_rows<MR / 2>(first, rows, tile);
  }
}

template <class S, Finish F>
void gemm_of_kind(Index M, Index N, Index K, const S* x, Stride ldx, const S* packed, const Epilogue<S>& epilogue, S* y,
                  Stride ldy) {
  // A block of rows is kept in the second-level cache while all panels pass over it.
  constexpr Index kRowBlock = 32 * kTileRows;
  for (Index row0 = 0; row0 < M; row0 += kRowBlock) {
    const Index row_end = row0 + kRowBlock < M ? row0 + kRowBlock : M;
    const S* panel = packed;
    for (Index j = 0; j < N; j += kPanel<S>, panel += static_cast<Stride>(K) * kPanel<S>) {
      Index i = row0;
      for (; i + kTileRows <= row_end; i += kTileRows) {
        gemm_tile<S, kTileRows, F>(i, j, N, K, x, ldx, panel, epilogue, y, ldy);
      }
      remaining_rows<8>(i, row_end - i,
                        [&]<int MR>(Index at) { gemm_tile<S, MR, F>(at, j, N, K, x, ldx, panel, epilogue, y, ldy); });
    }
  }
}

template <class S>
void gemm(Index M, Index N, Index K, const S* x, Stride ldx, const S* packed, const Epilogue<S>& epilogue, S* y,
          Stride ldy) {
  const auto run = [&]<Finish F>() { gemm_of_kind<S, F>(M, N, K, x, ldx, packed, epilogue, y, ldy); };
  switch (kind_of(epilogue)) {
    case Finish::kAny:
      return run.template operator()<Finish::kAny>();
    case Finish::kPlain:
      return run.template operator()<Finish::kPlain>();
    case Finish::kBias:
      return run.template operator()<Finish::kBias>();
    case Finish::kLeaky:
      return run.template operator()<Finish::kLeaky>();
    case Finish::kShared:
      return run.template operator()<Finish::kShared>();
    case Finish::kGate:
      return run.template operator()<Finish::kGate>();
    case Finish::kResidual:
      return run.template operator()<Finish::kResidual>();
    case Finish::kAccumulate:
      return run.template operator()<Finish::kAccumulate>();
  }
}

// Adds to `columns` <= panel columns of MR rows of C; b has all columns of a panel.
template <class S, int MR>
AGENTNET_INLINE void gemm_tn_tile(Index M, Index columns, const S* a, Stride lda, const S* b, Stride ldb, S* c,
                                  Stride ldc) {
  constexpr int W = kLanes<S>;
  Vec<S> acc[MR][kTileVectors] = {};
#pragma GCC unroll 2
  for (Index m = 0; m < M; ++m, a += lda, b += ldb) {
    const Vec<S> b0 = load(b);
    const Vec<S> b1 = load(b + W);
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
      const Vec<S> s = splat<S>(a[i]);
      acc[i][0] = multiply_add(s, b0, acc[i][0]);
      acc[i][1] = multiply_add(s, b1, acc[i][1]);
    }
  }
  if (columns == kPanel<S>) {
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
      store(c + i * ldc, load(c + i * ldc) + acc[i][0]);
      store(c + i * ldc + W, load(c + i * ldc + W) + acc[i][1]);
    }
    return;
  }
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i) {
    S sums[kPanel<S>];
    store(sums, acc[i][0]);
    store(sums + W, acc[i][1]);
    for (Index j = 0; j < columns; ++j) c[i * ldc + j] += sums[j];
  }
}

template <class S>
void gemm_tn(Index M, Index N, Index K, const S* a, Stride lda, const S* b, Stride ldb, S* c, Stride ldc) {
  // One tile walks down two columns of cache lines; this many of them fit in the first-level cache.
  constexpr Index kRowBlock = 160;
  constexpr Index P = kPanel<S>;
  S tail[kRowBlock * P];  // the last columns of b, where they do not fill a panel, with zeros beside them
  for (Index row = 0; row < M; row += kRowBlock) {
    const Index rows = M - row < kRowBlock ? M - row : kRowBlock;
    const S* a0 = a + row * lda;
    for (Index k = 0; k < K; k += P) {
      const Index columns = K - k < P ? K - k : P;
      const S* b0 = b + row * ldb + k;
      Stride ldb0 = ldb;
      if (columns < P) {
        for (Index m = 0; m < rows; ++m) {
          for (Index j = 0; j < P; ++j) tail[m * P + j] = j < columns ? b0[m * ldb + j] : S(0);
        }
        b0 = tail;
        ldb0 = P;
      }
      Index n = 0;
      for (; n + kTileRows <= N; n += kTileRows) {
        gemm_tn_tile<S, kTileRows>(rows, columns, a0 + n, lda, b0, ldb0, c + n * ldc + k, ldc);
      }
      remaining_rows<8>(n, N - n, [&]<int MR>(Index at) {
        gemm_tn_tile<S, MR>(rows, columns, a0 + at, lda, b0, ldb0, c + at * ldc + k, ldc);
      });
    }
  }
}

}  // namespace agentnet::AGENTNET_ISA
