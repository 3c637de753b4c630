// The kernels, written once with the compiler's vector types and compiled once per instruction set.
//
// The including file defines AGENTNET_ISA (a namespace of its own, so that code for one instruction
// set is never linked into another's path), AGENTNET_VECTOR_BYTES and AGENTNET_TILE_ROWS. Nothing
// from the standard library that could end up as a shared inline function is used here.
#include <cmath>
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
constexpr int kTileRows = AGENTNET_TILE_ROWS;
constexpr int kTileVectors = 2;
template <class S>
constexpr int kPanel = kTileVectors* kLanes<S>;

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

// ---- matrix products --------------------------------------------------------------------------

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
AGENTNET_INLINE Vec<S> finish(const Epilogue<S>& e, Vec<S> v, Index i, Index j, int count) {
  const auto part = [count](const S* p) {
    if (count == kLanes<S>) return load(p);
    Vec<S> r{};
    for (int c = 0; c < count; ++c) r[c] = p[c];
    return r;
  };
  if (e.bias != nullptr) v += part(e.bias + j);
  if (e.group != nullptr) v += e.group_scale[i] * part(e.group + e.group_of_row[i] * e.ld_group + j);
  if (e.direction != nullptr) v += e.direction_scale[i] * part(e.direction + j);
  if (e.leaky) v = v > 0 ? v : v * e.slope;
  if (e.gate != nullptr) {
    const Vec<S> g = part(e.gate + i * e.ld_gate + j);
    v *= g > 0 ? splat<S>(e.gate_positive) : (g < 0 ? splat<S>(e.gate_negative) : splat<S>(e.gate_zero));
  }
  if (e.residual != nullptr) v += part(e.residual + i * e.ld_residual + j);
  return v;
}

