// Matrix products with every epilogue, against the plain loops, on numbers for which both are exact.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "kernel_sets.h"
#include "plain_kernels.h"
#include "products.h"
#include "tables.h"

namespace agentnet {
namespace {

template <class Set>
class Gemm : public KernelTest<Set> {};
TYPED_TEST_SUITE(Gemm, EverySet, SetName);

struct Shape {
  Index M, N, K;
};

rc::Gen<Index> size_up_to(Index largest) { return rc::gen::inRange<Index>(1, largest + 1); }

TYPED_TEST(Gemm, GivesThePlainProductForEveryShape) {
  using S = typename TypeParam::Scalar;
  EXPECT_TRUE(rc::check([] {
    const Index M = *rc::gen::inRange<Index>(0, 71), N = *size_up_to(70), K = *size_up_to(70);
    const int features = *rc::gen::inRange(0, kAllFeatures + 1);
    const Product<S> product(M, N, K, *rc::gen::arbitrary<std::uint64_t>());
    RC_ASSERT(product.run(TestFixture::fast(), features) == product.run(Plain<S>::all(), features));
  }));
}

// Each feature of the epilogue alone and every combination, where the last vector of a row is full, short and absent.
TYPED_TEST(Gemm, AppliesEveryCombinationOfTheEpilogue) {
  using S = typename TypeParam::Scalar;
  for (const Index N : {3, 32, 37, 53}) {
    const Product<S> product(/*M=*/7, N, /*K=*/5, /*seed=*/1);
    for (int features = 0; features <= kAllFeatures; ++features) {
      ASSERT_EQ(product.run(TestFixture::fast(), features), product.run(Plain<S>::all(), features))
          << "N = " << N << ", features " << features;
    }
  }
}

// Shapes of the model, and more rows than one block holds.
TYPED_TEST(Gemm, GivesThePlainProductOfLargeMatrices) {
  using S = typename TypeParam::Scalar;
  for (const auto& [M, N, K] : {Shape{144, 256, 128}, Shape{144, 128, 256}, Shape{85, 128, 64}, Shape{801, 9, 5}}) {
    const Product<S> product(M, N, K, /*seed=*/2);
    ASSERT_EQ(product.run(TestFixture::fast(), kAllFeatures), product.run(Plain<S>::all(), kAllFeatures))
        << M << " x " << N << " x " << K;
  }
}

TYPED_TEST(Gemm, TakesTheTransposeOfAMatrixByItsStrides) {
  using S = typename TypeParam::Scalar;
  constexpr Index kInner = 23, kColumns = 41;
  const Kernels<S>& k = TestFixture::fast();
  Maker<S> maker(3);
  const Table<S> b = maker.input(kInner, kColumns);
  Table<S> transposed = maker.input(kColumns, kInner);
  for (Index i = 0; i < kInner; ++i) {
    for (Index j = 0; j < kColumns; ++j) transposed(j, i) = b(i, j);
  }
  std::vector<S> packed(packed_size(k, kInner, kColumns)), packed_transposed(packed.size());
  k.pack(kInner, kColumns, b.data(), b.ld(), 1, packed.data());
  k.pack(kInner, kColumns, transposed.data(), 1, transposed.ld(), packed_transposed.data());
  EXPECT_EQ(packed, packed_transposed);
}

TYPED_TEST(Gemm, WithoutRowsTouchesNothing) {
  using S = typename TypeParam::Scalar;
  const Kernels<S>& k = TestFixture::fast();
  const std::vector<S> packed(packed_size(k, 3, 5), S(1));
  Maker<S> maker(4);
  Table<S> c = maker.output(5, 3);
  const Table<S> before = c;
  k.gemm(0, 5, 3, nullptr, 3, packed.data(), {}, nullptr, 5);
  k.gemm_tn(0, 5, 3, nullptr, 5, nullptr, 3, c.data(), c.ld());
  EXPECT_EQ(c, before);
}

TYPED_TEST(Gemm, OfATransposeAddsThePlainProduct) {
  using S = typename TypeParam::Scalar;
  EXPECT_TRUE(rc::check([] {
    const Index M = *rc::gen::inRange<Index>(0, 71), N = *size_up_to(70), K = *size_up_to(70);
    RC_ASSERT(transposed_product(TestFixture::fast(), M, N, K, 5) == transposed_product(Plain<S>::all(), M, N, K, 5));
  }));
}

// Again the shapes of the model; 160 rows are one block.
TYPED_TEST(Gemm, OfALargeTransposeAddsThePlainProduct) {
  using S = typename TypeParam::Scalar;
  for (const auto& [M, N, K] : {Shape{144, 256, 128}, Shape{576, 64, 256}, Shape{333, 13, 37}, Shape{161, 90, 180}}) {
    ASSERT_EQ(transposed_product(TestFixture::fast(), M, N, K, 6), transposed_product(Plain<S>::all(), M, N, K, 6))
        << M << " x " << N << " x " << K;
  }
}

}  // namespace
}  // namespace agentnet
