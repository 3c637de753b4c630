#include "tune/importance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/random.h"

namespace agentnet {
namespace {

// Trials whose score is 0.5 + effect * (hidden == 64) + noise; the batch says nothing.
struct Trials {
  TunePlan plan;
  std::vector<TrialResult> results;

  Trials(std::size_t count, double effect, double noise) {
    RandomSequence random(1, Purpose::kTest);
    for (std::size_t i = 0; i < count; ++i) {
      TrialResult& result = results.emplace_back();
      const bool wide = random.below(2) == 1;
      result.number = i;
      result.drawn = {{"model.hidden", wide ? "64" : "32"}, {"train.learning_rate", std::to_string(random.uniform())}};
      result.scores = {0.5 + (wide ? effect : 0) + noise * random.normal(), 99};
      plan.trials.push_back({i, result.drawn, {}, false});
    }
  }
  [[nodiscard]] SettingImportance of(const std::string& key) const {
    for (const SettingImportance& one : importance_of(results, plan, Metric::kAccuracy)) {
      if (one.key == key) return one;
    }
    return {};
  }
};

TEST(Importance, ASettingThatDecidesIsFound) {
  const Trials trials(40, 0.2, 0.02);
  const SettingImportance hidden = trials.of("model.hidden");
  EXPECT_GT(hidden.share, 0.6);
  EXPECT_LE(hidden.p, 0.002);
  ASSERT_EQ(hidden.levels.size(), 2U);
  EXPECT_EQ(hidden.levels[0].value, "32");
  EXPECT_NEAR(hidden.levels[1].mean - hidden.levels[0].mean, 0.2, 0.03);
  EXPECT_EQ(hidden.levels[0].trials.size() + hidden.levels[1].trials.size(), 40U);
  EXPECT_EQ(importance_of(trials.results, trials.plan, Metric::kAccuracy).front().key, "model.hidden");
}

TEST(Importance, NoiseIsNotCalledImportant) {
  const Trials trials(40, 0, 0.05);
  EXPECT_GT(trials.of("model.hidden").p, 0.02);
  const SettingImportance rate = trials.of("train.learning_rate");
  EXPECT_GT(rate.p, 0.02);
  EXPECT_LT(rate.share, 0.2);
  EXPECT_EQ(rate.levels.size(), 4U) << "many numbers are looked at in four groups";
}

TEST(Importance, OfErrorsTheSmallestIsBestAndFailuresAreTheWorst) {
  Trials trials(12, 0, 0.001);
  for (TrialResult& result : trials.results) {
    if (result.drawn.front().second == "64") result.scores = {std::nan("")};
  }
  EXPECT_GT(trials.of("model.hidden").share, 0.5);
  const auto by_error = importance_of(trials.results, trials.plan, Metric::kMae);
  EXPECT_EQ(by_error.front().key, "model.hidden") << "failures are no good errors either";
}

TEST(Importance, ASettingThatIsTheSameInAllTrialsIsNone) {
  Trials trials(6, 0.1, 0.01);
  for (TrialResult& result : trials.results) result.drawn.front().second = "32";
  EXPECT_EQ(trials.of("model.hidden").key, "");
}

}  // namespace
}  // namespace agentnet
