#include <stdexcept>

#include "tape/loops.h"
#include "tape/operations.h"

namespace agentnet::tape {
namespace {

// ---- square matrices of channels ---------------------------------------------------------------

// Row i of the matrix of graph `graph`; every such line is a task's unit.
struct Line {
  Index graph;
  Index i;
};
struct Lines {
  const Line* all;
  Index count;
};

template <class S>
Lines check_squares(const char* name, Tape<S>& tape, Index rows, const Squares& squares) {
  Index count = 0;
  for (Index b = 0; b < squares.count; ++b) {
    const std::int64_t n = squares.size[b];
    if (n < 0 || squares.offsets[b + 1] - squares.offsets[b] != n * n) {
      throw std::logic_error(std::string(name) + ": matrix " + std::to_string(b) + " has " +
                             std::to_string(squares.offsets[b + 1] - squares.offsets[b]) + " rows, not " +
                             std::to_string(n) + " squared");
    }
    count += static_cast<Index>(n);
  }
  if (squares.count > 0 && (squares.offsets[0] != 0 || squares.offsets[squares.count] != rows)) {
    wrong_shape(name, "the matrices are not the rows", {static_cast<Index>(squares.offsets[squares.count]), 1},
                {rows, 1});
  }
  Line* lines = tape.template keep<Line>(static_cast<std::size_t>(count));
  Index at = 0;
  for (Index b = 0; b < squares.count; ++b) {
    for (Index i = 0; i < squares.size[b]; ++i) lines[at++] = {b, i};
  }
  return {lines, count};
}

// A matrix of a graph, read as it is or transposed.
template <class S>
struct Side {
  Matrix<S> data;
  bool transposed = false;
  [[nodiscard]] const S* at(Index base, Index n, Index i, Index j) const {
    return data.row(base + (transposed ? j * n + i : i * n + j));
  }
};

// to[i, j] = or += sum over k of p[i, k] * q[k, j], channel by channel.
template <class S>
void put_square_product(const Run<S>& run, const Lines& lines, const Squares& squares, Side<S> p, Side<S> q,
                        const Gradient<S>& to) {
  const Index N = run.shape().columns;
  const std::size_t cost =
      lines.count == 0 ? 0 : elements(run.shape()) * elements(run.shape()) / static_cast<std::size_t>(N * lines.count);
  run.parallel(lines.count, cost, [&](Index first, Index last) {
    for (Index l = first; l < last; ++l) {
      const Line line = lines.all[l];
      const Index n = squares.size[line.graph];
      const auto base = static_cast<Index>(squares.offsets[line.graph]);
      for (Index j = 0; j < n && !to.add; ++j) std::fill_n(to.to.row(base + line.i * n + j), N, S(0));
      for (Index k = 0; k < n; ++k) {
        const S* left = p.at(base, n, line.i, k);
        for (Index j = 0; j < n; ++j) {
          const S* right = q.at(base, n, k, j);
          S* out = to.to.row(base + line.i * n + j);
          for (Index c = 0; c < N; ++c) out[c] += left[c] * right[c];
        }
      }
    }
  });
}

template <class S>
Value<S> product_of_squares(const char* name, Value<S> a, Value<S> b, const Squares& squares, bool transposed) {
  if (a.shape() != b.shape()) wrong_shape(name, "the shapes differ", a.shape(), b.shape());
  const Lines lines = check_squares(name, a.tape(), a.rows(), squares);
  const Value<S> inputs[] = {a, b};
  const Recipe<S> recipe{.name = name,
                         .shape = a.shape(),
                         .inputs = inputs,
                         .reads_inputs = (b.wants_gradient() ? 1u : 0u) | (a.wants_gradient() ? 2u : 0u)};
  return a.tape().record(
      recipe,
      [=](Run<S>& run) {
        put_square_product<S>(run, lines, squares, {run.in(0), transposed}, {run.in(1)}, {run.out(), false});
      },
      [=](Run<S>& run) {
        const Matrix<S> dy = run.d_out();
        if (const Gradient<S> d = run.d_in(0)) {  // dA = dY B^T, of A^T B: B dY^T
          const Side<S> left = transposed ? Side<S>{run.in(1)} : Side<S>{dy};
          const Side<S> right = transposed ? Side<S>{dy, true} : Side<S>{run.in(1), true};
          put_square_product(run, lines, squares, left, right, d);
        }
        if (const Gradient<S> d = run.d_in(1)) {  // dB = A^T dY, of A^T B: A dY
          put_square_product<S>(run, lines, squares, {run.in(0), !transposed}, {dy}, d);
        }
      });
}

template <class S>
std::span<const Index> diagonal_rows(const char* name, Tape<S>& tape, Index rows, const Squares& squares) {
  const Lines lines = check_squares(name, tape, rows, squares);
  Index* index = tape.template keep<Index>(static_cast<std::size_t>(lines.count));
  for (Index l = 0; l < lines.count; ++l) {
    const Line line = lines.all[l];
    index[l] = static_cast<Index>(squares.offsets[line.graph]) + line.i * (squares.size[line.graph] + 1);
  }
  return {index, static_cast<std::size_t>(lines.count)};
}

// ---- sequences ---------------------------------------------------------------------------------

struct Sequences {
  Index count, length, kernel;
  [[nodiscard]] Index places() const { return length - kernel + 1; }
  [[nodiscard]] Index rows() const { return count * places(); }
  // The first row of x that row i of the result sees.
  [[nodiscard]] Index begin(Index i) const { return i / places() * length + i % places(); }
};

template <class S>
Sequences sequences(const char* name, Value<S> x, Index length, Index kernel) {
  if (length < 1 || kernel < 1 || kernel > length || x.rows() % length != 0) {
    wrong_shape(name, "the rows are not sequences as long as the kernel", x.shape(), {length, kernel});
  }
  return {x.rows() / length, length, kernel};
}

// f(t, row of the result) for every place whose window has row q of x at t.
template <class F>
void each_window(const Sequences& s, Index q, const F& f) {
  const Index sequence = q / s.length, at = q % s.length;
  for (Index t = 0; t < s.kernel; ++t) {
    if (at >= t && at - t < s.places()) f(t, sequence * s.places() + at - t);
  }
}

// Windows as rows: y[b, p, c * K + t] = x[b, p + t, c].
template <class S>
Value<S> unfold(Value<S> x, const Sequences& s) {
  const Index C = x.columns(), K = s.kernel;
  const Recipe<S> recipe{.name = "convolution", .shape = {s.rows(), C * K}, .inputs = {&x, 1}, .repeatable = true};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        each_row(run, run.shape(), [&](Index i) {
          S* to = run.out().row(i);
          for (Index t = 0; t < K; ++t) {
            const S* from = run.in().row(s.begin(i) + t);
            for (Index c = 0; c < C; ++c) to[c * K + t] = from[c];
          }
        });
      },
      [=](Run<S>& run) {
        const Gradient<S> d = run.d_in();
        if (!d) return;
        each_row(run, run.in_shape(), [&](Index q) {
          S* to = d.to.row(q);
          if (!d.add) std::fill_n(to, C, S(0));
          each_window(s, q, [&](Index t, Index row) {
            const S* from = run.d_out().row(row);
            for (Index c = 0; c < C; ++c) to[c] += from[c * K + t];
          });
        });
      });
}

}  // namespace