template <class S, int MR>
AGENTNET_INLINE void gemm_tile(Index row, Index column, Index N, Index K, const S* x, Stride ldx, const S* panel,
                               const Epilogue<S>& e, S* y, Stride ldy) {
  constexpr int W = kLanes<S>;
  Vec<S> acc[MR][kTileVectors] = {};
  const S* rows[MR];
  for (int i = 0; i < MR; ++i) rows[i] = x + (row + i) * ldx;
  for (Index k = 0; k < K; ++k, panel += kPanel<S>) {
    const Vec<S> b0 = load(panel);
    const Vec<S> b1 = load(panel + W);
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
      const Vec<S> a = splat<S>(rows[i][k]);
      acc[i][0] += a * b0;
      acc[i][1] += a * b1;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int part = 0; part < kTileVectors; ++part) {
      const Index j = column + part * W;
      const int count = N - j < W ? N - j : W;
      if (count <= 0) continue;
      S* out = y + (row + i) * ldy + j;
      if (count == W) {
        Vec<S> v = finish(e, acc[i][part], row + i, j, W);
        if (e.accumulate) v += load(out);
        store(out, v);
      } else {
        const Vec<S> v = finish(e, acc[i][part], row + i, j, count);
        for (int c = 0; c < count; ++c) out[c] = e.accumulate ? out[c] + v[c] : v[c];
      }
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

template <class S>
void gemm(Index M, Index N, Index K, const S* x, Stride ldx, const S* packed, const Epilogue<S>& epilogue, S* y,
          Stride ldy) {
  // A block of rows is kept in the second-level cache while all panels pass over it.
  constexpr Index kRowBlock = 32 * kTileRows;
  for (Index row0 = 0; row0 < M; row0 += kRowBlock) {
    const Index row_end = row0 + kRowBlock < M ? row0 + kRowBlock : M;
    const S* panel = packed;
    for (Index j = 0; j < N; j += kPanel<S>, panel += static_cast<Stride>(K) * kPanel<S>) {
      Index i = row0;
      for (; i + kTileRows <= row_end; i += kTileRows) {
        gemm_tile<S, kTileRows>(i, j, N, K, x, ldx, panel, epilogue, y, ldy);
      }
      remaining_rows<8>(i, row_end - i,
                        [&]<int MR>(Index at) { gemm_tile<S, MR>(at, j, N, K, x, ldx, panel, epilogue, y, ldy); });
    }
  }
}

template <class S, int MR>
AGENTNET_INLINE void gemm_tn_tile(Index M, Index columns, const S* a, Stride lda, const S* b, Stride ldb, S* c,
                                  Stride ldc) {
  constexpr int W = kLanes<S>;
  Vec<S> acc[MR][kTileVectors] = {};
  if (columns == kPanel<S>) {
    for (Index m = 0; m < M; ++m, a += lda, b += ldb) {
      const Vec<S> b0 = load(b);
      const Vec<S> b1 = load(b + W);
#pragma GCC unroll 16
      for (int i = 0; i < MR; ++i) {
        const Vec<S> s = splat<S>(a[i]);
        acc[i][0] += s * b0;
        acc[i][1] += s * b1;
      }
    }
    for (int i = 0; i < MR; ++i) {
      store(c + i * ldc, load(c + i * ldc) + acc[i][0]);
      store(c + i * ldc + W, load(c + i * ldc + W) + acc[i][1]);
    }
  } else {
    for (Index m = 0; m < M; ++m) {
      for (int i = 0; i < MR; ++i) {
        for (Index j = 0; j < columns; ++j) c[i * ldc + j] += a[m * lda + i] * b[m * ldb + j];
      }
    }
  }
}

template <class S>
void gemm_tn(Index M, Index N, Index K, const S* a, Stride lda, const S* b, Stride ldb, S* c, Stride ldc) {
  // One tile walks down two columns of cache lines; this many of them fit in the first-level cache.
  constexpr Index kRowBlock = 160;
  for (Index row = 0; row < M; row += kRowBlock) {
    const Index rows = M - row < kRowBlock ? M - row : kRowBlock;
    const S* a0 = a + row * lda;
    const S* b0 = b + row * ldb;
    for (Index k = 0; k < K; k += kPanel<S>) {
      const Index columns = K - k < kPanel<S> ? K - k : kPanel<S>;
      Index n = 0;
      for (; n + kTileRows <= N; n += kTileRows) {
        gemm_tn_tile<S, kTileRows>(rows, columns, a0 + n, lda, b0 + k, ldb, c + n * ldc + k, ldc);
      }
      remaining_rows<8>(n, N - n, [&]<int MR>(Index at) {
        gemm_tn_tile<S, MR>(rows, columns, a0 + at, lda, b0 + k, ldb, c + at * ldc + k, ldc);
      });
    }
  }
}

// ---- rows -------------------------------------------------------------------------------------

// Calls vector(j) for whole vectors of the N columns and scalar(j) for the rest.
template <class S, class V, class T>
AGENTNET_INLINE void columns(Index N, const V& vector, const T& scalar) {
  Index j = 0;
  for (; j + kLanes<S> <= N; j += kLanes<S>) vector(j);
  for (; j < N; ++j) scalar(j);
}

template <class S>
AGENTNET_INLINE void add_row(Index N, S alpha, const S* x, S* y) {
  columns<S>(
      N, [&](Index j) { store(y + j, load(y + j) + alpha * load(x + j)); }, [&](Index j) { y[j] += alpha * x[j]; });
}

template <class S>
AGENTNET_INLINE S dot_rows(Index N, const S* x, const S* y) {
  Vec<S> acc{};
  S rest = 0;
  columns<S>(
      N, [&](Index j) { acc += load(x + j) * load(y + j); }, [&](Index j) { rest += x[j] * y[j]; });
  return horizontal_sum<S>(acc) + rest;
}

AGENTNET_INLINE Index at(const Index* idx, Index i) { return idx != nullptr ? idx[i] : i; }

template <class S>
void column_sums(Index M, Index N, const S* x, Stride ldx, S* out) {
  constexpr int W = kLanes<S>;
  Index j = 0;
  for (; j + 4 * W <= N; j += 4 * W) {
    Vec<S> acc[4] = {};
    for (Index i = 0; i < M; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) acc[v] += load(x + i * ldx + j + v * W);
    }
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) store(out + j + v * W, load(out + j + v * W) + acc[v]);
  }
  for (; j < N; ++j) {
    S acc = 0;
    for (Index i = 0; i < M; ++i) acc += x[i * ldx + j];
    out[j] += acc;
  }
}

