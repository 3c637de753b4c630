// Which graphs deserve a look.
#include "view/tables/how_wrong.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "agentnet/metrics.h"
#include "view/pictures/positions.h"

namespace agentnet {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr double kBlank = std::numeric_limits<double>::quiet_NaN();

TEST(HowWrong, OfClassesIsTheLeadOfTheBestWrongOne) {
  const std::vector<double> mean = {0.7, 0.2, 0.1, 0.1, 0.3, 0.6, 0.2, 0.4, 0.4};
  const std::vector<double> targets = {0, 1, kBlank};
  const auto wrong = how_wrong({Task::kClassification, 3, mean, targets});
  EXPECT_NEAR(wrong[0], -0.5, 1e-12);
  EXPECT_NEAR(wrong[1], 0.3, 1e-12);
  EXPECT_TRUE(std::isnan(wrong[2]));
}

TEST(HowWrong, OfQuestionsIsTheWorstAnswer) {
  const std::vector<double> mean = {0.9, 0.8, 0.1, 0.5};
  const std::vector<double> targets = {1, 0, 0, kBlank};
  EXPECT_THAT(how_wrong({Task::kMultilabel, 2, mean, targets}),
              ElementsAre(DoubleNear(0.6, 1e-12), DoubleNear(-0.8, 1e-12)));
}

TEST(HowWrong, OfNumbersIsTheErrorInUnitsOfTheSpread) {
  const std::vector<double> mean = {1, 100, 3, 100};
  const std::vector<double> targets = {0, 0, 2, 200};  // spreads: sqrt(2), 100 sqrt(2)
  const double unit = std::sqrt(0.5);
  EXPECT_THAT(how_wrong({Task::kRegression, 2, mean, targets}),
              ElementsAre(DoubleNear(unit * (1 + 1) / 2, 1e-12), DoubleNear(unit * (1 + 1) / 2, 1e-12)));
}

TEST(GraphsToExplain, AreTheWorstThenASpreadOfTheOthers) {
  std::vector<double> mean, targets;
  for (int g = 0; g < 100; ++g) {  // the true class is 0; graphs 90 and up are wrong, 99 the most
    const double p = 1 - 0.0055 * g;
    mean.insert(mean.end(), {p, 1 - p});
    targets.push_back(0);
  }
  const auto chosen = graphs_to_explain({Task::kClassification, 2, mean, targets}, 10);
  ASSERT_EQ(chosen.size(), 10U);
  EXPECT_THAT(std::vector(chosen.begin(), chosen.begin() + 5), ElementsAre(99, 98, 97, 96, 95));
  EXPECT_EQ(chosen.back(), 0U) << "the surest right answer";
  std::vector<std::size_t> sorted = chosen;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
}

TEST(GraphsToExplain, AreAllIfThereIsRoomAndAnEvenChoiceIfNothingIsKnown) {
  const std::vector<double> mean(20, 0.5);
  EXPECT_EQ(graphs_to_explain({Task::kClassification, 2, mean, {}}, 40).size(), 10U);
  EXPECT_THAT(graphs_to_explain({Task::kClassification, 2, mean, {}}, 4), ElementsAre(0, 3, 6, 9));
  EXPECT_THAT(graphs_to_explain({Task::kRegression, 1, mean, {}}, 1), ElementsAre(0));
  EXPECT_TRUE(graphs_to_explain({Task::kRegression, 1, mean, {}}, 0).empty());
}

TEST(Calibration, HasTheErrorOfTheMetric) {
  std::vector<double> mean, targets;
  for (int g = 0; g < 200; ++g) {
    const double p = 0.5 + 0.0025 * g;
    mean.insert(mean.end(), {1 - p, p});
    targets.push_back(g % 3 == 0 ? 0 : 1);
  }
  const auto bins = calibration_bins({Task::kClassification, 2, mean, targets});
  double error = 0, count = 0;
  for (const CalibrationBin& bin : bins) {
    error += static_cast<double>(bin.count) * std::abs(bin.confidence - bin.accuracy);
    count += static_cast<double>(bin.count);
  }
  EXPECT_EQ(count, 200);
  EXPECT_NEAR(error / count, score(Metric::kCalibrationError, Task::kClassification, 2, mean, targets, 200), 1e-12);
}

TEST(FlatPositions, KeepWhatIsFlatAndShowTheRestFromItsFlatSide) {
  const std::vector<float> flat = {0, 0, 7, 2, 0, 7, 2, 2, 7};
  const auto places = flat_positions(flat, std::vector<std::uint64_t>{0, 1, 2});
  EXPECT_NEAR(places[1][0] - places[0][0], 2, 1e-6);
  EXPECT_NEAR(places[2][1] - places[1][1], -2, 1e-6) << "up is up";
  // A square in the plane x = y: distances stay what they are.
  const std::vector<float> tilted = {0, 0, 0, 1, 1, 0, 1, 1, 2, 0, 0, 2};
  const auto seen = flat_positions(tilted, std::vector<std::uint64_t>{0, 1, 2, 3});
  const auto distance = [&](int a, int b) { return std::hypot(seen[a][0] - seen[b][0], seen[a][1] - seen[b][1]); };
  EXPECT_NEAR(distance(0, 1), std::sqrt(2), 1e-5);
  EXPECT_NEAR(distance(1, 2), 2, 1e-5);
  EXPECT_NEAR(distance(0, 2), std::sqrt(6), 1e-5);
}

TEST(HowWrong, OfWhatIsNotFiniteNothingIsKnown) {
  const std::vector<double> mean = {kBlank, kBlank, 0.25, 0.75};
  const std::vector<double> targets = {0, 1};
  const Answers answers{Task::kClassification, 2, mean, targets};
  EXPECT_TRUE(std::isnan(how_wrong(answers)[0]));
  EXPECT_THAT(confusion_matrix(answers), ElementsAre(ElementsAre(0, 0), ElementsAre(0, 1)));
  const auto bins = calibration_bins(answers);
  ASSERT_EQ(bins.size(), 1U);
  EXPECT_EQ(bins[0].count, 1U);
}

}  // namespace
}  // namespace agentnet
