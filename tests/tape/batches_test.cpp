#include <vector>

#include "check.h"

namespace agentnet::tape {
namespace {

const std::vector<Index> kSizes = {2, 0, 3, 1};
const std::vector<std::int64_t> kOffsets = {0, 4, 4, 13, 14};
const Squares kSquares{4, kSizes.data(), kOffsets.data()};

// plain(b, i, j, channel) for every row of all matrices.
Dense each_entry(Index channels, const std::function<double(Index, Index, Index, Index)>& plain) {
  Dense y(14, channels);
  for (Index b = 0; b < 4; ++b) {
    const Index n = kSizes[b];
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        for (Index c = 0; c < channels; ++c) y(static_cast<Index>(kOffsets[b]) + i * n + j, c) = plain(b, i, j, c);
      }
    }
  }
  return y;
}
double entry(const Dense& x, Index b, Index i, Index j, Index c) {
  return x(static_cast<Index>(kOffsets[b]) + i * kSizes[b] + j, c);
}

TEST(Batches, ProductsOfSquaresByChannels) {
  const Dense x = random_dense(14, 3, 1), z = random_dense(14, 3, 2);
  const auto product = [&](bool transposed) {
    return each_entry(3, [&, transposed](Index b, Index i, Index j, Index c) {
      double sum = 0;
      for (Index k = 0; k < kSizes[b]; ++k) {
        sum += (transposed ? entry(x, b, k, i, c) : entry(x, b, i, k, c)) * entry(z, b, k, j, c);
      }
      return sum;
    });
  };
  check(
      {x, z}, [](Tape<double>&, Values in) { return square_product(in[0], in[1], kSquares); }, product(false));
  check(
      {x, z}, [](Tape<double>&, Values in) { return square_product_tn(in[0], in[1], kSquares); }, product(true));
}

TEST(Batches, TransposesAndDiagonals) {
  const Dense x = random_dense(14, 2, 1), d = random_dense(6, 2, 2);
  check(
      {x}, [](Tape<double>&, Values in) { return square_transpose(in[0], kSquares); },
      each_entry(2, [&](Index b, Index i, Index j, Index c) { return entry(x, b, j, i, c); }));
  const std::vector<Index> rows = {0, 3, 4, 8, 12, 13};
  check(
      {x}, [](Tape<double>&, Values in) { return square_diagonal(in[0], kSquares); },
      make_dense(6, 2, [&](Index i, Index c) { return x(rows[static_cast<std::size_t>(i)], c); }));
  Dense plain(14, 2);
  for (Index i = 0; i < 6; ++i) {
    for (Index c = 0; c < 2; ++c) plain(rows[static_cast<std::size_t>(i)], c) = d(i, c);
  }
  check(
      {d}, [](Tape<double>&, Values in) { return square_from_diagonal(in[0], kSquares); }, plain);
}

TEST(Batches, AMatrixPerRow) {
  const Dense x = random_dense(4, 3, 1), w = random_dense(4, 6, 2);
  check(
      {x, w}, [](Tape<double>&, Values in) { return row_products(in[0], in[1]); },
      make_dense(4, 2,
                 [&](Index e, Index o) { return x(e, 0) * w(e, o) + x(e, 1) * w(e, 2 + o) + x(e, 2) * w(e, 4 + o); }));
}

TEST(Batches, GroupsOfChannels) {
  const Dense x = random_dense(3, 4, 1), w = random_dense(6, 2, 2), b = random_dense(1, 6, 3);
  check(
      {x, w, b}, [](Tape<double>&, Values in) { return grouped_linear(in[0], in[1], 2, in[2]); },
      make_dense(3, 6, [&](Index i, Index o) {
        const Index from = o < 3 ? 0 : 2;
        return x(i, from) * w(o, 0) + x(i, from + 1) * w(o, 1) + b(0, o);
      }));
}

TEST(Batches, ConvolutionsAlongSequences) {
  const Dense x = random_dense(10, 2, 1), depthwise = random_dense(2, 3, 2), full = random_dense(4, 6, 3);
  const Dense b = random_dense(1, 4, 4);  // 2 sequences of 5 rows, 3 places each
  const auto row = [](Index i, Index t) { return i / 3 * 5 + i % 3 + t; };
  check(
      {x, depthwise}, [](Tape<double>&, Values in) { return depthwise_convolution(in[0], in[1], 5); },
      make_dense(6, 2, [&](Index i, Index c) {
        double sum = 0;
        for (Index t = 0; t < 3; ++t) sum += depthwise(c, t) * x(row(i, t), c);
        return sum;
      }));
  check(
      {x, full, b}, [](Tape<double>&, Values in) { return convolution(in[0], in[1], 5, 3, in[2]); },
      make_dense(6, 4, [&](Index i, Index o) {
        double sum = b(0, o);
        for (Index c = 0; c < 2; ++c) {
          for (Index t = 0; t < 3; ++t) sum += full(o, c * 3 + t) * x(row(i, t), c);
        }
        return sum;
      }));
}

}  // namespace
}  // namespace agentnet::tape
