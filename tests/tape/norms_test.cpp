#include <cmath>
#include <vector>

#include "check.h"

namespace agentnet::tape {
namespace {

struct Statistics {
  std::vector<double> mean, variance;
};

Statistics statistics(const Dense& x) {
  Statistics s;
  for (Index j = 0; j < x.columns; ++j) {
    double mean = 0, m2 = 0;
    for (Index i = 0; i < x.rows; ++i) mean += x(i, j) / x.rows;
    for (Index i = 0; i < x.rows; ++i) m2 += (x(i, j) - mean) * (x(i, j) - mean);
    s.mean.push_back(mean);
    s.variance.push_back(m2 / x.rows);
  }
  return s;
}

Dense normed(const Dense& x, const Statistics& s, const Dense& gamma, const Dense& beta, double slope) {
  return make_dense(x.rows, x.columns, [&](Index i, Index j) {
    const double v = (x(i, j) - s.mean[j]) / std::sqrt(s.variance[j] + 1e-5) * gamma(0, j) + beta(0, j);
    return v > 0 ? v : slope * v;
  });
}

TEST(BatchNorm, ByTheBatchInTraining) {
  const Dense x = random_dense(7, 3, 1), gamma = random_dense(1, 3, 2), beta = random_dense(1, 3, 3);
  for (const auto& [then, slope] : {std::pair{Then<double>{}, 1.0},
                                    {Then<double>{Activation::kRelu}, 0.0},
                                    {Then<double>{Activation::kLeakyRelu, 0.1}, 0.1}}) {
    check(
        {x, gamma, beta}, [&](Tape<double>&, Values in) { return batch_norm(in[0], in[1], in[2], {}, then); },
        normed(x, statistics(x), gamma, beta, slope));
  }
}

TEST(BatchNorm, ByRunningStatisticsInEvaluation) {
  const Dense x = random_dense(4, 3, 1), gamma = random_dense(1, 3, 2), beta = random_dense(1, 3, 3);
  Statistics s{{0.1, -0.2, 0.3}, {1.5, 0.5, 2}};
  const RunningStatistics<double> running{s.mean.data(), s.variance.data()};
  check(
      {x, gamma, beta},
      [&](Tape<double>&, Values in) { return batch_norm(in[0], in[1], in[2], running, {Activation::kRelu}); },
      normed(x, s, gamma, beta, 0), false);
  EXPECT_EQ(s.mean, (std::vector<double>{0.1, -0.2, 0.3}));
}

// 0.9 of the old and 0.1 of the batch's, the variance with m / (m - 1); once per step, although the result is computed
// again going backward; over more rows than a block has.
TEST(BatchNorm, RunningStatisticsMoveOnceAStep) {
  const Dense x = random_dense(3 * kBlockRows + 5, 2, 1), gamma = random_dense(1, 2, 2), beta = random_dense(1, 2, 3);
  std::vector<double> mean = {1, 2}, variance = {3, 4};
  const Formula formula = [&](Tape<double>&, Values in) {
    return square(square(batch_norm(in[0], in[1], in[2], {mean.data(), variance.data()})));
  };
  (void)answer({x, gamma, beta}, formula, Inputs::kResults, {true, true});
  const Statistics s = statistics(x);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(mean[j], 0.9 * (j == 0 ? 1 : 2) + 0.1 * s.mean[j], 1e-14);
    EXPECT_NEAR(variance[j], 0.9 * (j == 0 ? 3 : 4) + 0.1 * s.variance[j] * x.rows / (x.rows - 1.0), 1e-14);
  }
}

TEST(LayerNorm, OverTheColumns) {
  const Dense x = random_dense(4, 5, 1), gamma = random_dense(1, 5, 2), beta = random_dense(1, 5, 3);
  const Dense xhat = make_dense(4, 5, [&](Index i, Index j) {
    double mean = 0, m2 = 0;
    for (Index k = 0; k < 5; ++k) mean += x(i, k) / 5;
    for (Index k = 0; k < 5; ++k) m2 += (x(i, k) - mean) * (x(i, k) - mean);
    return (x(i, j) - mean) / std::sqrt(m2 / 5 + 1e-5);
  });
  check(
      {x}, [](Tape<double>&, Values in) { return layer_norm(in[0], {}, {}); }, xhat);
  check(
      {x, gamma, beta}, [](Tape<double>&, Values in) { return layer_norm(in[0], in[1], in[2]); },
      make_dense(4, 5, [&](Index i, Index j) { return xhat(i, j) * gamma(0, j) + beta(0, j); }));
}

}  // namespace
}  // namespace agentnet::tape
