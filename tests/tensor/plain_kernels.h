// The plain version of every kernel: the obvious loops, in double precision, one entry at a time. The oracle of
// src/tensor/kernels_impl.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "tensor/kernels.h"

namespace agentnet {

template <class S>
struct Plain {
  // Entry (i, j) of a matrix; a null index array means the identity.
  static double entry(const S* x, Stride ld, Index i, Index j) { return static_cast<double>(x[i * ld + j]); }
  static Index at(const Index* idx, Index i) { return idx != nullptr ? idx[i] : i; }
  static double factor(const S* scale, Index i) { return scale != nullptr ? static_cast<double>(scale[i]) : 1.0; }
  static void add(S& to, double x) { to = static_cast<S>(static_cast<double>(to) + x); }
  static double dot_of(Index N, const S* x, const S* y) {
    double sum = 0;
    for (Index j = 0; j < N; ++j) sum += static_cast<double>(x[j]) * static_cast<double>(y[j]);
    return sum;
  }

  // Column by column, so a panel is one column wide.
  static void pack(Index K, Index N, const S* src, Stride row_stride, Stride col_stride, S* packed) {
    for (Index n = 0; n < N; ++n) {
      for (Index k = 0; k < K; ++k) *packed++ = src[k * row_stride + n * col_stride];
    }
  }

  static double epilogue_of(const Epilogue<S>& e, double v, Index i, Index j) {
    if (e.bias != nullptr) v += static_cast<double>(e.bias[j]);
    if (e.group != nullptr) {
      v += static_cast<double>(e.group_scale[i]) * entry(e.group, e.ld_group, e.group_of_row[i], j);
    }
    if (e.direction != nullptr) v += static_cast<double>(e.direction_scale[i]) * static_cast<double>(e.direction[j]);
    if (e.leaky && v < 0) v *= static_cast<double>(e.slope);
    if (e.gate != nullptr) {
      const double g = entry(e.gate, e.ld_gate, i, j);
      v *= static_cast<double>(g > 0 ? e.gate_positive : g < 0 ? e.gate_negative : e.gate_zero);
    }
    if (e.residual != nullptr) v += entry(e.residual, e.ld_residual, i, j);
    return v;
  }
  static void gemm(Index M, Index N, Index K, const S* x, Stride ldx, const S* packed, const Epilogue<S>& epilogue,
                   S* y, Stride ldy) {
    for (Index i = 0; i < M; ++i) {
      for (Index j = 0; j < N; ++j) {
        S& out = y[i * ldy + j];
        const double v = epilogue_of(epilogue, dot_of(K, x + i * ldx, packed + static_cast<Stride>(j) * K), i, j);
        out = static_cast<S>(epilogue.accumulate ? static_cast<double>(out) + v : v);
      }
    }
  }
  static void gemm_tn(Index M, Index N, Index K, const S* a, Stride lda, const S* b, Stride ldb, S* c, Stride ldc) {
    for (Index n = 0; n < N; ++n) {
      for (Index k = 0; k < K; ++k) {
        double sum = 0;
        for (Index m = 0; m < M; ++m) sum += entry(a, lda, m, n) * entry(b, ldb, m, k);
        add(c[n * ldc + k], sum);
      }
    }
  }

  static void column_sums(Index M, Index N, const S* x, Stride ldx, S* out) {
    for (Index j = 0; j < N; ++j) {
      double sum = 0;
      for (Index i = 0; i < M; ++i) sum += entry(x, ldx, i, j);
      add(out[j], sum);
    }
  }
  static double more(const S* add, Stride ld_add, const Index* add_idx, Index i, Index j) {
    if (add == nullptr) return 0;
    return entry(add, ld_add, add_idx != nullptr ? add_idx[i] : 0, j);
  }
  static void gather_add(Index M, Index N, const S* x, Stride ldx, const Index* idx, const S* add, Stride ld_add,
                         const Index* add_idx, S* y, Stride ldy) {
    for (Index i = 0; i < M; ++i) {
      for (Index j = 0; j < N; ++j) {
        y[i * ldy + j] = static_cast<S>(entry(x, ldx, at(idx, i), j) + more(add, ld_add, add_idx, i, j));
      }
    }
  }
  static void scatter_add(Index M, Index N, const S* x, Stride ldx, const Index* idx, const S* scale, S* y,
                          Stride ldy) {
    for (Index i = 0; i < M; ++i) {
      for (Index j = 0; j < N; ++j) add(y[at(idx, i) * ldy + j], factor(scale, i) * entry(x, ldx, i, j));
    }
  }
  static void segment_sum(Index M, Index N, const std::int64_t* first, const std::int64_t* last, const Index* idx,
                          const S* scale, const S* x, Stride ldx, const S* add, Stride ld_add, const Index* add_idx,
                          S* y, Stride ldy) {
    for (Index i = 0; i < M; ++i) {
      for (Index j = 0; j < N; ++j) {
        double sum = 0;
        for (std::int64_t e = first[i]; e < last[i]; ++e) sum += entry(x, ldx, idx[e], j);
        y[i * ldy + j] = static_cast<S>(factor(scale, i) * sum + more(add, ld_add, add_idx, i, j));
      }
    }
  }
  static void segment_scatter(Index M, Index N, const std::int64_t* first, const std::int64_t* last, const Index* idx,
                              const S* scale, const S* y, Stride ldy, S* x, Stride ldx) {
    for (Index i = 0; i < M; ++i) {
      for (std::int64_t e = first[i]; e < last[i]; ++e) {
        for (Index j = 0; j < N; ++j) add(x[idx[e] * ldx + j], factor(scale, i) * entry(y, ldy, i, j));
      }
    }
  }
  static void row_dots(Index M, Index N, const S* x, Stride ldx, const Index* x_idx, const S* y, Stride ldy,
                       const Index* y_idx, const S* scale, S* out) {
    for (Index i = 0; i < M; ++i) {
      add(out[i], factor(scale, i) * dot_of(N, x + at(x_idx, i) * ldx, y + at(y_idx, i) * ldy));
    }
  }

