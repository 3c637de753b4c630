// Layer norm against the plain version in double precision, and its gradient against finite differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernel_sets.h"
#include "plain_kernels.h"
#include "tables.h"

namespace agentnet {
namespace {

constexpr double kEpsilon = 1e-5;

template <class Set>
class Norm : public KernelTest<Set> {
 protected:
  static constexpr double kUlp = std::numeric_limits<typename Set::Scalar>::epsilon();
};
TYPED_TEST_SUITE(Norm, EverySet, SetName);

// Rows that are normalised together with further entries, of which only the statistics are known.
template <class S>
struct Norms {
  Table<S> x;
  Index extra_count = 0;
  std::vector<S> extra_mean, extra_m2, mean, rstd;

  // Entries with this mean and a standard deviation of 1; the extra ones lie 0.5 above.
  Norms(Index M, Index N, Index extra, double level) : extra_count(extra) {
    Maker<S> maker(static_cast<std::uint64_t>(N), Values::kReal);
    x = maker.output(M, N);
    for (Index i = 0; i < M; ++i) {
      for (Index j = 0; j < N; ++j) x(i, j) += static_cast<S>(level);
      extra_mean.push_back(static_cast<S>(level + 0.5 + 0.1 * static_cast<double>(maker.value())));
      extra_m2.push_back(static_cast<S>(extra * (1 + 0.1 * static_cast<double>(maker.value()))));
    }
    mean.assign(static_cast<std::size_t>(M), S(0));
    rstd = mean;
  }
  void run(const Kernels<S>& k) {
    const bool some = extra_count > 0;
    k.normalise(x.rows(), x.columns(), x.data(), x.ld(), extra_count, some ? extra_mean.data() : nullptr,
                some ? extra_m2.data() : nullptr, static_cast<S>(kEpsilon), mean.data(), rstd.data());
  }
};

template <class S>
void expect_near(const std::vector<S>& a, const std::vector<S>& b, double relative) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a[i], b[i], relative * std::max(std::abs(static_cast<double>(b[i])), 1e-30)) << "entry " << i;
  }
}
template <class S>
void expect_near(const Table<S>& a, const Table<S>& b, double absolute) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.columns(); ++j) ASSERT_NEAR(a(i, j), b(i, j), absolute) << "entry " << i << ", " << j;
    for (Stride j = a.columns(); j < a.ld() && i + 1 < a.rows(); ++j) ASSERT_EQ(a.row(i)[j], S(777)) << "padding";
  }
}

