// The inner loops of the engine, one set per instruction set, chosen once at run time.
//
// Conventions for every kernel: matrices are row-major; `ld` is the distance between rows in
// elements; sizes are rows M, columns N, inner length K; index arrays are int32. Kernels never
// allocate. A row of a result depends only on its own row of the input, never on how many rows are
// computed together, so a graph's prediction does not depend on the batch it came in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace agentnet {

using Index = std::int32_t;
using Stride = std::ptrdiff_t;

// What happens to a finished tile of a product before it is stored, in this order.
template <class S>
struct Epilogue {
  const S* bias = nullptr;  // [N], added to every row

  // + group_scale[i] * group[group_of_row[i]], a term that whole groups of rows share.
  const S* group = nullptr;
  Stride ld_group = 0;
  const Index* group_of_row = nullptr;
  const S* group_scale = nullptr;
  // + direction_scale[i] * direction.
  const S* direction = nullptr;
  const S* direction_scale = nullptr;

  bool leaky = false;  // LeakyReLU with this slope
  S slope = 0;

  // Backward of LeakyReLU: multiplied by the factor that the sign of the saved activation selects.
  const S* gate = nullptr;
  Stride ld_gate = 0;
  S gate_positive = 1, gate_negative = 1, gate_zero = 1;

  const S* residual = nullptr;  // + residual[i]
  Stride ld_residual = 0;
  bool accumulate = false;  // added to what the output holds
};

template <class S>
struct Kernels {
  std::string_view name;
  int panel = 0;  // columns of a packed panel

  // Packs B[k, n] = src[k * row_stride + n * col_stride] into panels: packed_size(K, N) elements.
  void (*pack)(Index K, Index N, const S* src, Stride row_stride, Stride col_stride, S* packed);
  // Y[M, N] = epilogue(X[M, K] * B[K, N]).
  void (*gemm)(Index M, Index N, Index K, const S* x, Stride ldx, const S* packed, const Epilogue<S>& epilogue, S* y,
               Stride ldy);
  // C[N, K] += A[M, N]^T * B[M, K].
  void (*gemm_tn)(Index M, Index N, Index K, const S* a, Stride lda, const S* b, Stride ldb, S* c, Stride ldc);

  // out[N] += sum over rows of x[M, N].
  void (*column_sums)(Index M, Index N, const S* x, Stride ldx, S* out);
  // y[i] = x[idx[i]] + add[add_idx[i]]; idx null: i; add null: nothing; add_idx null: the one row `add`.
  void (*gather_add)(Index M, Index N, const S* x, Stride ldx, const Index* idx, const S* add, Stride ld_add,
                     const Index* add_idx, S* y, Stride ldy);
  // y[idx[i]] += scale[i] * x[i]; idx null: i; scale null: 1. Rows are done in order, so indices may repeat.
  void (*scatter_add)(Index M, Index N, const S* x, Stride ldx, const Index* idx, const S* scale, S* y, Stride ldy);
  // y[i] = scale[i] * sum of x[idx[e]] over e in [first[i], last[i]), + add as in gather_add.
  void (*segment_sum)(Index M, Index N, const std::int64_t* first, const std::int64_t* last, const Index* idx,
                      const S* scale, const S* x, Stride ldx, const S* add, Stride ld_add, const Index* add_idx, S* y,
                      Stride ldy);
  // x[idx[e]] += scale[i] * y[i] for e in [first[i], last[i]): the transpose of segment_sum.
  void (*segment_scatter)(Index M, Index N, const std::int64_t* first, const std::int64_t* last, const Index* idx,
                          const S* scale, const S* y, Stride ldy, S* x, Stride ldx);
  // out[i] += scale[i] * x[x_idx[i]] . y[y_idx[i]]; indices null: i; scale null: 1.
  void (*row_dots)(Index M, Index N, const S* x, Stride ldx, const Index* x_idx, const S* y, Stride ldy,
                   const Index* y_idx, const S* scale, S* out);

  // Column by column over the rows of x: the largest entry, the (first) row that has it, and the mean.
  void (*pool_rows)(Index rows, Index N, const S* x, Stride ldx, S* largest, Index* arg, S* mean);

  // In place: x[i] -> (x[i] - mean) * rstd over N columns of x and `extra_count` further entries whose mean and
  // centred sum of squares are given per row by extra_mean[i], extra_m2[i] (null: none). Saves rstd and,
  // where asked for, the mean.
  void (*normalise)(Index M, Index N, S* x, Stride ldx, Index extra_count, const S* extra_mean, const S* extra_m2,
                    S epsilon, S* mean, S* rstd);
  // In place: dx[i] = gradient of the normalised row -> gradient of the row itself. sum1, sum2 (null: none) hold the
  // extra entries' share of sum(dxhat) and sum(dxhat * xhat) and receive the totals divided by the whole width.
  void (*normalise_backward)(Index M, Index N, const S* xhat, Stride ld_xhat, Index extra_count, const S* rstd, S* sum1,
                             S* sum2, S* dx, Stride ld_dx);
  // Mean and centred sum of squares of the rows x[idx[i]], stored at mean[idx[i]], m2[idx[i]].
  void (*row_stats)(Index M, Index N, const S* x, Stride ldx, const Index* idx, S* mean, S* m2);

  // out[a, c] = x[a] . y[idx[c]] for M rows of x and C candidates.
  void (*candidate_dots)(Index M, Index C, Index N, const S* x, Stride ldx, const Index* idx, const S* y, Stride ldy,
                         S* out, Stride ld_out);
  // dx[a] += sum over c of weight[a, c] * y[idx[c]], and dy[idx[c]] += sum over a of weight[a, c] * x[a]. The
  // candidates idx[c] must be distinct.
  void (*candidate_dots_backward)(Index M, Index C, Index N, const S* weight, Stride ld_weight, const S* x, Stride ldx,
                                  const Index* idx, const S* y, Stride ldy, S* dx, Stride ld_dx, S* dy, Stride ld_dy);

  // dy[idx[c]] += scale[c] * y[idx[c]] + shift[c].
  void (*affine_scatter)(Index C, Index N, const Index* idx, const S* scale, const S* shift, const S* y, Stride ldy,
                         S* dy, Stride ld_dy);

  // Gumbel noise, four values for each of n Philox counters given column by column.
  void (*gumbel)(Index n, const std::uint32_t* const counter[4], const std::uint32_t key[2], S* out);
  // For each segment [first[i], first[i + 1]) of z: best[i] = offset of the first largest entry, and in place
  // z -> softmax(z / temperature). Entries of -infinity take no part. Segments are not empty.
  void (*softmax_segments)(Index n, const std::int64_t* first, S temperature, S* z, Index* best);

  // y += alpha * x;   x . y.
  void (*axpy)(std::size_t n, S alpha, const S* x, S* y);
  S (*dot)(std::size_t n, const S* x, const S* y);
};

// The number of elements that a packed K x N matrix takes.
template <class S>
[[nodiscard]] std::size_t packed_size(const Kernels<S>& kernels, Index K, Index N) {
  const auto panel = static_cast<std::size_t>(kernels.panel);
  return (static_cast<std::size_t>(N) + panel - 1) / panel * panel * static_cast<std::size_t>(K);
}

// The kernels for the best instruction set of this machine.
template <class S>
[[nodiscard]] const Kernels<S>& kernels();

// Every set that this machine can run, the best one last; for tests and benchmarks.
template <class S>
[[nodiscard]] std::vector<const Kernels<S>*> available_kernels();

}  // namespace agentnet
