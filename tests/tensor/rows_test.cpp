// Kernels that move and add rows, against the plain loops, on numbers for which both are exact.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernel_sets.h"
#include "plain_kernels.h"
#include "tables.h"

namespace agentnet {
namespace {

template <class Set>
class Rows : public KernelTest<Set> {};
TYPED_TEST_SUITE(Rows, EverySet, SetName);

constexpr Index kTargets = 9;  // rows that indices point to: fewer than rows of data, so that they repeat

// Draws of RapidCheck that every property starts with.
struct Case {
  Index M = *rc::gen::inRange<Index>(0, 40);
  Index N = *rc::gen::inRange<Index>(1, 150);
  std::uint64_t seed = *rc::gen::arbitrary<std::uint64_t>();
};
bool maybe(const char* name) { return *rc::gen::arbitrary<bool>().as(name); }

// One property: `make` runs the kernels that it is given on inputs that depend only on the seed, and returns all
// outputs.
template <class S, class Make>
void expect_plain_results(const Kernels<S>& fast, const Make& make) {
  EXPECT_TRUE(rc::check([&] {
    const auto run = make();
    RC_ASSERT(run(fast) == run(Plain<S>::all()));
  }));
}

TYPED_TEST(Rows, ColumnSumsAddToTheOutput) {
  using S = typename TypeParam::Scalar;
  expect_plain_results<S>(TestFixture::fast(), [] {
    return [c = Case()](const Kernels<S>& k) {
      Maker<S> maker(c.seed);
      const Table<S> x = maker.input(c.M, c.N);
      std::vector<S> out = maker.values(c.N);
      k.column_sums(c.M, c.N, x.data(), x.ld(), out.data());
      return out;
    };
  });
}

TYPED_TEST(Rows, GatherPicksRowsAndAddsOthers) {
  using S = typename TypeParam::Scalar;
  expect_plain_results<S>(TestFixture::fast(), [] {
    return [c = Case(), picks = maybe("picks"), adds = maybe("adds"),
            picks_added = maybe("picks_added")](const Kernels<S>& k) {
      Maker<S> maker(c.seed);
      const Table<S> x = maker.input(picks ? kTargets : c.M, c.N);
      const Table<S> add = maker.input(picks_added ? kTargets : 1, c.N);
      const auto idx = maker.indices(c.M, kTargets), add_idx = maker.indices(c.M, kTargets);
      Table<S> y = maker.output(c.M, c.N);
      k.gather_add(c.M, c.N, x.data(), x.ld(), picks ? idx.data() : nullptr, adds ? add.data() : nullptr, add.ld(),
                   picks_added ? add_idx.data() : nullptr, y.data(), y.ld());
      return y;
    };
  });
}

TYPED_TEST(Rows, ScatterAddsEveryRowEvenWhereIndicesRepeat) {
  using S = typename TypeParam::Scalar;
  expect_plain_results<S>(TestFixture::fast(), [] {
    return [c = Case(), scatters = maybe("scatters"), scales = maybe("scales")](const Kernels<S>& k) {
      Maker<S> maker(c.seed);
      const Table<S> x = maker.input(c.M, c.N);
      const auto idx = maker.indices(c.M, kTargets);
      const auto scale = maker.scales(c.M);
      Table<S> y = maker.output(scatters ? kTargets : c.M, c.N);
      k.scatter_add(c.M, c.N, x.data(), x.ld(), scatters ? idx.data() : nullptr, scales ? scale.data() : nullptr,
                    y.data(), y.ld());
      return y;
    };
  });
}

TYPED_TEST(Rows, SegmentSumAddsTheRowsOfASegment) {
  using S = typename TypeParam::Scalar;
  expect_plain_results<S>(TestFixture::fast(), [] {
    return [c = Case(), adds = maybe("adds"), picks_added = maybe("picks_added")](const Kernels<S>& k) {
      constexpr Index kEntries = 30;
      Maker<S> maker(c.seed);
      const Table<S> x = maker.input(kTargets, c.N);
      const Table<S> add = maker.input(picks_added ? kTargets : 1, c.N);
      const auto idx = maker.indices(kEntries, kTargets), add_idx = maker.indices(c.M, kTargets);
      const auto scale = maker.scales(c.M);
      const Segments s = some_segments(maker, c.M, kEntries);
      Table<S> y = maker.output(c.M, c.N);
      k.segment_sum(c.M, c.N, s.first.data(), s.last.data(), idx.data(), scale.data(), x.data(), x.ld(),
                    adds ? add.data() : nullptr, add.ld(), picks_added ? add_idx.data() : nullptr, y.data(), y.ld());
      return y;
    };
  });
}

TYPED_TEST(Rows, SegmentScatterAddsToEveryRowOfASegment) {
  using S = typename TypeParam::Scalar;
  expect_plain_results<S>(TestFixture::fast(), [] {
    return [c = Case()](const Kernels<S>& k) {
      constexpr Index kEntries = 30;
      Maker<S> maker(c.seed);
      const Table<S> y = maker.input(c.M, c.N);
      const auto idx = maker.indices(kEntries, kTargets);
      const auto scale = maker.scales(c.M);
      const Segments s = some_segments(maker, c.M, kEntries);
      Table<S> x = maker.output(kTargets, c.N);
      k.segment_scatter(c.M, c.N, s.first.data(), s.last.data(), idx.data(), scale.data(), y.data(), y.ld(), x.data(),
                        x.ld());
      return x;
    };
  });
}

// <segment_sum(x), y> = <x, segment_scatter(y)>: what backward relies on.
TYPED_TEST(Rows, SegmentScatterIsTheTransposeOfSegmentSum) {
  using S = typename TypeParam::Scalar;
  const Kernels<S>& k = TestFixture::fast();
  constexpr Index kRows = 11, kEntries = 30, kColumns = 37;
  Maker<S> maker(7);
  const Table<S> x = maker.input(kTargets, kColumns), y = maker.input(kRows, kColumns);
  const auto idx = maker.indices(kEntries, kTargets);
  const auto scale = maker.scales(kRows);
  const Segments s = some_segments(maker, kRows, kEntries);
  Table<S> sums = maker.output(kRows, kColumns), scattered(kTargets, kColumns, 0, S(0));
  k.segment_sum(kRows, kColumns, s.first.data(), s.last.data(), idx.data(), scale.data(), x.data(), x.ld(), nullptr, 0,
                nullptr, sums.data(), sums.ld());
  k.segment_scatter(kRows, kColumns, s.first.data(), s.last.data(), idx.data(), scale.data(), y.data(), y.ld(),
                    scattered.data(), scattered.ld());
  S left = 0, right = 0;
  for (Index i = 0; i < kRows; ++i) left += k.dot(kColumns, sums.row(i), y.row(i));
  for (Index i = 0; i < kTargets; ++i) right += k.dot(kColumns, x.row(i), scattered.row(i));
  EXPECT_EQ(left, right);
  EXPECT_NE(left, S(0));
}

TYPED_TEST(Rows, RowDotsAddToTheOutput) {
  using S = typename TypeParam::Scalar;
  expect_plain_results<S>(TestFixture::fast(), [] {
    return [c = Case(), picks_x = maybe("picks_x"), picks_y = maybe("picks_y"),
            scales = maybe("scales")](const Kernels<S>& k) {
      Maker<S> maker(c.seed);
      const Table<S> x = maker.input(picks_x ? kTargets : c.M, c.N), y = maker.input(picks_y ? kTargets : c.M, c.N);
      const auto x_idx = maker.indices(c.M, kTargets), y_idx = maker.indices(c.M, kTargets);
      const auto scale = maker.scales(c.M);
      std::vector<S> out = maker.values(c.M);
      k.row_dots(c.M, c.N, x.data(), x.ld(), picks_x ? x_idx.data() : nullptr, y.data(), y.ld(),
                 picks_y ? y_idx.data() : nullptr, scales ? scale.data() : nullptr, out.data());
      return out;
    };
  });
}

// A row distance of 0 makes one row serve all.
TYPED_TEST(Rows, RowDotsTakeOneRowForAllByItsDistance) {
  using S = typename TypeParam::Scalar;
  Maker<S> maker(8);
  const Table<S> x = maker.input(5, 19);
  const std::vector<S> one = maker.values(19);
  std::vector<S> out(5, S(0)), expected(5, S(0));
  TestFixture::fast().row_dots(5, 19, x.data(), x.ld(), nullptr, one.data(), 0, nullptr, nullptr, out.data());
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 19; ++j) expected[static_cast<std::size_t>(i)] += x(i, j) * one[static_cast<std::size_t>(j)];
  }
  EXPECT_EQ(out, expected);
}

