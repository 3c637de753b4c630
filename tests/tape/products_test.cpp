#include "check.h"

namespace agentnet::tape {
namespace {

Dense product(const Dense& a, bool ta, const Dense& b, bool tb) {
  const Index M = ta ? a.columns : a.rows, K = ta ? a.rows : a.columns, N = tb ? b.rows : b.columns;
  return make_dense(M, N, [&](Index i, Index j) {
    double sum = 0;
    for (Index k = 0; k < K; ++k) sum += (ta ? a(k, i) : a(i, k)) * (tb ? b(j, k) : b(k, j));
    return sum;
  });
}

TEST(Products, WithAndWithoutTransposes) {
  const Dense a = random_dense(5, 3, 1), b = random_dense(3, 7, 2), c = random_dense(7, 3, 3),
              d = random_dense(5, 4, 4);
  check(
      {a, b}, [](Tape<double>&, Values in) { return matmul(in[0], in[1]); }, product(a, false, b, false));
  check(
      {a, c}, [](Tape<double>&, Values in) { return matmul_nt(in[0], in[1]); }, product(a, false, c, true));
  check(
      {a, d}, [](Tape<double>&, Values in) { return matmul_tn(in[0], in[1]); }, product(a, true, d, false));
}

TEST(Products, AMatrixWithItself) {
  const Dense a = random_dense(4, 4, 1);
  check(
      {a}, [](Tape<double>&, Values in) { return matmul(in[0], in[0]); }, product(a, false, a, false));
  check(
      {a}, [](Tape<double>&, Values in) { return matmul_tn(in[0], in[0]); }, product(a, true, a, false));
}

TEST(Products, LinearLayerWithBiasAndActivation) {
  const Dense x = random_dense(6, 5, 1), w = random_dense(3, 5, 2), b = random_dense(1, 3, 3);
  const Dense plain = product(x, false, w, true);
  const auto with = [&](const std::function<double(double)>& f) {
    return make_dense(6, 3, [&](Index i, Index j) { return f(plain(i, j) + b(0, j)); });
  };
  check(
      {x, w}, [](Tape<double>&, Values in) { return linear(in[0], in[1]); }, plain);
  check(
      {x, w, b}, [](Tape<double>&, Values in) { return linear(in[0], in[1], in[2]); },
      with([](double v) { return v; }));
  check(
      {x, w, b}, [](Tape<double>&, Values in) { return linear(in[0], in[1], in[2], {Activation::kRelu}); },
      with([](double v) { return v > 0 ? v : 0; }));
  check(
      {x, w, b},
      [](Tape<double>&, Values in) {
        return linear(in[0], in[1], in[2], {Activation::kLeakyRelu, 0.2});
      },
      with([](double v) { return v > 0 ? v : 0.2 * v; }));
}

TEST(Products, NoRowsAtAll) {
  const Dense x(0, 3), w = random_dense(2, 3, 1), b = random_dense(1, 2, 2);
  check(
      {x, w, b}, [](Tape<double>&, Values in) { return linear(in[0], in[1], in[2]); }, Dense(0, 2));
}

}  // namespace
}  // namespace agentnet::tape
