#include <cmath>

#include "tape/loops.h"
#include "tape/operations.h"
#include "tape/vectors.h"

namespace agentnet::tape {
namespace {

// Mean and centred sum of squares of `rows` rows from `first` on, column by column. Two passes, because a sum of
// squares loses digits.
template <class S>
void block_statistics(Matrix<S> x, Index first, Index rows, Index columns, S* mean, S* m2) {
  const S share = S(1) / static_cast<S>(rows);
  const auto some_columns = [&]<class V, int kVectors>(Index column) {
    constexpr int kLanes = static_cast<int>(sizeof(V) / sizeof(S));
    V sum[kVectors] = {}, squares[kVectors] = {};
    for (Index i = first; i < first + rows; ++i) {
      for (int v = 0; v < kVectors; ++v) sum[v] += load<V>(x.row(i) + column + v * kLanes);
    }
    for (int v = 0; v < kVectors; ++v) sum[v] *= share;
    for (Index i = first; i < first + rows; ++i) {
      for (int v = 0; v < kVectors; ++v) {
        const V d = load<V>(x.row(i) + column + v * kLanes) - sum[v];
        squares[v] += d * d;
      }
    }
    for (int v = 0; v < kVectors; ++v) {
      store(mean + column + v * kLanes, sum[v]);
      store(m2 + column + v * kLanes, squares[v]);
    }
  };
  constexpr Index kLanes = Lanes<S>::kCount;
  Index j = 0;
  for (; j + 4 * kLanes <= columns; j += 4 * kLanes) some_columns.template operator()<Vec<S>, 4>(j);
  for (; j + kLanes <= columns; j += kLanes) some_columns.template operator()<Vec<S>, 1>(j);
  for (; j < columns; ++j) some_columns.template operator()<S, 1>(j);
}

// Statistics of all rows: those of blocks, joined in a fixed tree (Chan's formula). partial: [blocks, 2, columns];
// afterwards the first two rows of it.
template <class S>
void column_statistics(const Run<S>& run, Matrix<S> x, Shape shape, S* partial) {
  const Index N = shape.columns, blocks = row_blocks(shape.rows);
  const auto at = [&](Index block) { return partial + static_cast<Stride>(block) * 2 * N; };
  run.parallel(blocks, 2 * elements(shape), [&](Index first, Index last) {
    for (Index block = first; block < last; ++block) {
      const Index row = block * kBlockRows;
      block_statistics(x, row, std::min(kBlockRows, shape.rows - row), N, at(block), at(block) + N);
    }
  });
  for (Index distance = 1; distance < blocks; distance *= 2) {
    for (Index block = 0; block + distance < blocks; block += 2 * distance) {
      const Index left_rows = distance * kBlockRows;
      const Index right_rows = std::min(left_rows, shape.rows - (block + distance) * kBlockRows);
      const S share = static_cast<S>(right_rows) / static_cast<S>(left_rows + right_rows);
      S* left = at(block);
      const S* right = at(block + distance);
      for (Index j = 0; j < N; ++j) {
        const S delta = right[j] - left[j];
        left[j] += delta * share;
        left[N + j] += right[N + j] + delta * delta * share * static_cast<S>(left_rows);
      }
    }
  }
}

// Mean and 1 / sqrt(var + epsilon) into saved [2, N]: of the batch, moving the running ones, or the running ones.
template <class S>
void find_statistics(const Run<S>& run, const RunningStatistics<S>& running, S epsilon) {
  const Shape shape = run.shape();
  const Index N = shape.columns;
  S* mean = run.template saved<S>();
  S* rstd = mean + N;
  if (!run.training()) {
    for (Index j = 0; j < N; ++j) {
      mean[j] = running.mean[j];
      rstd[j] = S(1) / std::sqrt(running.variance[j] + epsilon);
    }
    return;
  }
  if (shape.rows == 0) return;
  S* partial = run.template scratch<S>();
  column_statistics(run, run.in(), shape, partial);
  const auto rows = static_cast<S>(shape.rows);
  const S unbiased = shape.rows > 1 ? rows / (rows - S(1)) : S(1);
  for (Index j = 0; j < N; ++j) {
    mean[j] = partial[j];
    const S variance = partial[N + j] / rows;
    rstd[j] = S(1) / std::sqrt(variance + epsilon);
    if (running.mean == nullptr) continue;
    running.mean[j] += running.momentum * (mean[j] - running.mean[j]);
    running.variance[j] += running.momentum * (variance * unbiased - running.variance[j]);
  }
}

template <class S>
S negative_slope(const Then<S>& then) {
  return then.activation == Activation::kNone ? S(1) : (then.activation == Activation::kRelu ? S(0) : then.slope);
}

template <class S>
void batch_norm_forward(const Run<S>& run, const Then<S>& then) {
  const Index N = run.shape().columns;
  const S* mean = run.template saved<S>();
  const S* rstd = mean + N;
  const S *gamma = run.in(1).data, *beta = run.in(2).data;
  const S negative = negative_slope(then);
  const Matrix<S> in = run.in(), out = run.out();
  each_row(run, run.shape(), [&](Index i) {
    const S* x = in.row(i);
    S* y = out.row(i);
    each_column<S>(N, [&]<class V>(Index j) {
      const V v = (load<V>(x + j) - load<V>(mean + j)) * (load<V>(gamma + j) * load<V>(rstd + j)) + load<V>(beta + j);
      store<V>(y + j, v > 0 ? v : negative * v);
    });
  });
}

// With g = dy activation'(.), xhat = (x - mean) rstd:
// dbeta = sum g, dgamma = sum g xhat, dx = gamma rstd (g - mean of g - xhat mean of g xhat); the means only in
// training.
template <class S>
void batch_norm_backward(Run<S>& run, const Then<S>& then) {
  const Shape shape = run.shape();
  const Index N = shape.columns;
  const S* mean = run.template saved<S>();
  const S* rstd = mean + N;
  const S *gamma = run.in(1).data, *beta = run.in(2).data;
  const Matrix<S> x = run.in(), dy = run.d_out();
  const S negative = negative_slope(then);
  S* sums = run.template scratch<S>();  // [2, N], then partial sums
  const bool gated = then.activation != Activation::kNone;
  sum_over_rows(run, shape.rows, 2 * N, sums + 2 * N, sums, false, [&](Index i, S* sum) {
    const S* row = x.row(i);
    S* d = dy.row(i);
    each_column<S>(N, [&]<class V>(Index j) {
      const V centred = load<V>(row + j) - load<V>(mean + j);
      V g = load<V>(d + j);
      if (gated) {
        const V v = centred * (load<V>(gamma + j) * load<V>(rstd + j)) + load<V>(beta + j);
        g = v > 0 ? g : negative * g;
        store<V>(d + j, g);
      }
      store<V>(sum + j, load<V>(sum + j) + g);
      store<V>(sum + N + j, load<V>(sum + N + j) + g * (centred * load<V>(rstd + j)));
    });
  });
  const auto put_row = [&](const Gradient<S>& to, const S* from) {
    if (to) {
      for (Index j = 0; j < N; ++j) to.put(to.to.data[j], from[j]);
    }
  };
  put_row(run.d_in(1), sums + N);
  put_row(run.d_in(2), sums);
  const Gradient<S> dx = run.d_in(0);
  if (!dx) return;
  const S share = run.training() ? S(1) / static_cast<S>(shape.rows) : S(0);
  for (Index j = 0; j < 2 * N; ++j) sums[j] *= share;
  each_row(run, shape, [&](Index i) {
    const S *row = x.row(i), *d = dy.row(i);
    S* to = dx.to.row(i);
    each_column<S>(N, [&]<class V>(Index j) {
      const V xhat = (load<V>(row + j) - load<V>(mean + j)) * load<V>(rstd + j);
      const V g = load<V>(d + j) - load<V>(sums + j) - xhat * load<V>(sums + N + j);
      const V value = load<V>(gamma + j) * load<V>(rstd + j) * g;
      store<V>(to + j, dx.add ? load<V>(to + j) + value : value);
    });
  });
}

template <class S>
void layer_norm_forward(const Run<S>& run, S epsilon, bool scaled) {
  const Index N = run.shape().columns;
  S* statistics = run.template saved<S>();  // [M, 2]
  each_row(run, run.shape(), [&](Index i) {
    const S* x = run.in().row(i);
    S mean = 0, m2 = 0;
    for (Index j = 0; j < N; ++j) mean += x[j];
    mean /= static_cast<S>(N);
    for (Index j = 0; j < N; ++j) m2 += (x[j] - mean) * (x[j] - mean);
    const S rstd = S(1) / std::sqrt(m2 / static_cast<S>(N) + epsilon);
    statistics[2 * static_cast<Stride>(i)] = mean;
    statistics[2 * static_cast<Stride>(i) + 1] = rstd;
    S* y = run.out().row(i);
    for (Index j = 0; j < N; ++j) {
      const S xhat = (x[j] - mean) * rstd;
      y[j] = scaled ? xhat * run.in(1).data[j] + run.in(2).data[j] : xhat;
    }
  });
}

template <class S>
void layer_norm_backward(Run<S>& run, bool scaled) {
  const Shape shape = run.shape();
  const Index N = shape.columns;
  const S* statistics = run.template saved<S>();
  const Matrix<S> x = run.in(), dy = run.d_out();
  const auto xhat = [&](Index i, Index j) {
    return (x.row(i)[j] - statistics[2 * static_cast<Stride>(i)]) * statistics[2 * static_cast<Stride>(i) + 1];
  };
  if (scaled) {
    S* partial = run.template scratch<S>();
    if (const Gradient<S> d = run.d_in(1)) {
      sum_over_rows(run, shape.rows, N, partial, d.to.data, d.add, [&](Index i, S* sum) {
        for (Index j = 0; j < N; ++j) sum[j] += dy.row(i)[j] * xhat(i, j);
      });
    }
    if (const Gradient<S> d = run.d_in(2)) {
      sum_over_rows(run, shape.rows, N, partial, d.to.data, d.add, [&](Index i, S* sum) {
        for (Index j = 0; j < N; ++j) sum[j] += dy.row(i)[j];
      });
    }
  }
  const Gradient<S> dx = run.d_in(0);
  if (!dx) return;
  each_row(run, shape, [&](Index i) {
    const auto g = [&](Index j) { return scaled ? dy.row(i)[j] * run.in(1).data[j] : dy.row(i)[j]; };
    S sum = 0, sum_xhat = 0;
    for (Index j = 0; j < N; ++j) {
      sum += g(j);
      sum_xhat += g(j) * xhat(i, j);
    }
    sum /= static_cast<S>(N);
    sum_xhat /= static_cast<S>(N);
    const S rstd = statistics[2 * static_cast<Stride>(i) + 1];
    S* to = dx.to.row(i);
    for (Index j = 0; j < N; ++j) dx.put(to[j], rstd * (g(j) - sum - xhat(i, j) * sum_xhat));
  });
}

}  // namespace

template <class S>
Value<S> batch_norm(Value<S> x, Value<S> gamma, Value<S> beta, RunningStatistics<S> running, Then<S> then,
                    std::type_identity_t<S> epsilon) {
  const Shape row{1, x.columns()};
  if (gamma.shape() != row) wrong_shape("batch_norm", "gamma is not a row as wide as x", gamma.shape(), x.shape());
  if (beta.shape() != row) wrong_shape("batch_norm", "beta is not a row as wide as x", beta.shape(), x.shape());
  if (!x.tape().mode().training && (running.mean == nullptr || running.variance == nullptr)) {
    throw std::logic_error("batch_norm: evaluation needs running statistics");
  }
  const std::size_t row_bytes = static_cast<std::size_t>(x.columns()) * sizeof(S);
  const auto blocks = static_cast<std::size_t>(row_blocks(x.rows()));
  const Value<S> inputs[] = {x, gamma, beta};
  const Recipe<S> recipe{.name = "batch_norm",
                         .shape = x.shape(),
                         .inputs = inputs,
                         .reads_inputs = 7,
                         .repeatable = true,
                         .in_place = 0,
                         .in_place_backward = 0,
                         .saved_bytes = 2 * row_bytes,
                         .forward_bytes = 2 * row_bytes * blocks,
                         .backward_bytes = 2 * row_bytes * (blocks + 1)};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        if (!run.again()) find_statistics<S>(run, running, epsilon);
        batch_norm_forward(run, then);
      },
      [=](Run<S>& run) { batch_norm_backward(run, then); });
}

