// The kernels, written once with the compiler's vector types and compiled once per instruction set;
// matrix products are in kernels_products.h, exponentials and noise in kernels_noise.h.
//
// The including file defines AGENTNET_ISA (a namespace of its own, so that code for one instruction
// set is never linked into another's path), AGENTNET_VECTOR_BYTES and AGENTNET_TILE_ROWS. Nothing
// from the standard library that could end up as a shared inline function is used here.
#include <cmath>

#include "tensor/kernels.h"
#include "tensor/kernels_lanes.h"
#include "tensor/kernels_noise.h"
#include "tensor/kernels_products.h"

namespace agentnet::AGENTNET_ISA {

// ---- rows -------------------------------------------------------------------------------------

template <class S>
AGENTNET_INLINE void add_row(Index N, S alpha, const S* x, S* y) {
  columns<S>(
      N, [&](Index j) { store(y + j, scale_add<S>(alpha, load(x + j), load(y + j))); },
      [&](Index j) { y[j] += alpha * x[j]; });
}

template <class S>
AGENTNET_INLINE S dot_rows(Index N, const S* x, const S* y) {
  Vec<S> acc{};
  S rest = 0;
  columns<S>(
      N, [&](Index j) { acc = multiply_add(load(x + j), load(y + j), acc); }, [&](Index j) { rest += x[j] * y[j]; });
  return horizontal_sum<S>(acc) + rest;
}

AGENTNET_INLINE Index at(const Index* idx, Index i) { return idx != nullptr ? idx[i] : i; }

template <class S>
void column_sums(Index M, Index N, const S* x, Stride ldx, S* out) {
  constexpr int W = kLanes<S>;
  wide_columns<S>(
      N,
      [&]<int V>(Index j) {
        Vec<S> acc[V] = {};
        for (Index i = 0; i < M; ++i) {
#pragma GCC unroll 4
          for (int v = 0; v < V; ++v) acc[v] += load(x + i * ldx + j + v * W);
        }
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) store(out + j + v * W, load(out + j + v * W) + acc[v]);
      },
      [&](Index j) {
        S acc = 0;
        for (Index i = 0; i < M; ++i) acc += x[i * ldx + j];
        out[j] += acc;
      });
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
    wide_columns<S>(
        N,
        [&]<int V>(Index j) {
          Vec<S> acc[V] = {};
          for (std::int64_t e = first[i]; e < last[i]; ++e) {
            const S* from = x + idx[e] * ldx + j;
#pragma GCC unroll 4
            for (int v = 0; v < V; ++v) acc[v] += load(from + v * W);
          }
#pragma GCC unroll 4
          for (int v = 0; v < V; ++v) {
            Vec<S> sum = scale[i] * acc[v];
            if (more != nullptr) sum += load(more + j + v * W);
            store(to + j + v * W, sum);
          }
        },
        [&](Index j) {
          S acc = 0;
          for (std::int64_t e = first[i]; e < last[i]; ++e) acc += x[idx[e] * ldx + j];
          to[j] = scale[i] * acc + (more != nullptr ? more[j] : S(0));
        });
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

// Column by column over `rows` rows from x on: the largest entry, its row, and the mean.
template <class S>
void pool_rows(Index rows, Index N, const S* x, Stride ldx, S* largest, Index* arg, S* mean) {
  using Mask = decltype(Vec<S>{} > Vec<S>{});  // integers as wide as S
  const S share = S(1) / static_cast<S>(rows);
  columns<S>(
      N,
      [&](Index j) {
        Vec<S> top = load(x + j), sum = top;
        Mask at{};
        for (Index i = 1; i < rows; ++i) {
          const Vec<S> v = load(x + i * ldx + j);
          const Mask larger = v > top;
          top = larger ? v : top;
          at = larger ? i - Mask{} : at;
          sum += v;
        }
        store(largest + j, top);
        store(mean + j, sum * share);
        for (int lane = 0; lane < kLanes<S>; ++lane) arg[j + lane] = static_cast<Index>(at[lane]);
      },
      [&](Index j) {
        S top = x[j], sum = top;
        arg[j] = 0;
        for (Index i = 1; i < rows; ++i) {
          const S v = x[i * ldx + j];
          if (v > top) {
            top = v;
            arg[j] = i;
          }
          sum += v;
        }
        largest[j] = top;
        mean[j] = sum * share;
      });
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
        squares = multiply_add(d, d, squares);
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
          v2 = multiply_add(g, load(xh + j), v2);
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
        N, [&](Index j) { store(d + j, r * scale_add<S>(-s2, load(xh + j), load(d + j) - s1)); },
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
          for (int c = 0; c < MC; ++c) acc[i][c] = multiply_add(a, b[c], acc[i][c]);
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

// to[i] += sum over k of weight(i, k) * from(k) for MR rows at once: V vectors from column j on, then all columns.
template <class S, int MR, int V, class Weight, class From>
AGENTNET_INLINE void weighted_vectors(Index count, Index j, const Weight& weight, const From& from, S* const* to) {
  constexpr int W = kLanes<S>;
  Vec<S> acc[MR][V];
#pragma GCC unroll 4
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) acc[i][v] = load(to[i] + j + v * W);
  }
  for (Index k = 0; k < count; ++k) {
    const S* row = from(k) + j;
    Vec<S> b[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) b[v] = load(row + v * W);
#pragma GCC unroll 4
    for (int i = 0; i < MR; ++i) {
      const Vec<S> w = splat<S>(weight(i, k));
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) acc[i][v] = multiply_add(w, b[v], acc[i][v]);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) store(to[i] + j + v * W, acc[i][v]);
  }
}
template <class S, int MR, class Weight, class From>
AGENTNET_INLINE void weighted_rows(Index count, Index N, const Weight& weight, const From& from, S* const* to) {
  constexpr int W = kLanes<S>;
  Index j = 0;
  for (; j + 2 * W <= N; j += 2 * W) weighted_vectors<S, MR, 2>(count, j, weight, from, to);
  for (; j + W <= N; j += W) weighted_vectors<S, MR, 1>(count, j, weight, from, to);
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
        N, [&](Index j) { store(to + j, scale_add<S>(scale[c], load(from + j), load(to + j) + shift[c])); },
        [&](Index j) { to[j] = (to[j] + shift[c]) + scale[c] * from[j]; });
  }
}

template <class S>
void axpy(std::size_t n, S alpha, const S* x, S* y) {
  std::size_t i = 0;
  for (; i + kLanes<S> <= n; i += kLanes<S>) store(y + i, scale_add<S>(alpha, load(x + i), load(y + i)));
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
  k.pool_rows = pool_rows<S>;
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
