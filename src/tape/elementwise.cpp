#include <cmath>
#include <numbers>

#include "tape/loops.h"
#include "tape/operations.h"

namespace agentnet::tape {
namespace {

// ---- one operand -------------------------------------------------------------------------------

enum class Reads { kInput, kOutput, kNothing };

// y = f(x), dx = dy * slope(x or y): in place both ways where nobody needs what is there.
template <class S, class F, class D>
Value<S> unary(const char* name, Value<S> x, Reads reads, const F& f, const D& slope) {
  const Recipe<S> recipe{.name = name,
                         .shape = x.shape(),
                         .inputs = {&x, 1},
                         .reads_inputs = reads == Reads::kInput ? 1u : 0u,
                         .reads_output = reads == Reads::kOutput,
                         .in_place = 0,
                         .in_place_backward = 0};
  return x.tape().record(
      recipe,
      [f](Run<S>& run) {
        const Index columns = run.shape().columns;
        each_row(run, run.shape(), [&](Index i) {
          const S* from = run.in().row(i);
          S* to = run.out().row(i);
          for (Index j = 0; j < columns; ++j) to[j] = f(from[j]);
        });
      },
      [slope, reads](Run<S>& run) {
        const Matrix<S> dy = run.d_out();
        if (const Gradient<S> dx = run.d_in()) {
          if (reads == Reads::kNothing) {
            put_each(run, dx, run.shape(), [&](Index i, Index j) { return dy.row(i)[j] * slope(S(0)); });
          } else {
            const Matrix<S> at = reads == Reads::kInput ? run.in() : run.out();
            put_each(run, dx, run.shape(), [&](Index i, Index j) { return dy.row(i)[j] * slope(at.row(i)[j]); });
          }
        }
      });
}

// ---- two operands with broadcasting ------------------------------------------------------------

struct Add {
  static constexpr const char* kName = "+";
  static constexpr bool kReadsLeft = false, kReadsRight = false, kRightReadsItself = false;
  template <class S>
  static S value(S a, S b) {
    return a + b;
  }
  template <class S>
  static S left(S, S, S dy) {
    return dy;
  }
  template <class S>
  static S right(S, S, S dy) {
    return dy;
  }
};
struct Subtract : Add {
  static constexpr const char* kName = "-";
  template <class S>
  static S value(S a, S b) {
    return a - b;
  }
  template <class S>
  static S right(S, S, S dy) {
    return -dy;
  }
};
struct Multiply {
  static constexpr const char* kName = "*";
  static constexpr bool kReadsLeft = true, kReadsRight = true, kRightReadsItself = false;
  template <class S>
  static S value(S a, S b) {
    return a * b;
  }
  template <class S>
  static S left(S, S b, S dy) {
    return dy * b;
  }
  template <class S>
  static S right(S a, S, S dy) {
    return dy * a;
  }
};
struct Divide : Multiply {
  static constexpr const char* kName = "/";
  static constexpr bool kRightReadsItself = true;
  template <class S>
  static S value(S a, S b) {
    return a / b;
  }
  template <class S>
  static S left(S, S b, S dy) {
    return dy / b;
  }
  template <class S>
  static S right(S a, S b, S dy) {
    return -dy * a / (b * b);
  }
};

// An operand seen as if it had the shape of the result.
template <class S>
struct Operand {
  const S* data;
  Stride row_step, column_step;