template <class S>
Value<S> layer_norm(Value<S> x, Value<S> gamma, Value<S> beta, std::type_identity_t<S> epsilon) {
  const Shape row{1, x.columns()};
  const bool scaled = static_cast<bool>(gamma);
  if (scaled != static_cast<bool>(beta)) throw std::logic_error("layer_norm: gamma and beta, or neither");
  if (scaled && gamma.shape() != row)
    wrong_shape("layer_norm", "gamma is not a row as wide as x", gamma.shape(), x.shape());
  if (scaled && beta.shape() != row)
    wrong_shape("layer_norm", "beta is not a row as wide as x", beta.shape(), x.shape());
  const Value<S> inputs[] = {x, gamma, beta};
  const Recipe<S> recipe{.name = "layer_norm",
                         .shape = x.shape(),
                         .inputs = std::span(inputs, scaled ? 3 : 1),
                         .reads_inputs = scaled ? 3u : 1u,
                         .repeatable = true,
                         .in_place = 0,
                         .in_place_backward = 0,
                         .saved_bytes = 2 * static_cast<std::size_t>(x.rows()) * sizeof(S),
                         .backward_bytes = scaled ? row_sum_bytes<S>(x.rows(), x.columns()) : 0};
  return x.tape().record(
      recipe, [=](Run<S>& run) { layer_norm_forward<S>(run, epsilon, scaled); },
      [=](Run<S>& run) { layer_norm_backward(run, scaled); });
}

#define AGENTNET_INSTANTIATE(S)                                                                                       \
  template Value<S> batch_norm(Value<S>, Value<S>, Value<S>, RunningStatistics<S>, Then<S>, std::type_identity_t<S>); \
  template Value<S> layer_norm(Value<S>, Value<S>, Value<S>, std::type_identity_t<S>);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)

}  // namespace agentnet::tape