  static void pool_rows(Index rows, Index N, const S* x, Stride ldx, S* largest, Index* arg, S* mean) {
    for (Index j = 0; j < N; ++j) {
      Index top = 0;
      double sum = 0;
      for (Index i = 0; i < rows; ++i) {
        if (entry(x, ldx, i, j) > entry(x, ldx, top, j)) top = i;
        sum += entry(x, ldx, i, j);
      }
      largest[j] = x[top * ldx + j];
      arg[j] = top;
      mean[j] = static_cast<S>(sum / rows);
    }
  }

  // In long double, because double is itself under test here.
  static long double mean_of(Index N, const S* x) {
    long double sum = 0;
    for (Index j = 0; j < N; ++j) sum += static_cast<long double>(x[j]);
    return sum / N;
  }
  static long double squares_around(long double mean, Index N, const S* x) {
    long double sum = 0;
    for (Index j = 0; j < N; ++j) {
      sum += (static_cast<long double>(x[j]) - mean) * (static_cast<long double>(x[j]) - mean);
    }
    return sum;
  }
  static void normalise(Index M, Index N, S* x, Stride ldx, Index extra_count, const S* extra_mean, const S* extra_m2,
                        S epsilon, S* mean_out, S* rstd_out) {
    for (Index i = 0; i < M; ++i) {
      S* row = x + i * ldx;
      long double mean = mean_of(N, row);
      if (extra_mean != nullptr) {
        mean = (mean * N + static_cast<long double>(extra_mean[i]) * extra_count) / (N + extra_count);
      }
      long double squares = squares_around(mean, N, row);
      if (extra_mean != nullptr) {
        const long double away = static_cast<long double>(extra_mean[i]) - mean;
        squares += static_cast<long double>(extra_m2[i]) + extra_count * away * away;
      }
      const long double rstd = 1 / std::sqrt(squares / (N + extra_count) + static_cast<long double>(epsilon));
      for (Index j = 0; j < N; ++j) row[j] = static_cast<S>((static_cast<long double>(row[j]) - mean) * rstd);
      rstd_out[i] = static_cast<S>(rstd);
      if (mean_out != nullptr) mean_out[i] = static_cast<S>(mean);
    }
  }
  static void normalise_backward(Index M, Index N, const S* xhat, Stride ld_xhat, Index extra_count, const S* rstd,
                                 S* sum1, S* sum2, S* dx, Stride ld_dx) {
    for (Index i = 0; i < M; ++i) {
      double s1 = sum1 != nullptr ? static_cast<double>(sum1[i]) : 0;
      double s2 = sum2 != nullptr ? static_cast<double>(sum2[i]) : 0;
      for (Index j = 0; j < N; ++j) {
        s1 += entry(dx, ld_dx, i, j);
        s2 += entry(dx, ld_dx, i, j) * entry(xhat, ld_xhat, i, j);
      }
      s1 /= N + extra_count;
      s2 /= N + extra_count;
      for (Index j = 0; j < N; ++j) {
        const double d = entry(dx, ld_dx, i, j) - s1 - s2 * entry(xhat, ld_xhat, i, j);
        dx[i * ld_dx + j] = static_cast<S>(static_cast<double>(rstd[i]) * d);
      }
      if (sum1 != nullptr) sum1[i] = static_cast<S>(s1);
      if (sum2 != nullptr) sum2[i] = static_cast<S>(s2);
    }
  }
  static void row_stats(Index M, Index N, const S* x, Stride ldx, const Index* idx, S* mean, S* m2) {
    for (Index i = 0; i < M; ++i) {
      const Index row = at(idx, i);
      const long double m = mean_of(N, x + row * ldx);
      mean[row] = static_cast<S>(m);
      m2[row] = static_cast<S>(squares_around(m, N, x + row * ldx));
    }
  }

