#include "tape/loops.h"
#include "tape/operations.h"

namespace agentnet::tape {
namespace {

constexpr Index kGrain = 48;  // rows of a task: whole tiles on every instruction set

[[nodiscard]] std::size_t cost(Index M, Index N, Index K) {
  return static_cast<std::size_t>(M) * static_cast<std::size_t>(N) * static_cast<std::size_t>(K) / 8;
}

// B [K, N] as it lies in memory: entry (k, n) at k * row_step + n * column_step.
template <class S>
struct Factor {
  Matrix<S> data;
  bool transposed = false;
};

template <class S>
[[nodiscard]] std::size_t packed_bytes(Index K, Index N) {
  return packed_size(kernels<S>(), K, N) * sizeof(S);
}

// y [M, N] = epilogue(x [M, K] B), packed into scratch.
template <class S>
void product(const Run<S>& run, Index M, Index N, Index K, Matrix<S> x, Factor<S> b, const Epilogue<S>& epilogue,
             Matrix<S> y) {
  S* packed = run.template scratch<S>();
  run.kernels().pack(K, N, b.data.data, b.transposed ? 1 : b.data.ld, b.transposed ? b.data.ld : 1, packed);
  run.parallel(
      M, cost(M, N, K),
      [&](Index first, Index last) {
        Epilogue<S> mine = epilogue;
        if (mine.gate != nullptr) mine.gate += first * mine.ld_gate;
        run.kernels().gemm(last - first, N, K, x.row(first), x.ld, packed, mine, y.row(first), y.ld);
      },
      kGrain);
}

// c [N, K] = or += a [M, N]^T b [M, K]. A task has some blocks of c, for which it reads a and b once, a few rows at a
// time. Each entry of c is a sum over all M in the same order.
template <class S>
void product_tn(const Run<S>& run, Index M, Index N, Index K, Matrix<S> a, Matrix<S> b, const Gradient<S>& c) {
  if (!c.add) set_zero(run, c.to, {N, K});
  constexpr Index kRows = kGrain / 2, kChunk = 480;
  const Index columns = run.kernels().panel;
  const Index across = (K + columns - 1) / columns, blocks = (N + kRows - 1) / kRows * across;
  const Index share = (blocks + run.threads() - 1) / run.threads();
  const auto some_blocks = [&](Index first, Index last) {
    for (Index m = 0; m < M; m += kChunk) {
      for (Index block = first; block < last; ++block) {
        const Index n = block / across * kRows, k = block % across * columns;
        run.kernels().gemm_tn(std::min(kChunk, M - m), std::min(kRows, N - n), std::min(columns, K - k), a.row(m) + n,
                              a.ld, b.row(m) + k, b.ld, c.to.row(n) + k, c.to.ld);
      }
    }
  };
  run.parallel(blocks, cost(M, N, K), some_blocks, std::max(share, Index{1}));
}

template <class S>
void put_product(const Run<S>& run, Index M, Index N, Index K, Matrix<S> x, Factor<S> b, const Gradient<S>& y) {
  Epilogue<S> epilogue;
  epilogue.accumulate = y.add;
  product(run, M, N, K, x, b, epilogue, y.to);
}

// Bit i of what backward reads: each operand is read for the other's gradient.
template <class S>
std::uint32_t reads(Value<S> a, Value<S> b) {
  return (b.wants_gradient() ? 1u : 0u) | (a.wants_gradient() ? 2u : 0u);
}

template <class S>
S factor_of(const Then<S>& then) {
  return then.activation == Activation::kRelu ? S(0) : then.slope;
}

// dy -> dy * activation'(.), in place, by the sign of the result.
template <class S>
void through_activation(const Run<S>& run, const Then<S>& then) {
  if (then.activation == Activation::kNone) return;
  const S negative = factor_of(then);
  each_row(run, run.shape(), [&](Index i) {
    const S* y = run.out().row(i);
    S* dy = run.d_out().row(i);
    for (Index j = 0; j < run.shape().columns; ++j) dy[j] *= y[j] > 0 ? S(1) : negative;
  });
}

}  // namespace

template <class S>
Value<S> matmul(Value<S> a, Value<S> b) {
  if (a.columns() != b.rows()) wrong_shape("matmul", "a's columns are not b's rows", a.shape(), b.shape());
  const Index M = a.rows(), K = a.columns(), N = b.columns();
  const Value<S> inputs[] = {a, b};
  const Recipe<S> recipe{.name = "matmul",
                         .shape = {M, N},
                         .inputs = inputs,
                         .reads_inputs = reads(a, b),
                         .forward_bytes = packed_bytes<S>(K, N),
                         .backward_bytes = packed_bytes<S>(N, K)};
  return a.tape().record(
      recipe,
      [=](Run<S>& run) {
        product<S>(run, M, N, K, run.in(0), {run.in(1), false}, {}, run.out());
      },
      [=](Run<S>& run) {
        if (const Gradient<S> d = run.d_in(0)) put_product<S>(run, M, K, N, run.d_out(), {run.in(1), true}, d);
        if (const Gradient<S> d = run.d_in(1)) product_tn(run, M, K, N, run.in(0), run.d_out(), d);
      });
}

template <class S>
Value<S> matmul_nt(Value<S> a, Value<S> b) {
  if (a.columns() != b.columns()) wrong_shape("matmul_nt", "the columns differ", a.shape(), b.shape());
  return linear<S>(a, b);
}

template <class S>
Value<S> matmul_tn(Value<S> a, Value<S> b) {
  if (a.rows() != b.rows()) wrong_shape("matmul_tn", "the rows differ", a.shape(), b.shape());
  const Index K = a.rows(), M = a.columns(), N = b.columns();
  const Value<S> inputs[] = {a, b};
  const Recipe<S> recipe{.name = "matmul_tn",
                         .shape = {M, N},
                         .inputs = inputs,
                         .reads_inputs = reads(a, b),
                         .backward_bytes = std::max(packed_bytes<S>(N, M), packed_bytes<S>(M, N))};
  return a.tape().record(
      recipe,
      [=](Run<S>& run) {
        product_tn<S>(run, K, M, N, run.in(0), run.in(1), {run.out(), false});
      },
      [=](Run<S>& run) {
        if (const Gradient<S> d = run.d_in(0)) put_product<S>(run, K, M, N, run.in(1), {run.d_out(), true}, d);
        if (const Gradient<S> d = run.d_in(1)) put_product<S>(run, K, N, M, run.in(0), {run.d_out(), false}, d);
      });
}

template <class S>
Value<S> linear(Value<S> x, Value<S> w, Value<S> b, Then<S> then) {
  if (x.columns() != w.columns()) wrong_shape("linear", "x's columns are not the weight's", x.shape(), w.shape());
  const Index M = x.rows(), in = x.columns(), out = w.rows();
  if (b && b.shape() != Shape{1, out}) wrong_shape("linear", "the bias does not fit the weight", b.shape(), w.shape());
  if (then.activation == Activation::kLeakyRelu && !(then.slope > 0)) {
    throw std::logic_error("linear: the sign of the result must be that of the sum, so the slope is above 0");
  }
  const Value<S> inputs[] = {x, w, b};
  const bool has_bias = static_cast<bool>(b);
  const std::size_t bias_bytes = has_bias ? row_sum_bytes<S>(M, out) : 0;
  const Recipe<S> recipe{.name = "linear",
                         .shape = {M, out},
                         .inputs = std::span(inputs, has_bias ? 3 : 2),
                         .reads_inputs = reads(x, w),
                         .reads_output = then.activation != Activation::kNone,
                         .forward_bytes = packed_bytes<S>(in, out),
                         .backward_bytes = std::max(packed_bytes<S>(out, in), bias_bytes)};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        Epilogue<S> epilogue;
        if (has_bias) epilogue.bias = run.in(2).data;
        epilogue.leaky = then.activation != Activation::kNone;
        epilogue.slope = factor_of(then);
        product<S>(run, M, out, in, run.in(0), {run.in(1), true}, epilogue, run.out());
      },
      [=](Run<S>& run) {
        through_activation(run, then);
        const Matrix<S> dy = run.d_out();
        if (has_bias) {
          if (const Gradient<S> d = run.d_in(2)) {
            sum_over_rows(run, M, out, run.template scratch<S>(), d.to.data, d.add, [&](Index i, S* sums) {
              const S* row = dy.row(i);
              for (Index j = 0; j < out; ++j) sums[j] += row[j];
            });
          }
        }
        if (const Gradient<S> d = run.d_in(1)) product_tn(run, M, out, in, dy, run.in(0), d);
        if (const Gradient<S> d = run.d_in(0)) put_product<S>(run, M, in, out, dy, {run.in(1), false}, d);
      });
}

#define AGENTNET_INSTANTIATE(S)                    \
  template Value<S> matmul(Value<S>, Value<S>);    \
  template Value<S> matmul_nt(Value<S>, Value<S>); \
  template Value<S> matmul_tn(Value<S>, Value<S>); \
  template Value<S> linear(Value<S>, Value<S>, Value<S>, Then<S>);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)

}  // namespace agentnet::tape