template <class S>
void gather_add(Index M, Index N, const S* x, Stride ldx, const Index* idx, const S* add, Stride ld_add,
                const Index* add_idx, S* y, Stride ldy) {
  for (Index i = 0; i < M; ++i) {
    const S* from = x + at(idx, i) * ldx;
    S* to = y + i * ldy;
    if (add == nullptr) {
      columns<S>(
          N, [&](Index j) { store(to + j, load(from + j)); }, [&](Index j) { to[j] = from[j]; });
    } else {
      const S* more = add_idx != nullptr ? add + add_idx[i] * ld_add : add;
      columns<S>(
          N, [&](Index j) { store(to + j, load(from + j) + load(more + j)); },
          [&](Index j) { to[j] = from[j] + more[j]; });
    }
  }
}

template <class S>
void scatter_add(Index M, Index N, const S* x, Stride ldx, const Index* idx, const S* scale, S* y, Stride ldy) {
  for (Index i = 0; i < M; ++i) add_row(N, scale != nullptr ? scale[i] : S(1), x + i * ldx, y + at(idx, i) * ldy);
}

template <class S>
void segment_sum(Index M, Index N, const std::int64_t* first, const std::int64_t* last, const Index* idx,
                 const S* scale, const S* x, Stride ldx, const S* add, Stride ld_add, const Index* add_idx, S* y,
                 Stride ldy) {
  constexpr int W = kLanes<S>;
  for (Index i = 0; i < M; ++i) {
    const S* more = add == nullptr ? nullptr : (add_idx != nullptr ? add + add_idx[i] * ld_add : add);
    S* to = y + i * ldy;
    Index j = 0;
    for (; j + 4 * W <= N; j += 4 * W) {
      Vec<S> acc[4] = {};
      for (std::int64_t e = first[i]; e < last[i]; ++e) {
        const S* from = x + idx[e] * ldx + j;
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) acc[v] += load(from + v * W);
      }
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        Vec<S> sum = scale[i] * acc[v];
        if (more != nullptr) sum += load(more + j + v * W);
        store(to + j + v * W, sum);
      }
    }
    for (; j < N; ++j) {
      S acc = 0;
      for (std::int64_t e = first[i]; e < last[i]; ++e) acc += x[idx[e] * ldx + j];
      to[j] = scale[i] * acc + (more != nullptr ? more[j] : S(0));
    }
  }
}

template <class S>
void segment_scatter(Index M, Index N, const std::int64_t* first, const std::int64_t* last, const Index* idx,
                     const S* scale, const S* y, Stride ldy, S* x, Stride ldx) {
  for (Index i = 0; i < M; ++i) {
    for (std::int64_t e = first[i]; e < last[i]; ++e) add_row(N, scale[i], y + i * ldy, x + idx[e] * ldx);
  }
}

template <class S>
void row_dots(Index M, Index N, const S* x, Stride ldx, const Index* x_idx, const S* y, Stride ldy, const Index* y_idx,
              const S* scale, S* out) {
  for (Index i = 0; i < M; ++i) {
    const S d = dot_rows(N, x + at(x_idx, i) * ldx, y + at(y_idx, i) * ldy);
    out[i] += scale != nullptr ? scale[i] * d : d;
  }
}

// ---- layer norm -------------------------------------------------------------------------------

