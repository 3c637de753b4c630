// The operations of a formula on a tape: what they compute, and the shapes.
//
// Letters: M rows, N columns; y is the result. Each has its backward beside its forward in the .cpp file; those that
// are made of others say "=". docs/tape.md shows how to write a network with them.
#pragma once

#include <cstdint>
#include <span>

#include "core/random.h"
#include "tape/segments.h"
#include "tape/tape.h"

namespace agentnet::tape {

// ---- elementwise (elementwise.cpp) ----
// With broadcasting: a side that is 1 in one operand is repeated: [M, N] with [1, N], [M, 1] or [1, 1], or [M, 1] with
// [1, N] to [M, N].
template <class S>
Value<S> operator+(Value<S> a, Value<S> b);
template <class S>
Value<S> operator-(Value<S> a, Value<S> b);
template <class S>
Value<S> operator*(Value<S> a, Value<S> b);
template <class S>
Value<S> operator/(Value<S> a, Value<S> b);
// y = factor * x + constant
template <class S>
Value<S> affine(Value<S> x, std::type_identity_t<S> factor, std::type_identity_t<S> constant);
template <class S>
Value<S> operator*(std::type_identity_t<S> factor, Value<S> x) {
  return affine<S>(x, factor, 0);
}
template <class S>
Value<S> operator+(Value<S> x, std::type_identity_t<S> constant) {
  return affine<S>(x, 1, constant);
}
template <class S>
Value<S> operator-(Value<S> x) {
  return affine<S>(x, -1, 0);
}

template <class S>
Value<S> relu(Value<S> x);  // 0 at 0, and so is its derivative
template <class S>
Value<S> leaky_relu(Value<S> x, std::type_identity_t<S> slope);
template <class S>
Value<S> elu(Value<S> x);  // x > 0 ? x : e^x - 1
template <class S>
Value<S> gelu(Value<S> x);  // x (1 + erf(x / sqrt 2)) / 2
template <class S>
Value<S> sigmoid(Value<S> x);
template <class S>
Value<S> tanh(Value<S> x);
template <class S>
Value<S> softplus(Value<S> x);  // log(1 + e^x)
template <class S>
Value<S> exp(Value<S> x);
template <class S>
Value<S> log(Value<S> x);
template <class S>
Value<S> sqrt(Value<S> x);
template <class S>
Value<S> abs(Value<S> x);  // derivative 0 at 0
template <class S>
Value<S> square(Value<S> x);
template <class S>
Value<S> reciprocal(Value<S> x);
// x with no gradient through it.
template <class S>
Value<S> stop_gradient(Value<S> x);

// ---- products (products.cpp) ----
// a [M, K] b [K, N]
template <class S>
Value<S> matmul(Value<S> a, Value<S> b);
// a [M, K] b^T, b [N, K]
template <class S>
Value<S> matmul_nt(Value<S> a, Value<S> b);
// a^T b, a [K, M], b [K, N]
template <class S>
Value<S> matmul_tn(Value<S> a, Value<S> b);

enum class Activation { kNone, kRelu, kLeakyRelu };
// What follows a layer; the slope is that of kLeakyRelu.
template <class S>
struct Then {
  Activation activation = Activation::kNone;
  S slope = S(0.01);
};
// y = then(x w^T + b): x [M, in], w [out, in] as PyTorch stores it, b [1, out] or none.
template <class S>
Value<S> linear(Value<S> x, Value<S> w, Value<S> b = {}, Then<S> then = {});

// ---- norms (norms.cpp) ----
// Running statistics of a batch norm, [N] each. Training updates them as PyTorch does: new = 0.9 old + 0.1 of the
// batch, with the unbiased variance; evaluation uses them.
template <class S>
struct RunningStatistics {
  S* mean = nullptr;
  S* variance = nullptr;
  S momentum = S(0.1);
};
// y = then(gamma (x - mean) / sqrt(var + epsilon) + beta) by columns, over all rows: biased variance. gamma, beta [1,
// N].
template <class S>
Value<S> batch_norm(Value<S> x, Value<S> gamma, Value<S> beta, RunningStatistics<S> running, Then<S> then = {},
                    std::type_identity_t<S> epsilon = S(1e-5));
// The same by rows, over the columns; gamma and beta [1, N] or none.
template <class S>
Value<S> layer_norm(Value<S> x, Value<S> gamma, Value<S> beta, std::type_identity_t<S> epsilon = S(1e-5));

// ---- rows (rows.cpp) ----
// y[i] = x[index[i]]. `groups` (optional): Grouping(index, x.rows()), spreads the way back over threads by rows.
template <class S>
Value<S> gather(Value<S> x, std::span<const Index> index, const Segments* groups = nullptr);
// y[rows, N]: y[index[i]] += x[i].
template <class S>
Value<S> scatter_add(Value<S> x, std::span<const Index> index, Index rows);
// The sum over columns j of the row categories[i, j] of tables[j], [M, N]: embeddings of several categories.
template <class S>
Value<S> embedding(std::span<const Value<S>> tables, std::span<const Index> categories, Index rows);
// y[m] = x[i] for every member m of segment i: what a graph has goes to its nodes. Segments without members, or
// disjoint; rows in no segment get 0.
template <class S>
Value<S> spread(Value<S> x, const Segments& segments);
// Columns side by side; same rows.
template <class S>
Value<S> concat(std::span<const Value<S>> parts);
template <class S>
Value<S> concat(std::initializer_list<Value<S>> parts) {
  return concat<S>(std::span<const Value<S>>(parts.begin(), parts.size()));
}
// Rows one below the other; same columns.
template <class S>
Value<S> stack(std::span<const Value<S>> parts);
template <class S>
Value<S> stack(std::initializer_list<Value<S>> parts) {
  return stack<S>(std::span<const Value<S>>(parts.begin(), parts.size()));
}
// Columns first .. first + count - 1.
template <class S>
Value<S> slice(Value<S> x, Index first, Index count);
template <class S>
Value<S> slice_rows(Value<S> x, Index first, Index count);
// The same entries in row-major order in another shape.
template <class S>
Value<S> reshape(Value<S> x, Index rows, Index columns);
template <class S>
Value<S> transpose(Value<S> x);

// ---- segments (segment_operations.cpp) ----
// y[i] = sum of x over the members of segment i, [count, N]; 0 where there are none, and so for the others below.
template <class S>
Value<S> segment_sum(Value<S> x, const Segments& segments);
template <class S>
Value<S> segment_mean(Value<S> x, const Segments& segments);
// The largest, smallest entry, column by column; the gradient goes to the first that has it.
template <class S>
Value<S> segment_max(Value<S> x, const Segments& segments);
template <class S>
Value<S> segment_min(Value<S> x, const Segments& segments);
// = sqrt(relu(mean of squares - square of mean) + epsilon)
template <class S>
Value<S> segment_std(Value<S> x, const Segments& segments, std::type_identity_t<S> epsilon = S(1e-5));
// y[m] = e^(x[m] - max) / (sum over the segment of e^(x - max) + epsilon), column by column; each row is in one segment
// (no members, or disjoint). Rows in no segment get 0.
template <class S>
Value<S> segment_softmax(Value<S> x, const Segments& segments, std::type_identity_t<S> epsilon = 0);
// y = (1 + eps) x + sum over the segment, for segments.count = x.rows(): GIN's neighbourhood, eps [1, 1] or none.
template <class S>
Value<S> aggregate(Value<S> x, const Segments& neighbours, Value<S> eps = {});

// ---- reductions (reductions.cpp) ----
template <class S>
Value<S> row_sum(Value<S> x);  // [M, 1]
template <class S>
Value<S> row_mean(Value<S> x);
template <class S>
Value<S> row_max(Value<S> x);
template <class S>
Value<S> row_min(Value<S> x);
template <class S>
Value<S> column_sum(Value<S> x);  // [1, N]
template <class S>
Value<S> column_mean(Value<S> x);
template <class S>
Value<S> column_max(Value<S> x);
template <class S>
Value<S> column_min(Value<S> x);
// Over the columns of each row.
template <class S>
Value<S> softmax(Value<S> x);
template <class S>
Value<S> log_softmax(Value<S> x);

// ---- dropout (dropout.cpp) ----
// Where masks come from. Draws are keyed by (key, site, graph, member, column), so they are the same in any batch and
// on any number of threads.
struct Dropout {
  double p = 0;            // the share that is dropped
  RandomKey key{};         // random_key(seed, Purpose::kDropout, epoch)
  std::uint32_t site = 0;  // which dropout of the network; below 2^16
  // Names of the rows; null: graph 0 and the row's number.
  const std::uint64_t* graph = nullptr;
  const std::uint32_t* member = nullptr;
  // Instead of draws, for recorded cases: [M, N] dense, 0 drops.
  const std::int64_t* mask = nullptr;
};
// y = x mask / (1 - p) in training, x in evaluation.
template <class S>
Value<S> dropout(Value<S> x, const Dropout& dropout);
// Whole rows set to 0 where dropped[i] != 0, without rescaling, in training and evaluation.
template <class S>
Value<S> drop_rows(Value<S> x, std::span<const std::int64_t> dropped);

// ---- recurrent cells (recurrent.cpp) ----
// PyTorch's weights: input [3h, in], hidden [3h, h], biases [1, 3h] (or none); gates r, z, n.
template <class S>
struct GruWeights {
  Value<S> input, hidden, input_bias, hidden_bias;
};
// h' = (1 - z) n + z h; x [M, in], h [M, h].
template <class S>
Value<S> gru_cell(Value<S> x, Value<S> h, const GruWeights<S>& w);
// input [4h, in], hidden [4h, h], biases [1, 4h]; gates i, f, g, o.
template <class S>
struct LstmWeights {
  Value<S> input, hidden, input_bias, hidden_bias;
};
template <class S>
struct LstmState {
  Value<S> h, c;
};
template <class S>
LstmState<S> lstm_cell(Value<S> x, LstmState<S> state, const LstmWeights<S>& w);

// ---- batches of small tensors (batches.cpp) ----
// Square matrices of vectors: graph b has rows offsets[b] + i * size[b] + j of a matrix [.., N]: entry (i, j), N
// channels.
struct Squares {
  Index count = 0;
  const Index* size = nullptr;            // [count]
  const std::int64_t* offsets = nullptr;  // [count + 1]
};
// y[b, i, j] = sum over k of a[b, i, k] * b[b, k, j], channel by channel.
template <class S>
Value<S> square_product(Value<S> a, Value<S> b, const Squares& squares);
// y[b, i, j] = sum over k of a[b, k, i] * b[b, k, j].
template <class S>
Value<S> square_product_tn(Value<S> a, Value<S> b, const Squares& squares);
template <class S>
Value<S> square_transpose(Value<S> x, const Squares& squares);
// [sum of sizes, N], and [sum of sizes, N] onto the diagonals of zero matrices.
template <class S>
Value<S> square_diagonal(Value<S> x, const Squares& squares);
template <class S>
Value<S> square_from_diagonal(Value<S> x, const Squares& squares);
// y[e] = x[e] W[e]: x [E, in], w [E, in * out] whose row e is W[e] [in, out]; y [E, out]. NNConv's messages.
template <class S>
Value<S> row_products(Value<S> x, Value<S> w);
// Channels in `groups` blocks: x [M, in], w [out, in / groups]; output block q from input block q.
template <class S>
Value<S> grouped_linear(Value<S> x, Value<S> w, Index groups, Value<S> b = {});
// Sequences of `length` rows each, one after the other: x [B * length, C], y [B * (length - K + 1), C].
// y[b, p, c] = sum over t of w[c, t] x[b, p + t, c]; w [C, K].
template <class S>
Value<S> depthwise_convolution(Value<S> x, Value<S> w, Index length);
// y[b, p, o] = sum over c, t of w[o, c * K + t] x[b, p + t, c] + b[o]; w [out, C * K]: PyTorch's [out, C, K].
template <class S>
Value<S> convolution(Value<S> x, Value<S> w, Index length, Index kernel, Value<S> b = {});

}  // namespace agentnet::tape