template <class S>
Value<S> square_product(Value<S> a, Value<S> b, const Squares& squares) {
  return product_of_squares("square_product", a, b, squares, false);
}
template <class S>
Value<S> square_product_tn(Value<S> a, Value<S> b, const Squares& squares) {
  return product_of_squares("square_product_tn", a, b, squares, true);
}

template <class S>
Value<S> square_transpose(Value<S> x, const Squares& squares) {
  const Lines lines = check_squares("square_transpose", x.tape(), x.rows(), squares);
  Index* from = x.tape().template keep<Index>(static_cast<std::size_t>(x.rows()));  // its own inverse
  for (Index l = 0; l < lines.count; ++l) {
    const Line line = lines.all[l];
    const Index n = squares.size[line.graph];
    const auto base = static_cast<Index>(squares.offsets[line.graph]);
    for (Index j = 0; j < n; ++j) from[base + line.i * n + j] = base + j * n + line.i;
  }
  const Recipe<S> recipe{.name = "square_transpose", .shape = x.shape(), .inputs = {&x, 1}, .repeatable = true};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        put_each<S>(run, {run.out(), false}, run.shape(), [&](Index i, Index j) { return run.in().row(from[i])[j]; });
      },
      [=](Run<S>& run) {
        if (const Gradient<S> d = run.d_in()) {
          put_each(run, d, run.shape(), [&](Index i, Index j) { return run.d_out().row(from[i])[j]; });
        }
      });
}

