// A row of a result has the same bits whatever other rows are computed with it and wherever it stands: a graph's
// prediction must not depend on the batch that it came in.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernel_sets.h"
#include "products.h"
#include "tables.h"

namespace agentnet {
namespace {

template <class Set>
class Invariance : public KernelTest<Set> {};
TYPED_TEST_SUITE(Invariance, EverySet, SetName);

constexpr Index kRows = 43;  // three tiles of AVX-512 and all shorter ones

template <class S>
bool same_bits(const S* a, const S* b, Index n) {
  return std::memcmp(a, b, static_cast<std::size_t>(n) * sizeof(S)) == 0;
}
template <class S>
void expect_same_bits(const Table<S>& a, const Table<S>& b) {
  for (Index i = 0; i < a.rows(); ++i) ASSERT_TRUE(same_bits(a.row(i), b.row(i), a.columns())) << "row " << i;
}

TYPED_TEST(Invariance, OfProducts) {
  using S = typename TypeParam::Scalar;
  for (const Index N : {5, 32, 37, 64}) {
    const Product<S> product(kRows, N, /*K=*/53, /*seed=*/1, Values::kReal);
    for (const int features : {0, int{kBias | kLeaky}, int{kGate | kResidual}, int{kAllFeatures}}) {
      const Table<S> whole = product.run(TestFixture::fast(), features);
      for (const Index rows : {1, 2, 3, 5, 7, 8, 11, 13, 20}) {
        SCOPED_TRACE(testing::Message() << "N = " << N << ", features " << features << ", rows " << rows);
        expect_same_bits(product.run_in_chunks(TestFixture::fast(), features, rows), whole);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(Invariance, OfNormsAndTheirGradients) {
  using S = typename TypeParam::Scalar;
  const Kernels<S>& k = TestFixture::fast();
  for (const Index N : {5, 32, 37, 64}) {
    Maker<S> maker(2, Values::kReal);
    const Table<S> x = maker.output(kRows, N), gradient = maker.output(kRows, N);
    const std::vector<S> means = maker.values(kRows), squares(kRows, S(9));
    // Both kernels on the rows [first, first + M).
    const auto run = [&](Index first, Index M, Table<S>& xhat, Table<S>& dx) {
      std::vector<S> rstd(static_cast<std::size_t>(M)), sum1(static_cast<std::size_t>(M), S(0.5)), sum2 = sum1;
      k.normalise(M, N, xhat.row(first), xhat.ld(), 7, means.data() + first, squares.data() + first, S(1e-5), nullptr,
                  rstd.data());
      k.normalise_backward(M, N, xhat.row(first), xhat.ld(), 7, rstd.data(), sum1.data(), sum2.data(), dx.row(first),
                           dx.ld());
    };
    Table<S> whole = x, whole_dx = gradient, single = x, single_dx = gradient;
    run(0, kRows, whole, whole_dx);
    for (Index i = kRows - 1; i >= 0; --i) run(i, 1, single, single_dx);
    expect_same_bits(single, whole);
    expect_same_bits(single_dx, whole_dx);
  }
}

TYPED_TEST(Invariance, OfScoresOfCandidates) {
  using S = typename TypeParam::Scalar;
  const Kernels<S>& k = TestFixture::fast();
  constexpr Index kCandidates = 17;
  for (const Index N : {5, 32, 37, 64}) {
    Maker<S> maker(3, Values::kReal);
    const Table<S> x = maker.input(kRows, N), y = maker.input(kCandidates, N);
    const auto idx = maker.distinct(kCandidates, kCandidates);
    Table<S> whole = maker.output(kRows, kCandidates), parts = whole;
    k.candidate_dots(kRows, kCandidates, N, x.data(), x.ld(), idx.data(), y.data(), y.ld(), whole.data(), whole.ld());
    for (const Index rows : {1, 2, 3, 4, 5, 7}) {
      for (const Index columns : {1, 2, 3, 5}) {
        for (Index i = 0; i < kRows; i += rows) {
          for (Index c = 0; c < kCandidates; c += columns) {
            k.candidate_dots(std::min(rows, kRows - i), std::min(columns, kCandidates - c), N, x.row(i), x.ld(),
                             idx.data() + c, y.data(), y.ld(), parts.row(i) + c, parts.ld());
          }
        }
        expect_same_bits(parts, whole);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(Invariance, OfGradientsOfScoresToAgents) {
  using S = typename TypeParam::Scalar;
  const Kernels<S>& k = TestFixture::fast();
  constexpr Index kCandidates = 17;
  for (const Index N : {5, 32, 37, 64}) {
    Maker<S> maker(4, Values::kReal);
    const Table<S> x = maker.input(kRows, N), y = maker.input(kCandidates, N), w = maker.input(kRows, kCandidates);
    const auto idx = maker.distinct(kCandidates, kCandidates);
    Table<S> whole = maker.output(kRows, N), single = whole, dy = maker.output(kCandidates, N);
    k.candidate_dots_backward(kRows, kCandidates, N, w.data(), w.ld(), x.data(), x.ld(), idx.data(), y.data(), y.ld(),
                              whole.data(), whole.ld(), dy.data(), dy.ld());
    for (Index i = 0; i < kRows; ++i) {
      k.candidate_dots_backward(1, kCandidates, N, w.row(i), w.ld(), x.row(i), x.ld(), idx.data(), y.data(), y.ld(),
                                single.row(i), single.ld(), dy.data(), dy.ld());
    }
    expect_same_bits(single, whole);
  }
}

TYPED_TEST(Invariance, OfSegmentsAndTheirProbabilities) {
  using S = typename TypeParam::Scalar;
  const Kernels<S>& k = TestFixture::fast();
  constexpr Index kColumns = 37, kEntries = 60;
  Maker<S> maker(5, Values::kReal);
  const Table<S> x = maker.input(9, kColumns);
  const auto idx = maker.indices(kEntries, 9);
  const auto scale = maker.values(kRows);
  const Segments s = some_segments(maker, kRows, kEntries);
  Table<S> whole = maker.output(kRows, kColumns), single = whole;
  k.segment_sum(kRows, kColumns, s.first.data(), s.last.data(), idx.data(), scale.data(), x.data(), x.ld(), nullptr, 0,
                nullptr, whole.data(), whole.ld());
  for (Index i = 0; i < kRows; ++i) {
    k.segment_sum(1, kColumns, s.first.data() + i, s.last.data() + i, idx.data(), scale.data() + i, x.data(), x.ld(),
                  nullptr, 0, nullptr, single.row(i), single.ld());
  }
  expect_same_bits(single, whole);

  // The rows once more, now as 43 segments of 37 candidates.
  std::vector<std::int64_t> first;
  std::vector<S> z;
  for (Index i = 0; i < kRows; ++i) {
    first.push_back(static_cast<std::int64_t>(z.size()));
    z.insert(z.end(), whole.row(i), whole.row(i) + kColumns);
  }
  first.push_back(static_cast<std::int64_t>(z.size()));
  std::vector<Index> best(kRows);
  k.softmax_segments(kRows, first.data(), S(0.5), z.data(), best.data());
  const std::int64_t alone[2] = {0, kColumns};
  for (Index i = 0; i < kRows; ++i) {
    Index b = -1;
    k.softmax_segments(1, alone, S(0.5), single.row(i), &b);
    ASSERT_TRUE(same_bits(single.row(i), z.data() + i * kColumns, kColumns)) << i;
    ASSERT_EQ(b, best[static_cast<std::size_t>(i)]);
  }
}

}  // namespace
}  // namespace agentnet