  static void candidate_dots(Index M, Index C, Index N, const S* x, Stride ldx, const Index* idx, const S* y,
                             Stride ldy, S* out, Stride ld_out) {
    for (Index a = 0; a < M; ++a) {
      for (Index c = 0; c < C; ++c) {
        out[a * ld_out + c] = static_cast<S>(dot_of(N, x + a * ldx, y + idx[c] * ldy));
      }
    }
  }
  static void candidate_dots_backward(Index M, Index C, Index N, const S* weight, Stride ld_weight, const S* x,
                                      Stride ldx, const Index* idx, const S* y, Stride ldy, S* dx, Stride ld_dx, S* dy,
                                      Stride ld_dy) {
    for (Index a = 0; a < M; ++a) {
      for (Index c = 0; c < C; ++c) {
        const double w = entry(weight, ld_weight, a, c);
        for (Index j = 0; j < N; ++j) {
          add(dx[a * ld_dx + j], w * entry(y, ldy, idx[c], j));
          add(dy[idx[c] * ld_dy + j], w * entry(x, ldx, a, j));
        }
      }
    }
  }
  static void affine_scatter(Index C, Index N, const Index* idx, const S* scale, const S* shift, const S* y, Stride ldy,
                             S* dy, Stride ld_dy) {
    for (Index c = 0; c < C; ++c) {
      for (Index j = 0; j < N; ++j) {
        add(dy[idx[c] * ld_dy + j], factor(scale, c) * entry(y, ldy, idx[c], j) + static_cast<double>(shift[c]));
      }
    }
  }

  static void gumbel(Index n, const std::uint32_t* const counter[4], const std::uint32_t key[2], S* out) {
    for (Index i = 0; i < n; ++i) {
      const RandomCounter one = {counter[0][i], counter[1][i], counter[2][i], counter[3][i]};
      for (const std::uint32_t word : philox(one, {key[0], key[1]})) {
        *out++ = static_cast<S>(-std::log(-std::log(to_unit_double(word))));
      }
    }
  }
  static void softmax_segments(Index n, const std::int64_t* first, S temperature, S* z, Index* best) {
    for (Index i = 0; i < n; ++i) {
      S* s = z + first[i];
      const auto count = static_cast<Index>(first[i + 1] - first[i]);
      Index b = 0;
      for (Index c = 1; c < count; ++c) {
        if (s[c] > s[b]) b = c;
      }
      std::vector<double> e(static_cast<std::size_t>(count));
      double sum = 0;
      for (Index c = 0; c < count; ++c) {
        const double away = static_cast<double>(s[c]) - static_cast<double>(s[b]);
        e[static_cast<std::size_t>(c)] = std::exp(away / static_cast<double>(temperature));
        sum += e[static_cast<std::size_t>(c)];
      }
      for (Index c = 0; c < count; ++c) s[c] = static_cast<S>(e[static_cast<std::size_t>(c)] / sum);
      best[i] = b;
    }
  }

  static void axpy(std::size_t n, S alpha, const S* x, S* y) {
    for (std::size_t i = 0; i < n; ++i) add(y[i], static_cast<double>(alpha) * static_cast<double>(x[i]));
  }
  static S dot(std::size_t n, const S* x, const S* y) { return static_cast<S>(dot_of(static_cast<Index>(n), x, y)); }

  static Kernels<S> all() {
    Kernels<S> k{};
    k.name = "plain";
    k.panel = 1;
    k.pack = pack;
    k.gemm = gemm;
    k.gemm_tn = gemm_tn;
    k.column_sums = column_sums;
    k.gather_add = gather_add;
    k.scatter_add = scatter_add;
    k.segment_sum = segment_sum;
    k.segment_scatter = segment_scatter;
    k.row_dots = row_dots;
    k.pool_rows = pool_rows;
    k.normalise = normalise;
    k.normalise_backward = normalise_backward;
    k.row_stats = row_stats;
    k.candidate_dots = candidate_dots;
    k.candidate_dots_backward = candidate_dots_backward;
    k.affine_scatter = affine_scatter;
    k.gumbel = gumbel;
    k.softmax_segments = softmax_segments;
    k.axpy = axpy;
    k.dot = dot;
    return k;
  }
};

}  // namespace agentnet