// A mean of 100 standard deviations costs two of float's seven digits; a sum of squares would lose four.
TYPED_TEST(Norm, HoldsItsDigitsWhenTheMeanIsLarge) {
  using S = typename TypeParam::Scalar;
  for (const double level : {0.0, 10.0, 100.0}) {
    for (const Index N : {2, 3, 7, 8, 16, 31, 33, 64, 70, 256}) {
      for (const Index extra : {0, 1, 13, 128}) {
        SCOPED_TRACE(testing::Message() << "mean " << level << ", N = " << N << ", extra " << extra);
        Norms<S> fast(5, N, extra, level), plain = fast;
        fast.run(TestFixture::fast());
        plain.run(Plain<S>::all());
        const double tolerance = 4 * (4 + level) * TestFixture::kUlp;
        // Two entries may lie so close together that their difference has few digits, whatever is done.
        const double steep =
            std::max(1.0, static_cast<double>(*std::max_element(plain.rstd.begin(), plain.rstd.end())));
        expect_near(fast.rstd, plain.rstd, tolerance * steep);
        for (std::size_t i = 0; i < fast.mean.size(); ++i) {
          ASSERT_NEAR(fast.mean[i], plain.mean[i], tolerance);
        }
        expect_near(fast.x, plain.x, tolerance * steep);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(Norm, OfEqualEntriesIsZero) {
  using S = typename TypeParam::Scalar;
  for (const Index N : {1, 7, 16, 70}) {
    Table<S> x(2, N, 3, S(777));
    for (Index i = 0; i < 2; ++i) {
      for (Index j = 0; j < N; ++j) x(i, j) = S(3);
    }
    std::vector<S> rstd(2);
    TestFixture::fast().normalise(2, N, x.data(), x.ld(), 0, nullptr, nullptr, static_cast<S>(kEpsilon), nullptr,
                                  rstd.data());
    for (Index j = 0; j < N; ++j) EXPECT_EQ(x(1, j), S(0));
    EXPECT_NEAR(rstd[0], 1 / std::sqrt(kEpsilon), 1e-4);
  }
}

// The statistics of the parts, combined, are those of the whole.
TYPED_TEST(Norm, OfPartsIsTheNormOfTheWhole) {
  using S = typename TypeParam::Scalar;
  const Kernels<S>& k = TestFixture::fast();
  constexpr Index kWhole = 53;
  Maker<S> maker(3, Values::kReal);
  const Table<S> row = maker.input(1, kWhole);
  Table<S> whole = row;
  S whole_mean = 0, whole_rstd = 0;
  k.normalise(1, kWhole, whole.data(), whole.ld(), 0, nullptr, nullptr, static_cast<S>(kEpsilon), &whole_mean,
              &whole_rstd);
  for (Index own = 1; own < kWhole; ++own) {
    S mean = 0, m2 = 0, part_mean = 0, part_rstd = 0;
    k.row_stats(1, kWhole - own, row.data() + own, row.ld(), nullptr, &mean, &m2);
    Table<S> part = row;
    k.normalise(1, own, part.data(), part.ld(), kWhole - own, &mean, &m2, static_cast<S>(kEpsilon), &part_mean,
                &part_rstd);
    ASSERT_NEAR(part_mean, whole_mean, 8 * TestFixture::kUlp) << own;
    ASSERT_NEAR(part_rstd, whole_rstd, 16 * TestFixture::kUlp) << own;
    for (Index j = 0; j < own; ++j) ASSERT_NEAR(part(0, j), whole(0, j), 32 * TestFixture::kUlp) << own;
    for (Index j = own; j < kWhole; ++j) ASSERT_EQ(part(0, j), row(0, j)) << "not its own column";
  }
}

TYPED_TEST(Norm, RowStatsAreStoredWhereTheRowIs) {
  using S = typename TypeParam::Scalar;
  for (Index N = 1; N <= 70; ++N) {
    Maker<S> maker(static_cast<std::uint64_t>(N), Values::kReal);
    const Table<S> x = maker.input(6, N);
    const std::vector<Index> idx = {4, 1, 4};
    std::vector<S> mean(6, S(777)), m2 = mean, expected_mean = mean, expected_m2 = mean;
    TestFixture::fast().row_stats(3, N, x.data(), x.ld(), idx.data(), mean.data(), m2.data());
    Plain<S>::row_stats(3, N, x.data(), x.ld(), idx.data(), expected_mean.data(), expected_m2.data());
    for (std::size_t i = 0; i < 6; ++i) {
      ASSERT_NEAR(mean[i], expected_mean[i], 8 * TestFixture::kUlp) << "N = " << N;
      ASSERT_NEAR(m2[i], expected_m2[i], 8 * TestFixture::kUlp * (1 + static_cast<double>(expected_m2[i])));
    }
    EXPECT_EQ(mean[0], S(777));
  }
}

TYPED_TEST(Norm, BackwardGivesThePlainGradient) {
  using S = typename TypeParam::Scalar;
  for (const Index N : {1, 5, 8, 16, 31, 64, 70, 256}) {
    for (const bool extra : {false, true}) {
      SCOPED_TRACE(testing::Message() << "N = " << N << (extra ? ", with extra entries" : ""));
      constexpr Index kRows = 5;
      Maker<S> maker(static_cast<std::uint64_t>(N), Values::kReal);
      const Table<S> xhat = maker.input(kRows, N);
      Table<S> dx = maker.output(kRows, N), expected = dx;
      const std::vector<S> rstd = maker.values(kRows);
      std::vector<S> sum1 = maker.values(kRows), sum2 = maker.values(kRows), expected1 = sum1, expected2 = sum2;
      const auto run = [&](const Kernels<S>& k, Table<S>& d, std::vector<S>& s1, std::vector<S>& s2) {
        k.normalise_backward(kRows, N, xhat.data(), xhat.ld(), extra ? 19 : 0, rstd.data(), extra ? s1.data() : nullptr,
                             extra ? s2.data() : nullptr, d.data(), d.ld());
      };
      run(TestFixture::fast(), dx, sum1, sum2);
      run(Plain<S>::all(), expected, expected1, expected2);
      expect_near(dx, expected, 64 * TestFixture::kUlp);
      for (std::size_t i = 0; i < kRows; ++i) {
        ASSERT_NEAR(sum1[i], expected1[i], 16 * TestFixture::kUlp);
        ASSERT_NEAR(sum2[i], expected2[i], 16 * TestFixture::kUlp);
      }
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// sum over j of weight[j] * xhat[j] of a row in two parts; the kernels see the first part, the second as statistics.
class TwoParts {
 public:
  static constexpr Index kOwn = 11, kExtra = 6, kAll = kOwn + kExtra;

  TwoParts() : maker_(5, Values::kReal), row_(maker_.values(kAll)), weight_(maker_.values(kAll)) {}

  [[nodiscard]] double value_at(Index j, double shift) const {
    std::vector<double> x = row_;
    x[static_cast<std::size_t>(j)] += shift;
    double rstd = 0;
    Plain<double>::normalise(1, kAll, x.data(), kAll, 0, nullptr, nullptr, kEpsilon, nullptr, &rstd);
    return Plain<double>::dot_of(kAll, x.data(), weight_.data());
  }
  [[nodiscard]] std::vector<double> gradient(const Kernels<double>& k) const {
    std::vector<double> xhat = row_, dx(weight_.begin(), weight_.begin() + kOwn);
    double rstd = 0;
    Plain<double>::normalise(1, kAll, xhat.data(), kAll, 0, nullptr, nullptr, kEpsilon, nullptr, &rstd);
    double sum1 = 0;
    for (Index j = kOwn; j < kAll; ++j) sum1 += weight_[static_cast<std::size_t>(j)];
    double sum2 = Plain<double>::dot_of(kExtra, xhat.data() + kOwn, weight_.data() + kOwn);
    k.normalise_backward(1, kOwn, xhat.data(), kAll, kExtra, &rstd, &sum1, &sum2, dx.data(), kOwn);
    return dx;
  }

 private:
  Maker<double> maker_;
  std::vector<double> row_, weight_;
};

TEST(NormInDoublePrecision, BackwardIsTheSlopeOfForward) {
  const TwoParts parts;
  for (const Kernels<double>* k : available_kernels<double>()) {
    const std::vector<double> dx = parts.gradient(*k);
    for (Index j = 0; j < TwoParts::kOwn; ++j) {
      constexpr double kStep = 1e-5;
      const double slope = (parts.value_at(j, kStep) - parts.value_at(j, -kStep)) / (2 * kStep);
      EXPECT_NEAR(dx[static_cast<std::size_t>(j)], slope, 1e-8) << k->name << ", column " << j;
    }
  }
}

}  // namespace
}  // namespace agentnet
