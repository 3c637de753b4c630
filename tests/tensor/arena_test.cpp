#include "tensor/arena.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace agentnet {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

bool aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

std::vector<std::byte*> take_all(Arena& arena, const std::vector<std::size_t>& sizes) {
  std::vector<std::byte*> taken;
  for (const std::size_t size : sizes) {
    taken.push_back(arena.take<std::byte>(size));
    if (size > 0) std::memset(taken.back(), 1, size);
  }
  return taken;
}

RC_GTEST_PROP(Arena, HandsOutAlignedPlacesThatDoNotOverlap, ()) {
  const auto sizes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 700'000));
  Arena arena;
  const std::vector<std::byte*> taken = take_all(arena, sizes);
  std::vector<std::pair<std::byte*, std::byte*>> places;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    RC_ASSERT(aligned(taken[i]));
    if (sizes[i] > 0) places.emplace_back(taken[i], taken[i] + sizes[i]);
  }
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i) RC_ASSERT(places[i - 1].second <= places[i].first);
}

// What a worker relies on: shard after shard of the same kind without another allocation.
RC_GTEST_PROP(Arena, RepeatsItselfAfterAReset, ()) {
  const auto sizes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 3'000'000));
  Arena arena;
  const std::vector<std::byte*> taken = take_all(arena, sizes);
  const std::size_t capacity = arena.capacity();
  arena.reset();
  RC_ASSERT(arena.capacity() == capacity);
  RC_ASSERT(take_all(arena, sizes) == taken);
  RC_ASSERT(arena.capacity() == capacity);
}

TEST(Arena, HoldsNothingBeforeItIsAsked) { EXPECT_EQ(Arena().capacity(), 0u); }

TEST(Arena, TakesOneBlockForManySmallPlaces) {
  Arena arena;
  for (int i = 0; i < 1000; ++i) static_cast<void>(arena.take<float>(16));
  EXPECT_EQ(arena.capacity(), kMegabyte);
}

TEST(Arena, GivesWhatIsLargerThanABlockABlockOfItsOwn) {
  Arena arena;
  auto* large = arena.take<double>(kMegabyte);
  large[0] = large[kMegabyte - 1] = 1;
  EXPECT_EQ(arena.capacity(), kMegabyte * sizeof(double));
}

TEST(Arena, ZeroesWhatItIsAskedToAlsoInUsedMemory) {
  Arena arena;
  std::fill_n(arena.take<float>(100), 100, 3.0F);
  arena.reset();
  const float* zeros = arena.take_zeroed<float>(100);
  EXPECT_EQ(std::count(zeros, zeros + 100, 0.0F), 100);
}

TEST(Arena, GivesMatricesTheirRows) {
  Arena arena;
  const Matrix<float> a = arena.matrix<float>(3, 33);
  const Matrix<float> b = arena.zero_matrix<float>(2, 5);
  for (Index i = 0; i < 3; ++i) std::fill_n(a.row(i), a.ld, 9.0F);
  EXPECT_EQ(a.ld, leading_dimension<float>(33));
  EXPECT_EQ(a.row(2), a.data + 2 * a.ld);
  EXPECT_EQ(a.from_column(7).row(1), a.row(1) + 7);
  EXPECT_TRUE(aligned(a.row(1)));
  EXPECT_EQ(std::count(b.data, b.data + 2 * b.ld, 0.0F), 2 * b.ld);
  EXPECT_TRUE(b);
  EXPECT_FALSE(Matrix<float>());
}

template <class S>
void expect_odd_number_of_lines() {
  constexpr Stride kPerLine = 64 / sizeof(S);
  for (Index columns = 1; columns <= 1000; ++columns) {
    const Stride ld = leading_dimension<S>(columns);
    ASSERT_EQ(ld % kPerLine, 0) << columns;
    ASSERT_EQ(ld / kPerLine % 2, 1) << columns;
    ASSERT_GE(ld, columns);
    ASSERT_LT(ld, columns + 2 * kPerLine);
  }
}
TEST(LeadingDimension, IsTheNextOddNumberOfCacheLines) {
  expect_odd_number_of_lines<float>();
  expect_odd_number_of_lines<double>();
}

}  // namespace
}  // namespace agentnet
