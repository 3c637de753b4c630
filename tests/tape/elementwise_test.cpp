#include <algorithm>
#include <cmath>
#include <vector>

#include "check.h"

namespace agentnet::tape {
namespace {

using V = Value<double>;

void check_unary(const Dense& x, const std::function<V(V)>& f, const std::function<double(double)>& plain) {
  check(
      {x}, [&](Tape<double>&, Values in) { return f(in[0]); },
      make_dense(x.rows, x.columns, [&](Index i, Index j) { return plain(x(i, j)); }));
}

TEST(Elementwise, FunctionsOfOneNumber) {
  const Dense x = random_dense(3, 5, 1), p = positive_dense(3, 5, 2);
  check_unary(
      x, [](V v) { return relu(v); }, [](double v) { return v > 0 ? v : 0; });
  check_unary(
      x, [](V v) { return leaky_relu(v, 0.1); }, [](double v) { return v > 0 ? v : 0.1 * v; });
  check_unary(
      x, [](V v) { return elu(v); }, [](double v) { return v > 0 ? v : std::exp(v) - 1; });
  check_unary(
      x, [](V v) { return gelu(v); }, [](double v) { return v * (1 + std::erf(v / std::sqrt(2.0))) / 2; });
  check_unary(
      x, [](V v) { return sigmoid(v); }, [](double v) { return 1 / (1 + std::exp(-v)); });
  check_unary(
      x, [](V v) { return tanh(v); }, [](double v) { return std::tanh(v); });
  check_unary(
      x, [](V v) { return softplus(v); }, [](double v) { return std::log(1 + std::exp(v)); });
  check_unary(
      x, [](V v) { return exp(v); }, [](double v) { return std::exp(v); });
  check_unary(
      p, [](V v) { return log(v); }, [](double v) { return std::log(v); });
  check_unary(
      p, [](V v) { return sqrt(v); }, [](double v) { return std::sqrt(v); });
  check_unary(
      x, [](V v) { return abs(v); }, [](double v) { return std::abs(v); });
  check_unary(
      x, [](V v) { return square(v); }, [](double v) { return v * v; });
  check_unary(
      p, [](V v) { return reciprocal(v); }, [](double v) { return 1 / v; });
  check_unary(
      x, [](V v) { return affine(v, 2, 3); }, [](double v) { return 2 * v + 3; });
  check_unary(
      x, [](V v) { return -(2.0 * v + 1.0); }, [](double v) { return -2 * v - 1; });
}

// Every pair of shapes that broadcasts to [3, 4].
TEST(Elementwise, TwoOperandsWithBroadcasting) {
  const std::vector<Shape> shapes = {{3, 4}, {1, 4}, {3, 1}, {1, 1}};
  std::uint64_t seed = 10;
  for (const Shape a : shapes) {
    for (const Shape b : shapes) {
      const Dense x = random_dense(a.rows, a.columns, ++seed), y = positive_dense(b.rows, b.columns, ++seed);
      const Index rows = std::max(a.rows, b.rows), columns = std::max(a.columns, b.columns);
      const auto plain = [&](const std::function<double(double, double)>& f) {
        return make_dense(rows, columns, [&](Index i, Index j) {
          return f(x(a.rows == 1 ? 0 : i, a.columns == 1 ? 0 : j), y(b.rows == 1 ? 0 : i, b.columns == 1 ? 0 : j));
        });
      };
      SCOPED_TRACE(to_string(a) + " and " + to_string(b));
      check(
          {x, y}, [](Tape<double>&, Values in) { return in[0] + in[1]; }, plain(std::plus<>()));
      check(
          {x, y}, [](Tape<double>&, Values in) { return in[0] - in[1]; }, plain(std::minus<>()));
      check(
          {x, y}, [](Tape<double>&, Values in) { return in[0] * in[1]; }, plain(std::multiplies<>()));
      check(
          {x, y}, [](Tape<double>&, Values in) { return in[0] / in[1]; }, plain(std::divides<>()));
    }
  }
}

TEST(Elementwise, AnOperandWithItself) {
  const Dense x = positive_dense(2, 3, 5);
  const auto same = [&](double (*f)(double)) { return make_dense(2, 3, [&](Index i, Index j) { return f(x(i, j)); }); };
  check(
      {x}, [](Tape<double>&, Values in) { return in[0] + in[0]; }, same([](double v) { return 2 * v; }));
  check(
      {x}, [](Tape<double>&, Values in) { return in[0] * in[0]; }, same([](double v) { return v * v; }));
  check(
      {x}, [](Tape<double>&, Values in) { return in[0] / in[0]; }, same([](double) { return 1.0; }));
  check(
      {x}, [](Tape<double>&, Values in) { return in[0] - in[0]; }, same([](double) { return 0.0; }));
}

TEST(Elementwise, StopGradientStopsIt) {
  const Dense x = random_dense(2, 2, 3);
  const Formula formula = [](Tape<double>&, Values in) { return stop_gradient(in[0]) * in[0]; };
  const Answer found = answer({x}, formula, Inputs::kResults, {true, true});
  const Dense weight = random_dense(2, 2, 99);
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 2; ++j) EXPECT_DOUBLE_EQ(found.gradients[0](i, j), weight(i, j) * x(i, j));
  }
}

}  // namespace
}  // namespace agentnet::tape
