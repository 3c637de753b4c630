#include "predict/not_finite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace agentnet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NotFinite, NamesTheGraphs) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  Predictions predictions;
  EXPECT_THAT(not_finite(predictions), IsEmpty());
  predictions.outputs = 2;
  predictions.mean = {1, 2, 1, kNan, 1, 2, -kInfinity, 1};
  predictions.walk_spread = {0, 0, 0, 0, kNan, 0, 0, 0};
  EXPECT_THAT(not_finite(predictions), ElementsAre(1, 2, 3));
  EXPECT_EQ(not_finite_text(3, 4), "the model's output is not a finite number for 3 of 4 graphs");
}

}  // namespace
}  // namespace agentnet
