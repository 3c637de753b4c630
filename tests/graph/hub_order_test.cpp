#include "graph/hub_order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace agentnet {
namespace {

TEST(HubOrder, IsAPermutationForEveryDegree) {
  for (std::uint64_t degree = 1; degree < 300; ++degree) {
    const HubOrder order(7 * degree, degree);
    std::vector<char> seen(degree, 0);
    for (std::uint64_t i = 0; i < degree; ++i) {
      ASSERT_LT(order(i), degree);
      ASSERT_EQ(seen[order(i)]++, 0) << "degree " << degree;
    }
  }
}

TEST(HubOrder, IsPartOfTheFileFormat) {  // other values: files written before would be sampled wrongly
  const HubOrder order(12345, 5000);
  EXPECT_EQ(order(0), 3932U);
  EXPECT_EQ(order(1), 3034U);
  EXPECT_EQ(order(4999), 2669U);
}

TEST(HubOrder, AnyStretchIsAUniformSample) {
  constexpr std::uint64_t kDegree = 1500, kStretch = 32, kCells = 10;
  std::vector<double> count(kCells, 0);
  double draws = 0;
  for (std::uint64_t node = 0; node < 400; ++node) {
    const HubOrder order(node, kDegree);
    for (std::uint64_t i = 0; i < kStretch; ++i) {
      ++count[order((node * 37 + i) % kDegree) * kCells / kDegree];
      ++draws;
    }
  }
  double chi_square = 0;
  for (const double c : count) chi_square += (c - draws / kCells) * (c - draws / kCells) / (draws / kCells);
  EXPECT_LT(chi_square, 27.9);  // 9 degrees of freedom, p = 0.001
}

TEST(HubOrder, DiffersBetweenNodes) {
  const HubOrder one(1, 2000), other(2, 2000);
  int same = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) same += one(i) == other(i) ? 1 : 0;
  EXPECT_LT(same, 20);
}

}  // namespace
}  // namespace agentnet