// Mean and centred sum of squares of one row: two passes, because a sum of squares loses digits.
template <class S>
AGENTNET_INLINE void stats_of_row(Index N, const S* x, S& mean, S& m2) {
  Vec<S> sum{};
  S rest = 0;
  columns<S>(
      N, [&](Index j) { sum += load(x + j); }, [&](Index j) { rest += x[j]; });
  mean = (horizontal_sum<S>(sum) + rest) / static_cast<S>(N);
  Vec<S> squares{};
  rest = 0;
  columns<S>(
      N,
      [&](Index j) {
        const Vec<S> d = load(x + j) - mean;
        squares += d * d;
      },
      [&](Index j) { rest += (x[j] - mean) * (x[j] - mean); });
  m2 = horizontal_sum<S>(squares) + rest;
}

template <class S>
void normalise(Index M, Index N, S* x, Stride ldx, Index extra_count, const S* extra_mean, const S* extra_m2, S epsilon,
               S* mean_out, S* rstd_out) {
  const S all = static_cast<S>(N + extra_count);
  for (Index i = 0; i < M; ++i) {
    S* row = x + i * ldx;
    S mean = 0, m2 = 0;
    stats_of_row(N, row, mean, m2);
    if (extra_mean != nullptr) {  // Chan's combination of two groups
      const S delta = extra_mean[i] - mean;
      const S share = static_cast<S>(extra_count) / all;
      mean += delta * share;
      m2 += extra_m2[i] + delta * delta * share * static_cast<S>(N);
    }
    const S rstd = S(1) / std::sqrt(m2 / all + epsilon);
    columns<S>(
        N, [&](Index j) { store(row + j, (load(row + j) - mean) * rstd); },
        [&](Index j) { row[j] = (row[j] - mean) * rstd; });
    rstd_out[i] = rstd;
    if (mean_out != nullptr) mean_out[i] = mean;
  }
}

template <class S>
void normalise_backward(Index M, Index N, const S* xhat, Stride ld_xhat, Index extra_count, const S* rstd, S* sum1,
                        S* sum2, S* dx, Stride ld_dx) {
  const S all = static_cast<S>(N + extra_count);
  for (Index i = 0; i < M; ++i) {
    const S* xh = xhat + i * ld_xhat;
    S* d = dx + i * ld_dx;
    Vec<S> v1{}, v2{};
    S rest1 = 0, rest2 = 0;
    columns<S>(
        N,
        [&](Index j) {
          const Vec<S> g = load(d + j);
          v1 += g;
          v2 += g * load(xh + j);
        },
        [&](Index j) {
          rest1 += d[j];
          rest2 += d[j] * xh[j];
        });
    S s1 = horizontal_sum<S>(v1) + rest1;
    S s2 = horizontal_sum<S>(v2) + rest2;
    if (sum1 != nullptr) {
      s1 += sum1[i];
      s2 += sum2[i];
    }
    s1 /= all;
    s2 /= all;
    if (sum1 != nullptr) {
      sum1[i] = s1;
      sum2[i] = s2;
    }
    const S r = rstd[i];
    columns<S>(
        N, [&](Index j) { store(d + j, r * (load(d + j) - s1 - s2 * load(xh + j))); },
        [&](Index j) { d[j] = r * (d[j] - s1 - s2 * xh[j]); });
  }
}

template <class S>
void row_stats(Index M, Index N, const S* x, Stride ldx, const Index* idx, S* mean, S* m2) {
  for (Index i = 0; i < M; ++i) {
    const Index row = at(idx, i);
    stats_of_row(N, x + row * ldx, mean[row], m2[row]);
  }
}

// ---- candidates of a move ---------------------------------------------------------------------

