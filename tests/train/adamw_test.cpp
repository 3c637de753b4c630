#include "train/adamw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "agentnet/config.h"
#include "core/random.h"
#include "nets/agentnet/parameters.h"

namespace agentnet {
namespace {

AgentNetConfig small_model() {
  AgentNetConfig config;
  config.hidden = 5;
  config.agents = 3;
  config.steps = 4;
  config.node_features = 2;
  return config;
}

// The algorithm of Loshchilov and Hutter for one number, as its authors write it.
struct PlainAdamW {
  AdamWOptions options;
  double m = 0, v = 0;
  int t = 0;

  double step(double p, double g, double rate) {
    ++t;
    m = options.beta1 * m + (1 - options.beta1) * g;
    v = options.beta2 * v + (1 - options.beta2) * g * g;
    const double m_hat = m / (1 - std::pow(options.beta1, t));
    const double v_hat = v / (1 - std::pow(options.beta2, t));
    return p - rate * options.weight_decay * p - rate * m_hat / (std::sqrt(v_hat) + options.epsilon);
  }
};

// Parameters of a small model, one of which (the time table) is frozen, and gradients that change from step to step.
template <class S>
class AdamWOf : public testing::Test {
 protected:
  AdamWOf()
      : layout_(agentnet_layout(small_model())),
        random_(1, Purpose::kTest),
        values_(layout_.size()),
        gradient_(layout_.size()) {
    for (S& v : values_) v = static_cast<S>(random_.normal());
    trainable_.assign(layout_.size(), true);
    for (const Parameter& p : layout_.all()) {
      for (std::size_t i = p.offset; i < p.offset + p.size; ++i) trainable_[i] = p.trainable;
    }
  }
  void draw_gradient() {
    for (S& g : gradient_) g = static_cast<S>(0.1 * random_.normal());
  }

  ParameterLayout layout_;
  RandomSequence random_;
  std::vector<S> values_, gradient_;
  std::vector<bool> trainable_;
};
struct ScalarName {
  template <class S>
  static std::string GetName(int /*index*/) {  // NOLINT(readability-identifier-naming)
    return std::is_same_v<S, float> ? "f32" : "f64";
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(AdamWOf, Scalars, ScalarName);

TYPED_TEST(AdamWOf, FollowsThePlainAlgorithmForManySteps) {
  using S = TypeParam;
  const AdamWOptions options = {.beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-6, .weight_decay = 0.1};
  AdamW<S> optimizer(this->layout_, options);
  std::vector<double> expected(this->values_.begin(), this->values_.end());
  std::vector<PlainAdamW> plain(expected.size(), PlainAdamW{options});
  for (int step = 0; step < 20; ++step) {
    const double rate = 0.01 * std::cos(0.05 * step);  // a schedule
    this->draw_gradient();
    optimizer.step(this->values_, this->gradient_, rate);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (this->trainable_[i]) expected[i] = plain[i].step(expected[i], static_cast<double>(this->gradient_[i]), rate);
      ASSERT_NEAR(this->values_[i], expected[i], 20 * std::numeric_limits<S>::epsilon()) << step << ", " << i;
    }
  }
  EXPECT_EQ(optimizer.steps(), 20u);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(optimizer.first_moment()[i], plain[i].m, std::numeric_limits<S>::epsilon());
    EXPECT_NEAR(optimizer.second_moment()[i], plain[i].v, std::numeric_limits<S>::epsilon());
  }
}

TYPED_TEST(AdamWOf, LeavesFrozenParametersAlone) {
  using S = TypeParam;
  ASSERT_FALSE(this->layout_.at("time.table").trainable);
  AdamW<S> optimizer(this->layout_, {});
  const std::vector<S> before = this->values_;
  this->draw_gradient();
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!this->trainable_[i]) this->gradient_[i] = std::numeric_limits<S>::quiet_NaN();
  }
  optimizer.step(this->values_, this->gradient_, 0.1);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (this->trainable_[i]) {
      EXPECT_NE(this->values_[i], before[i]) << i;
    } else {
      EXPECT_EQ(this->values_[i], before[i]) << i;
      EXPECT_EQ(optimizer.first_moment()[i], S(0));
      EXPECT_EQ(optimizer.second_moment()[i], S(0));
    }
  }
}