  Operand(Matrix<S> m, Shape own, Shape result)
      : data(m.data),
        row_step(own.rows == result.rows ? m.ld : 0),
        column_step(own.columns == result.columns ? 1 : 0) {}
  [[nodiscard]] const S* row(Index i) const { return data + i * row_step; }
  [[nodiscard]] S at(Index i, Index j) const { return data[i * row_step + j * column_step]; }
};

template <class Op, class S>
void forward_row(const S* a, Stride step_a, const S* b, Stride step_b, Index columns, S* y) {
  if (step_a == 1 && step_b == 1) {
    for (Index j = 0; j < columns; ++j) y[j] = Op::value(a[j], b[j]);
  } else if (step_a == 1) {
    const S right = *b;
    for (Index j = 0; j < columns; ++j) y[j] = Op::value(a[j], right);
  } else {
    for (Index j = 0; j < columns; ++j) y[j] = Op::value(*a, b[j * step_b]);
  }
}

// The gradient of an operand: what(i, j) for every entry of the result, summed over where the operand was repeated.
template <class S, class F>
void put_summed(Run<S>& run, const Gradient<S>& gradient, Shape own, const F& what) {
  const Shape all = run.shape();
  if (own == all) {
    put_each(run, gradient, all, what);
  } else if (own.rows == all.rows) {
    each_row(run, all, [&](Index i) {
      S sum = 0;
      for (Index j = 0; j < all.columns; ++j) sum += what(i, j);
      gradient.put(*gradient.to.row(i), sum);
    });
  } else if (own.columns == all.columns) {
    sum_over_rows(run, all.rows, all.columns, run.template scratch<S>(), gradient.to.data, gradient.add,
                  [&](Index i, S* sums) {
                    for (Index j = 0; j < all.columns; ++j) sums[j] += what(i, j);
                  });
  } else {
    sum_over_rows(run, all.rows, 1, run.template scratch<S>(), gradient.to.data, gradient.add, [&](Index i, S* sum) {
      S row = 0;
      for (Index j = 0; j < all.columns; ++j) row += what(i, j);
      *sum += row;
    });
  }
}

template <class Op, class S>
Value<S> binary(Value<S> a, Value<S> b) {
  const Shape sa = a.shape(), sb = b.shape();
  const auto fits = [](Index x, Index y) { return x == y || x == 1 || y == 1; };
  if (!fits(sa.rows, sb.rows) || !fits(sa.columns, sb.columns)) wrong_shape(Op::kName, "the shapes differ", sa, sb);
  const auto common = [](Index x, Index y) { return x == 1 ? y : x; };
  const Shape shape{common(sa.rows, sb.rows), common(sa.columns, sb.columns)};
  const bool left = a.wants_gradient(), right = b.wants_gradient();
  const bool reads_a = Op::kReadsLeft && right;
  const bool reads_b = Op::kReadsRight && (left || (right && Op::kRightReadsItself));
  const Value<S> inputs[] = {a, b};
  const bool sums = (left && sa != shape) || (right && sb != shape);
  const Recipe<S> recipe{.name = Op::kName,
                         .shape = shape,
                         .inputs = inputs,
                         .reads_inputs = (reads_a ? 1u : 0u) | (reads_b ? 2u : 0u),
                         .in_place = 0,
                         .in_place_backward = 0,
                         .backward_bytes = sums ? row_sum_bytes<S>(shape.rows, shape.columns) : 0};
  return a.tape().record(
      recipe,
      [](Run<S>& run) {
        const Operand<S> x(run.in(0), run.in_shape(0), run.shape()), z(run.in(1), run.in_shape(1), run.shape());
        each_row(run, run.shape(), [&](Index i) {
          forward_row<Op>(x.row(i), x.column_step, z.row(i), z.column_step, run.shape().columns, run.out().row(i));
        });
      },
      [](Run<S>& run) {
        const Operand<S> x(run.in(0), run.in_shape(0), run.shape()), z(run.in(1), run.in_shape(1), run.shape());
        const Matrix<S> dy = run.d_out();
        // What is not read may not be there any more.
        const auto xa = [&](Index i, Index j) { return Op::kReadsLeft ? x.at(i, j) : S(0); };
        const auto za = [&](Index i, Index j) { return Op::kReadsRight ? z.at(i, j) : S(0); };
        // The right one first: the left gradient may take the place of dy.
        if (const Gradient<S> d = run.d_in(1)) {
          put_summed(run, d, run.in_shape(1), [&](Index i, Index j) {
            return Op::right(xa(i, j), Op::kRightReadsItself ? za(i, j) : S(0), dy.row(i)[j]);
          });
        }
        if (const Gradient<S> d = run.d_in(0)) {
          if (!Op::kReadsRight && d.to.data == dy.data && !d.add) return;
          put_summed(run, d, run.in_shape(0), [&](Index i, Index j) { return Op::left(S(0), za(i, j), dy.row(i)[j]); });
        }
      });
}

}  // namespace

template <class S>
Value<S> operator+(Value<S> a, Value<S> b) {
  return binary<Add>(a, b);
}
template <class S>
Value<S> operator-(Value<S> a, Value<S> b) {
  return binary<Subtract>(a, b);
}
template <class S>
Value<S> operator*(Value<S> a, Value<S> b) {
  return binary<Multiply>(a, b);
}
template <class S>
Value<S> operator/(Value<S> a, Value<S> b) {
  return binary<Divide>(a, b);
}

template <class S>
Value<S> affine(Value<S> x, std::type_identity_t<S> factor, std::type_identity_t<S> constant) {
  return unary(
      "affine", x, Reads::kNothing, [factor, constant](S v) { return factor * v + constant; },
      [factor](S) { return factor; });
}

template <class S>
Value<S> relu(Value<S> x) {
  return unary(
      "relu", x, Reads::kOutput, [](S v) { return v > 0 ? v : S(0); }, [](S y) { return y > 0 ? S(1) : S(0); });
}
template <class S>
Value<S> leaky_relu(Value<S> x, std::type_identity_t<S> slope) {
  return unary(
      "leaky_relu", x, Reads::kInput, [slope](S v) { return v > 0 ? v : slope * v; },
      [slope](S v) { return v > 0 ? S(1) : slope; });
}
template <class S>
Value<S> elu(Value<S> x) {
  return unary(
      "elu", x, Reads::kOutput, [](S v) { return v > 0 ? v : std::expm1(v); },
      [](S y) { return y > 0 ? S(1) : y + S(1); });
}
template <class S>
Value<S> gelu(Value<S> x) {
  constexpr S kHalfRoot = S(std::numbers::sqrt2 / 2);
  constexpr S kDensity = S(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2);  // 1 / sqrt(2 pi)
  return unary(
      "gelu", x, Reads::kInput, [](S v) { return S(0.5) * v * (S(1) + std::erf(v * kHalfRoot)); },
      [](S v) { return S(0.5) * (S(1) + std::erf(v * kHalfRoot)) + v * kDensity * std::exp(S(-0.5) * v * v); });
}
template <class S>
Value<S> sigmoid(Value<S> x) {
  return unary(
      "sigmoid", x, Reads::kOutput, [](S v) { return S(1) / (S(1) + std::exp(-v)); },
      [](S y) { return y * (S(1) - y); });
}
template <class S>
Value<S> tanh(Value<S> x) {
  return unary(
      "tanh", x, Reads::kOutput, [](S v) { return std::tanh(v); }, [](S y) { return S(1) - y * y; });
}
template <class S>
Value<S> softplus(Value<S> x) {
  return unary(
      "softplus", x, Reads::kInput, [](S v) { return (v > 0 ? v : S(0)) + std::log1p(std::exp(-std::abs(v))); },
      [](S v) { return S(1) / (S(1) + std::exp(-v)); });
}
template <class S>
Value<S> exp(Value<S> x) {
  return unary(
      "exp", x, Reads::kOutput, [](S v) { return std::exp(v); }, [](S y) { return y; });
}
template <class S>
Value<S> log(Value<S> x) {
  return unary(
      "log", x, Reads::kInput, [](S v) { return std::log(v); }, [](S v) { return S(1) / v; });
}
template <class S>
Value<S> sqrt(Value<S> x) {
  return unary(
      "sqrt", x, Reads::kOutput, [](S v) { return std::sqrt(v); }, [](S y) { return S(0.5) / y; });
}
template <class S>
Value<S> abs(Value<S> x) {
  return unary(
      "abs", x, Reads::kInput, [](S v) { return std::abs(v); },
      [](S v) { return v > 0 ? S(1) : (v < 0 ? S(-1) : S(0)); });
}
template <class S>
Value<S> square(Value<S> x) {
  return unary(
      "square", x, Reads::kInput, [](S v) { return v * v; }, [](S v) { return S(2) * v; });
}
template <class S>
Value<S> reciprocal(Value<S> x) {
  return unary(
      "reciprocal", x, Reads::kOutput, [](S v) { return S(1) / v; }, [](S y) { return -y * y; });
}

template <class S>
Value<S> stop_gradient(Value<S> x) {
  const Recipe<S> recipe{
      .name = "stop_gradient", .shape = x.shape(), .inputs = {&x, 1}, .stops_gradient = true, .in_place = 0};
  return x.tape().record(
      recipe,
      [](Run<S>& run) {
        each_row(run, run.shape(), [&](Index i) {
          if (run.in().data != run.out().data) std::copy_n(run.in().row(i), run.shape().columns, run.out().row(i));
        });
      },
      [](Run<S>&) {});
}

#define AGENTNET_INSTANTIATE(S)                                                         \
  template Value<S> operator+(Value<S>, Value<S>);                                      \
  template Value<S> operator-(Value<S>, Value<S>);                                      \
  template Value<S> operator*(Value<S>, Value<S>);                                      \
  template Value<S> operator/(Value<S>, Value<S>);                                      \
  template Value<S> affine(Value<S>, std::type_identity_t<S>, std::type_identity_t<S>); \
  template Value<S> relu(Value<S>);                                                     \
  template Value<S> leaky_relu(Value<S>, std::type_identity_t<S>);                      \
  template Value<S> elu(Value<S>);                                                      \
  template Value<S> gelu(Value<S>);                                                     \
  template Value<S> sigmoid(Value<S>);                                                  \
  template Value<S> tanh(Value<S>);                                                     \
  template Value<S> softplus(Value<S>);                                                 \
  template Value<S> exp(Value<S>);                                                      \
  template Value<S> log(Value<S>);                                                      \
  template Value<S> sqrt(Value<S>);                                                     \
  template Value<S> abs(Value<S>);                                                      \
  template Value<S> square(Value<S>);                                                   \
  template Value<S> reciprocal(Value<S>);                                               \
  template Value<S> stop_gradient(Value<S>);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)

}  // namespace agentnet::tape