// A block of MR x MC dot products; every product has an accumulator of its own, so its value does
// not depend on the block it is computed in.
template <class S, int MR, int MC>
AGENTNET_INLINE void dots_block(Index N, const S* x, Stride ldx, const S* const* y, S* out, Stride ld_out) {
  Vec<S> acc[MR][MC] = {};
  S rest[MR][MC] = {};
  columns<S>(
      N,
      [&](Index j) {
        Vec<S> b[MC];
#pragma GCC unroll 4
        for (int c = 0; c < MC; ++c) b[c] = load(y[c] + j);
#pragma GCC unroll 4
        for (int i = 0; i < MR; ++i) {
          const Vec<S> a = load(x + i * ldx + j);
#pragma GCC unroll 4
          for (int c = 0; c < MC; ++c) acc[i][c] += a * b[c];
        }
      },
      [&](Index j) {
        for (int i = 0; i < MR; ++i) {
          for (int c = 0; c < MC; ++c) rest[i][c] += x[i * ldx + j] * y[c][j];
        }
      });
  for (int i = 0; i < MR; ++i) {
    for (int c = 0; c < MC; ++c) out[i * ld_out + c] = horizontal_sum<S>(acc[i][c]) + rest[i][c];
  }
}

template <class S>
void candidate_dots(Index M, Index C, Index N, const S* x, Stride ldx, const Index* idx, const S* y, Stride ldy, S* out,
                    Stride ld_out) {
  const S* rows[2];
  Index i = 0;
  for (; i + 4 <= M; i += 4) {
    Index c = 0;
    for (; c + 2 <= C; c += 2) {
      for (int k = 0; k < 2; ++k) rows[k] = y + idx[c + k] * ldy;
      dots_block<S, 4, 2>(N, x + i * ldx, ldx, rows, out + i * ld_out + c, ld_out);
    }
    if (c < C) {
      rows[0] = y + idx[c] * ldy;
      dots_block<S, 4, 1>(N, x + i * ldx, ldx, rows, out + i * ld_out + c, ld_out);
    }
  }
  for (; i < M; ++i) {
    Index c = 0;
    for (; c + 2 <= C; c += 2) {
      for (int k = 0; k < 2; ++k) rows[k] = y + idx[c + k] * ldy;
      dots_block<S, 1, 2>(N, x + i * ldx, ldx, rows, out + i * ld_out + c, ld_out);
    }
    if (c < C) {
      rows[0] = y + idx[c] * ldy;
      dots_block<S, 1, 1>(N, x + i * ldx, ldx, rows, out + i * ld_out + c, ld_out);
    }
  }
}

// to[i] += sum over k of weight(i, k) * from(k) for MR rows at once.
template <class S, int MR, class Weight, class From>
AGENTNET_INLINE void weighted_rows(Index count, Index N, const Weight& weight, const From& from, S* const* to) {
  constexpr int W = kLanes<S>;
  Index j = 0;
  for (; j + 2 * W <= N; j += 2 * W) {
    Vec<S> acc[MR][2];
    for (int i = 0; i < MR; ++i) {
      acc[i][0] = load(to[i] + j);
      acc[i][1] = load(to[i] + j + W);
    }
    for (Index k = 0; k < count; ++k) {
      const S* row = from(k) + j;
      const Vec<S> b0 = load(row);
      const Vec<S> b1 = load(row + W);
#pragma GCC unroll 4
      for (int i = 0; i < MR; ++i) {
        const Vec<S> w = splat<S>(weight(i, k));
        acc[i][0] += w * b0;
        acc[i][1] += w * b1;
      }
    }
    for (int i = 0; i < MR; ++i) {
      store(to[i] + j, acc[i][0]);
      store(to[i] + j + W, acc[i][1]);
    }
  }
  for (; j < N; ++j) {
    for (int i = 0; i < MR; ++i) {
      S acc = to[i][j];
      for (Index k = 0; k < count; ++k) acc += weight(i, k) * from(k)[j];
      to[i][j] = acc;
    }
  }
}