template <class S>
Value<S> square_diagonal(Value<S> x, const Squares& squares) {
  return gather(x, diagonal_rows("square_diagonal", x.tape(), x.rows(), squares));
}

template <class S>
Value<S> square_from_diagonal(Value<S> x, const Squares& squares) {
  const auto rows = static_cast<Index>(squares.count > 0 ? squares.offsets[squares.count] : 0);
  return scatter_add(x, diagonal_rows("square_from_diagonal", x.tape(), rows, squares), rows);
}

template <class S>
Value<S> row_products(Value<S> x, Value<S> w) {
  const Index in = x.columns(), out = in > 0 ? w.columns() / in : 0;
  if (x.rows() != w.rows() || in * out != w.columns()) {
    wrong_shape("row_products", "w is not a matrix per row of x", x.shape(), w.shape());
  }
  const Value<S> inputs[] = {x, w};
  const Recipe<S> recipe{.name = "row_products",
                         .shape = {x.rows(), out},
                         .inputs = inputs,
                         .reads_inputs = (w.wants_gradient() ? 1u : 0u) | (x.wants_gradient() ? 2u : 0u)};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        each_row(run, run.in_shape(1), [&](Index e) {
          const S *row = run.in(0).row(e), *m = run.in(1).row(e);
          S* y = run.out().row(e);
          std::fill_n(y, out, S(0));
          for (Index i = 0; i < in; ++i, m += out) {
            for (Index o = 0; o < out; ++o) y[o] += row[i] * m[o];
          }
        });
      },
      [=](Run<S>& run) {
        const Gradient<S> dx = run.d_in(0), dw = run.d_in(1);
        each_row(run, run.in_shape(1), [&](Index e) {
          const S* dy = run.d_out().row(e);
          for (Index i = 0; i < in; ++i) {
            const Stride at = static_cast<Stride>(i) * out;
            if (dx) {
              const S* m = run.in(1).row(e) + at;
              S sum = 0;
              for (Index o = 0; o < out; ++o) sum += m[o] * dy[o];
              dx.put(dx.to.row(e)[i], sum);
            }
            if (dw) {
              const S factor = run.in(0).row(e)[i];
              S* to = dw.to.row(e) + at;
              for (Index o = 0; o < out; ++o) dw.put(to[o], factor * dy[o]);
            }
          }
        });
      });
}

template <class S>
Value<S> grouped_linear(Value<S> x, Value<S> w, Index groups, Value<S> b) {
  if (groups < 1 || w.rows() % groups != 0 || w.columns() * groups != x.columns()) {
    wrong_shape("grouped_linear", "the weight does not fit in " + std::to_string(groups) + " groups", x.shape(),
                w.shape());
  }
  if (groups == 1) return linear(x, w, b);
  const Index in = w.columns(), out = w.rows() / groups;
  auto* parts = x.tape().template keep<Value<S>>(static_cast<std::size_t>(groups));
  for (Index g = 0; g < groups; ++g) {
    const Value<S> bias = b ? slice(b, g * out, out) : b;
    new (parts + g) Value<S>(linear(slice(x, g * in, in), slice_rows(w, g * out, out), bias));
  }
  return concat<S>(std::span<const Value<S>>(parts, static_cast<std::size_t>(groups)));
}

