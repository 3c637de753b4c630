#include <cmath>

#include "check.h"

namespace agentnet::tape {
namespace {

double logistic(double v) { return 1 / (1 + std::exp(-v)); }

// Gate `gate` of row i, column j: W x + b.
double gate(const Dense& x, const Dense& w, const Dense& b, Index i, Index row) {
  double sum = b(0, row);
  for (Index k = 0; k < x.columns; ++k) sum += w(row, k) * x(i, k);
  return sum;
}

TEST(Recurrent, GruAsPyTorchHasIt) {
  const Index H = 3;
  const Dense x = random_dense(4, 2, 1), h = random_dense(4, H, 2), wi = random_dense(3 * H, 2, 3);
  const Dense wh = random_dense(3 * H, H, 4), bi = random_dense(1, 3 * H, 5), bh = random_dense(1, 3 * H, 6);
  const Dense plain = make_dense(4, H, [&](Index i, Index j) {
    const double r = logistic(gate(x, wi, bi, i, j) + gate(h, wh, bh, i, j));
    const double z = logistic(gate(x, wi, bi, i, H + j) + gate(h, wh, bh, i, H + j));
    const double n = std::tanh(gate(x, wi, bi, i, 2 * H + j) + r * gate(h, wh, bh, i, 2 * H + j));
    return (1 - z) * n + z * h(i, j);
  });
  check(
      {x, h, wi, wh, bi, bh},
      [](Tape<double>&, Values in) {
        return gru_cell<double>(in[0], in[1], {in[2], in[3], in[4], in[5]});
      },
      plain);
}

TEST(Recurrent, LstmAsPyTorchHasIt) {
  const Index H = 2;
  const Dense x = random_dense(3, 4, 1), h = random_dense(3, H, 2), c = random_dense(3, H, 7);
  const Dense wi = random_dense(4 * H, 4, 3), wh = random_dense(4 * H, H, 4);
  const Dense bi = random_dense(1, 4 * H, 5), bh = random_dense(1, 4 * H, 6);
  const Dense plain = make_dense(3, 2 * H, [&](Index row, Index column) {
    const Index j = column % H;
    const auto sum = [&](Index g) { return gate(x, wi, bi, row, g * H + j) + gate(h, wh, bh, row, g * H + j); };
    const double cell = logistic(sum(1)) * c(row, j) + logistic(sum(0)) * std::tanh(sum(2));
    return column < H ? logistic(sum(3)) * std::tanh(cell) : cell;
  });
  check(
      {x, h, c, wi, wh, bi, bh},
      [](Tape<double>&, Values in) {
        const LstmState<double> next = lstm_cell<double>(in[0], {in[1], in[2]}, {in[3], in[4], in[5], in[6]});
        return concat({next.h, next.c});
      },
      plain);
}

}  // namespace
}  // namespace agentnet::tape