template <class S>
void candidate_dots_backward(Index M, Index C, Index N, const S* weight, Stride ld_weight, const S* x, Stride ldx,
                             const Index* idx, const S* y, Stride ldy, S* dx, Stride ld_dx, S* dy, Stride ld_dy) {
  S* to[4];
  const auto candidate = [&](Index c) { return y + idx[c] * ldy; };
  const auto agent = [&](Index a) { return x + a * ldx; };
  Index i = 0;
  for (; i + 4 <= M; i += 4) {
    for (int r = 0; r < 4; ++r) to[r] = dx + (i + r) * ld_dx;
    weighted_rows<S, 4>(
        C, N, [&](int r, Index c) { return weight[(i + r) * ld_weight + c]; }, candidate, to);
  }
  for (; i < M; ++i) {
    to[0] = dx + i * ld_dx;
    weighted_rows<S, 1>(
        C, N, [&](int, Index c) { return weight[i * ld_weight + c]; }, candidate, to);
  }
  Index c = 0;
  for (; c + 4 <= C; c += 4) {
    for (int r = 0; r < 4; ++r) to[r] = dy + idx[c + r] * ld_dy;
    weighted_rows<S, 4>(
        M, N, [&](int r, Index a) { return weight[a * ld_weight + c + r]; }, agent, to);
  }
  for (; c < C; ++c) {
    to[0] = dy + idx[c] * ld_dy;
    weighted_rows<S, 1>(
        M, N, [&](int, Index a) { return weight[a * ld_weight + c]; }, agent, to);
  }
}

template <class S>
void affine_scatter(Index C, Index N, const Index* idx, const S* scale, const S* shift, const S* y, Stride ldy, S* dy,
                    Stride ld_dy) {
  for (Index c = 0; c < C; ++c) {
    const S* from = y + idx[c] * ldy;
    S* to = dy + idx[c] * ld_dy;
    columns<S>(
        N, [&](Index j) { store(to + j, load(to + j) + (scale[c] * load(from + j) + shift[c])); },
        [&](Index j) { to[j] += scale[c] * from[j] + shift[c]; });
  }
}

// ---- exponentials and noise -------------------------------------------------------------------

using Floats = Vec<float>;
using Doubles = Vec<double>;
using Ints [[gnu::vector_size(AGENTNET_VECTOR_BYTES)]] = std::int32_t;

// log of positive normal numbers: x = m 2^e with m in [sqrt(1/2), sqrt(2)), log m = 2 atanh((m - 1) / (m + 1)).
AGENTNET_INLINE Floats log_positive(Floats x) {
  constexpr std::int32_t kSqrtHalf = 0x3f3504f3;
  Ints bits;
  std::memcpy(&bits, &x, sizeof(bits));
  bits -= kSqrtHalf;
  const Floats exponent = __builtin_convertvector(bits >> 23, Floats);
  bits = (bits & 0x007fffff) + kSqrtHalf;
  Floats m;
  std::memcpy(&m, &bits, sizeof(m));
  const Floats s = (m - 1.0f) / (m + 1.0f);
  const Floats z = s * s;
  const Floats series = 1.0f + z * (1.0f / 3 + z * (1.0f / 5 + z * (1.0f / 7 + z * (1.0f / 9))));
  return exponent * 0.693147181f + 2.0f * s * series;
}
AGENTNET_INLINE Doubles log_positive(Doubles x) {
  for (int i = 0; i < kLanes<double>; ++i) x[i] = std::log(x[i]);
  return x;
}

// exp of numbers that are at most 0; below -87 it is 0.
AGENTNET_INLINE Floats exp_negative(Floats x) {
  const Floats clamped = x > -87.0f ? x : splat<float>(-87.0f);
  const Ints power = __builtin_convertvector(clamped * 1.44269504f - 0.5f, Ints);  // rounds to nearest: x <= 0
  const Floats n = __builtin_convertvector(power, Floats);
  const Floats r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;  // ln 2 in two parts
  const Floats series =
      1.0f + r * (1.0f + r * (1.0f / 2 + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720))))));
  const Ints bits = (power + 127) << 23;
  Floats scale;
  std::memcpy(&scale, &bits, sizeof(scale));
  return x > -87.0f ? series * scale : Floats{};
}
AGENTNET_INLINE Doubles exp_negative(Doubles x) {
  for (int i = 0; i < kLanes<double>; ++i) x[i] = std::exp(x[i]);
  return x;
}