template <class S>
Value<S> depthwise_convolution(Value<S> x, Value<S> w, Index length) {
  const Index C = x.columns(), K = w.columns();
  if (w.rows() != C) wrong_shape("depthwise_convolution", "not a kernel per column", x.shape(), w.shape());
  const Sequences s = sequences("depthwise_convolution", x, length, K);
  const Value<S> inputs[] = {x, w};
  const std::size_t kernel_bytes = elements({K, C}) * sizeof(S);
  const Recipe<S> recipe{.name = "depthwise_convolution",
                         .shape = {s.rows(), C},
                         .inputs = inputs,
                         .reads_inputs = (w.wants_gradient() ? 1u : 0u) | (x.wants_gradient() ? 2u : 0u),
                         .forward_bytes = kernel_bytes,
                         .backward_bytes = 2 * kernel_bytes + row_sum_bytes<S>(s.rows(), K * C)};
  const auto turn = [=](const Run<S>& run) {  // w^T [K, C]: then columns lie side by side
    S* turned = run.template scratch<S>();
    for (Index t = 0; t < K; ++t) {
      for (Index c = 0; c < C; ++c) turned[t * C + c] = run.in(1).row(c)[t];
    }
    return turned;
  };
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        const S* kernel = turn(run);
        each_row(run, {s.rows(), C * K}, [&](Index i) {
          S* to = run.out().row(i);
          std::fill_n(to, C, S(0));
          for (Index t = 0; t < K; ++t) {
            const S *from = run.in(0).row(s.begin(i) + t), *weight = kernel + t * C;
            for (Index c = 0; c < C; ++c) to[c] += weight[c] * from[c];
          }
        });
      },
      [=](Run<S>& run) {
        if (const Gradient<S> d = run.d_in(0)) {
          const S* kernel = turn(run);
          each_row(run, {run.in_shape().rows, C * K}, [&](Index q) {
            S* to = d.to.row(q);
            if (!d.add) std::fill_n(to, C, S(0));
            each_window(s, q, [&](Index t, Index row) {
              const S *from = run.d_out().row(row), *weight = kernel + t * C;
              for (Index c = 0; c < C; ++c) to[c] += weight[c] * from[c];
            });
          });
        }
        const Gradient<S> d = run.d_in(1);
        if (!d) return;
        S* sums = run.template scratch<S>() + elements({K, C});
        sum_over_rows(run, s.rows(), K * C, sums + elements({K, C}), sums, false, [&](Index i, S* sum) {
          const S* dy = run.d_out().row(i);
          for (Index t = 0; t < K; ++t) {
            const S* from = run.in(0).row(s.begin(i) + t);
            for (Index c = 0; c < C; ++c) sum[t * C + c] += dy[c] * from[c];
          }
        });
        put_each(run, d, {C, K}, [&](Index c, Index t) { return sums[t * C + c]; });
      });
}

template <class S>
Value<S> convolution(Value<S> x, Value<S> w, Index length, Index kernel, Value<S> b) {
  if (w.columns() != x.columns() * kernel) {
    wrong_shape("convolution", "the weight is not as wide as columns times " + std::to_string(kernel), x.shape(),
                w.shape());
  }
  return linear(unfold(x, sequences("convolution", x, length, kernel)), w, b);
}

#define AGENTNET_INSTANTIATE(S)                                            \
  template Value<S> square_product(Value<S>, Value<S>, const Squares&);    \
  template Value<S> square_product_tn(Value<S>, Value<S>, const Squares&); \
  template Value<S> square_transpose(Value<S>, const Squares&);            \
  template Value<S> square_diagonal(Value<S>, const Squares&);             \
  template Value<S> square_from_diagonal(Value<S>, const Squares&);        \
  template Value<S> row_products(Value<S>, Value<S>);                      \
  template Value<S> grouped_linear(Value<S>, Value<S>, Index, Value<S>);   \
  template Value<S> depthwise_convolution(Value<S>, Value<S>, Index);      \
  template Value<S> convolution(Value<S>, Value<S>, Index, Index, Value<S>);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)

}  // namespace agentnet::tape