TYPED_TEST(AdamWOf, FirstStepIsTheRateInTheDirectionOfTheGradient) {
  using S = TypeParam;
  AdamW<S> optimizer(this->layout_, {.weight_decay = 0});
  const std::vector<S> before = this->values_;
  for (std::size_t i = 0; i < before.size(); ++i) this->gradient_[i] = i % 3 == 0 ? S(0.5) : S(-0.25);
  optimizer.step(this->values_, this->gradient_, 0.125);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!this->trainable_[i]) continue;
    const double sign = this->gradient_[i] > 0 ? 1 : -1;
    EXPECT_NEAR(this->values_[i] - before[i], -0.125 * sign, 1e-6) << i;
  }
}

// No gradient: nothing but decay, and no 0/0.
TYPED_TEST(AdamWOf, WithoutAGradientOnlyDecays) {
  using S = TypeParam;
  AdamW<S> optimizer(this->layout_, {.weight_decay = 0.5});
  const std::vector<S> before = this->values_;
  optimizer.step(this->values_, this->gradient_, 0.5);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(this->values_[i], this->trainable_[i] ? S(0.75) * before[i] : before[i]) << i;
  }
}

TYPED_TEST(AdamWOf, HoldsTwoNumbersPerParameter) {
  using S = TypeParam;
  EXPECT_EQ(AdamW<S>(this->layout_, {}).memory(), 2 * this->layout_.size() * sizeof(S));
}

template <class S>
class ClipNormOf : public testing::Test {};
TYPED_TEST_SUITE(ClipNormOf, Scalars, ScalarName);

TYPED_TEST(ClipNormOf, ScalesALongGradientToTheLimit) {
  using S = TypeParam;
  for (std::size_t n = 1; n <= 9; ++n) {
    std::vector<S> gradient(n, S(0));
    gradient[0] = 3;
    gradient[n - 1] = n == 1 ? S(5) : S(4);
    const std::vector<S> before = gradient;
    EXPECT_DOUBLE_EQ(clip_norm<S>(gradient, 2.5), 5.0) << n;
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(gradient[i], before[i] / 2) << n << ", " << i;
  }
}

TYPED_TEST(ClipNormOf, LeavesAShortGradientAsItIs) {
  using S = TypeParam;
  std::vector<S> gradient = {3, 0, 0, 0, -4}, none(7, S(0)), empty;
  const std::vector<S> before = gradient;
  EXPECT_DOUBLE_EQ(clip_norm<S>(gradient, 5.0), 5.0);
  EXPECT_EQ(gradient, before);
  EXPECT_EQ(clip_norm<S>(none, 1.0), 0.0);
  EXPECT_EQ(none, std::vector<S>(7, S(0)));
  EXPECT_EQ(clip_norm<S>(empty, 1.0), 0.0);
}

// A float's sum of that many squares stops growing at 2^24 of them.
TYPED_TEST(ClipNormOf, CountsEveryEntryOfALargeGradient) {
  using S = TypeParam;
  std::vector<S> gradient(std::size_t{1} << 25, S(1));
  EXPECT_DOUBLE_EQ(clip_norm<S>(gradient, 1e9), std::sqrt(static_cast<double>(gradient.size())));
}

// Training must be able to notice that it has diverged.
TYPED_TEST(ClipNormOf, TellsOfANormThatIsNotFinite) {
  using S = TypeParam;
  std::vector<S> lost = {1, std::numeric_limits<S>::quiet_NaN(), 2}, endless = {1, std::numeric_limits<S>::infinity()};
  EXPECT_TRUE(std::isnan(clip_norm<S>(lost, 1.0)));
  EXPECT_TRUE(std::isinf(clip_norm<S>(endless, 1.0)));
}

}  // namespace
}  // namespace agentnet