// Uniform numbers of the open unit interval, as many bits as the type holds.
AGENTNET_INLINE float unit(std::uint32_t bits, float /*type*/) {
  return (static_cast<float>(static_cast<std::int32_t>(bits >> 8)) + 0.5f) * 0x1p-24f;
}
AGENTNET_INLINE double unit(std::uint32_t bits, double /*type*/) { return (static_cast<double>(bits) + 0.5) * 0x1p-32; }

// Philox4x32-10 (core/random.h has the plain version) on kBatch counters at once.
constexpr int kBatch = 16;
AGENTNET_INLINE void philox_batch(std::uint32_t x[4][kBatch], std::uint32_t k0, std::uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < kBatch; ++i) {
      const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * x[0][i];
      const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * x[2][i];
      const std::uint32_t c1 = x[1][i], c3 = x[3][i];
      x[0][i] = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
      x[1][i] = static_cast<std::uint32_t>(p1);
      x[2][i] = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
      x[3][i] = static_cast<std::uint32_t>(p0);
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

template <class S>
void gumbel(Index n, const std::uint32_t* const counter[4], const std::uint32_t key[2], S* out) {
  for (Index first = 0; first < n; first += kBatch) {
    const Index count = n - first < kBatch ? n - first : kBatch;
    std::uint32_t x[4][kBatch] = {};
    for (int word = 0; word < 4; ++word) {
      for (Index i = 0; i < count; ++i) x[word][i] = counter[word][first + i];
    }
    philox_batch(x, key[0], key[1]);
    S noise[4][kBatch];
    for (int word = 0; word < 4; ++word) {
      for (int i = 0; i < kBatch; ++i) noise[word][i] = unit(x[word][i], S{});
      for (int i = 0; i < kBatch; i += kLanes<S>) {
        store(noise[word] + i, -log_positive(-log_positive(load(noise[word] + i))));
      }
    }
    for (Index i = 0; i < count; ++i) {
      for (int word = 0; word < 4; ++word) out[(first + i) * 4 + word] = noise[word][i];
    }
  }
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
    while (s[b] != largest && b + 1 < count) ++b;
    best[i] = b;
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

template <class S>
void axpy(std::size_t n, S alpha, const S* x, S* y) {
  std::size_t i = 0;
  for (; i + kLanes<S> <= n; i += kLanes<S>) store(y + i, load(y + i) + alpha * load(x + i));
  for (; i < n; ++i) y[i] += alpha * x[i];
}

template <class S>
S dot(std::size_t n, const S* x, const S* y) {
  return dot_rows(static_cast<Index>(n), x, y);
}

template <class S>
constexpr Kernels<S> make_kernels(std::string_view name) {
  Kernels<S> k{};
  k.name = name;
  k.panel = kPanel<S>;
  k.pack = pack<S>;
  k.gemm = gemm<S>;
  k.gemm_tn = gemm_tn<S>;
  k.column_sums = column_sums<S>;
  k.gather_add = gather_add<S>;
  k.scatter_add = scatter_add<S>;
  k.segment_sum = segment_sum<S>;
  k.segment_scatter = segment_scatter<S>;
  k.row_dots = row_dots<S>;
  k.normalise = normalise<S>;
  k.normalise_backward = normalise_backward<S>;
  k.row_stats = row_stats<S>;
  k.candidate_dots = candidate_dots<S>;
  k.candidate_dots_backward = candidate_dots_backward<S>;
  k.affine_scatter = affine_scatter<S>;
  k.gumbel = gumbel<S>;
  k.softmax_segments = softmax_segments<S>;
  k.axpy = axpy<S>;
  k.dot = dot<S>;
  return k;
}

}  // namespace agentnet::AGENTNET_ISA