// Whole numbers: many rows share the largest entry, and the sums are exact.
TYPED_TEST(Rows, PoolingFindsTheFirstLargestAndTheMean) {
  using S = typename TypeParam::Scalar;
  EXPECT_TRUE(rc::check([] {
    const Index rows = *rc::gen::inRange<Index>(1, 40), N = *rc::gen::inRange<Index>(1, 150);
    Maker<S> maker(*rc::gen::arbitrary<std::uint64_t>());
    const Table<S> x = maker.input(rows, N);
    const auto size = static_cast<std::size_t>(N);
    std::vector<S> largest(size), mean(size), expected_largest(size), expected_mean(size);
    std::vector<Index> arg(size), expected_arg(size);
    TestFixture::fast().pool_rows(rows, N, x.data(), x.ld(), largest.data(), arg.data(), mean.data());
    Plain<S>::pool_rows(rows, N, x.data(), x.ld(), expected_largest.data(), expected_arg.data(), expected_mean.data());
    RC_ASSERT(largest == expected_largest);
    RC_ASSERT(arg == expected_arg);
    for (std::size_t j = 0; j < size; ++j) {
      RC_ASSERT(std::abs(mean[j] - expected_mean[j]) <= 4 * std::numeric_limits<S>::epsilon());
    }
  }));
}

TYPED_TEST(Rows, AxpyAndDotTakeAnyLength) {
  using S = typename TypeParam::Scalar;
  const Kernels<S>& k = TestFixture::fast();
  for (Index n = 0; n <= 70; ++n) {
    Maker<S> maker(static_cast<std::uint64_t>(n));
    const auto size = static_cast<std::size_t>(n);
    const std::vector<S> x = maker.values(n);
    std::vector<S> y = maker.values(n), expected = y;
    ASSERT_EQ(k.dot(size, x.data(), y.data()), Plain<S>::dot(size, x.data(), y.data())) << n;
    k.axpy(size, S(-0.5), x.data(), y.data());
    Plain<S>::axpy(size, S(-0.5), x.data(), expected.data());
    ASSERT_EQ(y, expected) << n;
  }
}

}  // namespace
}  // namespace agentnet
