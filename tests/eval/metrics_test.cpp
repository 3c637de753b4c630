#include "agentnet/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/random.h"

namespace agentnet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kBlank = std::numeric_limits<double>::quiet_NaN();
constexpr double kTolerance = 1e-12;

double classes(Metric metric, int outputs, const std::vector<double>& predictions, const std::vector<double>& targets) {
  return score(metric, Task::kClassification, outputs, predictions, targets, targets.size());
}

double questions(Metric metric, int outputs, const std::vector<double>& predictions,
                 const std::vector<double>& targets) {
  return score(metric, Task::kMultilabel, outputs, predictions, targets,
               targets.size() / static_cast<std::size_t>(outputs));
}

double numbers(Metric metric, int outputs, const std::vector<double>& predictions, const std::vector<double>& targets) {
  return score(metric, Task::kRegression, outputs, predictions, targets,
               targets.size() / static_cast<std::size_t>(outputs));
}

// Rows of two class probabilities, from those of class 1.
std::vector<double> two_classes(const std::vector<double>& ones) {
  std::vector<double> rows;
  for (const double p : ones) rows.insert(rows.end(), {1 - p, p});
  return rows;
}

// The chance that a "yes" stands above a "no", pair by pair.
double plain_auc(const std::vector<double>& p, const std::vector<double>& y) {
  double in_order = 0, pairs = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      if (y[i] != 1 || y[j] != 0) continue;
      pairs += 1;
      in_order += p[i] > p[j] ? 1 : (p[i] == p[j] ? 0.5 : 0);
    }
  }
  return in_order / pairs;
}

// Precision and recall at each threshold, from the definition, the thresholds from the largest down.
double plain_average_precision(const std::vector<double>& p, const std::vector<double>& y) {
  std::vector<double> thresholds = p;
  std::sort(thresholds.rbegin(), thresholds.rend());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  const double positives = std::accumulate(y.begin(), y.end(), 0.0);
  double sum = 0, last_recall = 0;
  for (const double threshold : thresholds) {
    double found = 0, taken = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      taken += p[i] >= threshold ? 1 : 0;
      found += p[i] >= threshold ? y[i] : 0;
    }
    sum += (found / positives - last_recall) * found / taken;
    last_recall = found / positives;
  }
  return sum;
}

TEST(MetricNames, GoThereAndBack) {
  for (const Task task : {Task::kClassification, Task::kMultilabel, Task::kRegression}) {
    for (const Metric metric : metrics_for(task)) EXPECT_EQ(metric_from_name(metric_name(metric)), metric);
  }
  EXPECT_EQ(metric_name(Metric::kRocAuc), "roc-auc");
  EXPECT_EQ(metric_name(Metric::kRmse), "rmse");
}

TEST(MetricNames, AMisspeltOneGetsASuggestion) {
  try {
    static_cast<void>(metric_from_name("acuracy"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), "there is no metric 'acuracy'");
    EXPECT_EQ(error.hint(), "did you mean accuracy?");
  }
}

TEST(MetricNames, OneThatIsNothingLikeItGetsTheList) {
  try {
    static_cast<void>(metric_from_name("quality"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.hint(), HasSubstr("metrics are accuracy, balanced-accuracy, f1,"));
    EXPECT_THAT(error.hint(), HasSubstr("rmse"));
  }
}

TEST(MetricsFor, NumbersAreErrorsAndLabelsAreEverythingElse) {
  EXPECT_THAT(metrics_for(Task::kRegression),
              ElementsAre(Metric::kMae, Metric::kRmse, Metric::kR2, Metric::kPearson, Metric::kSpearman));
  EXPECT_THAT(
      metrics_for(Task::kClassification),
      ElementsAre(Metric::kAccuracy, Metric::kBalancedAccuracy, Metric::kF1, Metric::kRocAuc, Metric::kAveragePrecision,
                  Metric::kLogLoss, Metric::kCalibrationError, Metric::kMcc, Metric::kSpecificity));
  EXPECT_EQ(metrics_for(Task::kMultilabel), metrics_for(Task::kClassification));
  EXPECT_THAT(metrics_for(Task::kNone), IsEmpty());
}

TEST(IsBetter, FollowsTheDirectionAndNeverPrefersNan) {
  EXPECT_TRUE(higher_is_better(Metric::kRocAuc));
  EXPECT_FALSE(higher_is_better(Metric::kLogLoss));
  EXPECT_TRUE(is_better(Metric::kAccuracy, 0.8, 0.7));
  EXPECT_FALSE(is_better(Metric::kAccuracy, 0.7, 0.7));
  EXPECT_TRUE(is_better(Metric::kMae, 0.1, 0.2));
  EXPECT_FALSE(is_better(Metric::kMae, 0.3, 0.2));
  EXPECT_TRUE(is_better(Metric::kMae, 0.3, kBlank));
  EXPECT_FALSE(is_better(Metric::kMae, kBlank, 0.3));
  EXPECT_FALSE(is_better(Metric::kMae, kBlank, kBlank));
}

// The example of scikit-learn's documentation of roc_auc_score and average_precision_score.
TEST(RankMetrics, AgreeWithTheExampleOfScikitLearn) {
  const std::vector<double> p = {0.1, 0.4, 0.35, 0.8}, y = {0, 0, 1, 1};
  EXPECT_NEAR(questions(Metric::kRocAuc, 1, p, y), 0.75, kTolerance);
  EXPECT_NEAR(questions(Metric::kAveragePrecision, 1, p, y), 5.0 / 6, kTolerance);
  EXPECT_NEAR(classes(Metric::kRocAuc, 2, two_classes(p), y), 0.75, kTolerance);
  EXPECT_NEAR(classes(Metric::kAveragePrecision, 2, two_classes(p), y), 5.0 / 6, kTolerance);
}

// The example in OGB's own evaluator: y_true = [1, 1, 0, 0], y_pred = [1, 1, 1, 0].
TEST(RankMetrics, CountATieAsHalfAndTakeItAsOneThreshold) {
  const std::vector<double> p = {1, 1, 1, 0}, y = {1, 1, 0, 0};
  EXPECT_NEAR(questions(Metric::kRocAuc, 1, p, y), 0.75, kTolerance);
  EXPECT_NEAR(questions(Metric::kAveragePrecision, 1, p, y), 2.0 / 3, kTolerance);
}

TEST(RankMetrics, OfTheSameProbabilityForAllAreChanceAndTheShareOfPositives) {
  const std::vector<double> p(5, 0.3), y = {1, 0, 0, 1, 0};
  EXPECT_EQ(questions(Metric::kRocAuc, 1, p, y), 0.5);
  EXPECT_EQ(questions(Metric::kAveragePrecision, 1, p, y), 0.4);
}

RC_GTEST_PROP(RankMetrics, AgreeWithTheDefinitionAndDoNotDependOnTheOrder, ()) {
  const auto n = static_cast<std::size_t>(*rc::gen::inRange(2, 40));
  std::vector<double> p(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    p[i] = *rc::gen::inRange(0, 8) / 8.0;  // with ties
    y[i] = *rc::gen::inRange(0, 2);
  }
  y[0] = 0;
  y[1] = 1;
  const double auc = questions(Metric::kRocAuc, 1, p, y), ap = questions(Metric::kAveragePrecision, 1, p, y);
  RC_ASSERT(std::abs(auc - plain_auc(p, y)) < kTolerance);
  RC_ASSERT(std::abs(ap - plain_average_precision(p, y)) < kTolerance);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  RandomSequence random(static_cast<std::uint64_t>(*rc::gen::inRange(0, 1000)), Purpose::kTest);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::vector<double> p2, y2;
  for (const std::size_t i : order) {
    p2.push_back(p[i]);
    y2.push_back(y[i]);
  }
  RC_ASSERT(questions(Metric::kRocAuc, 1, p2, y2) == auc);
  RC_ASSERT(questions(Metric::kAveragePrecision, 1, p2, y2) == ap);
}

// As OGB: a blank entry is left out, and so is a column without a "yes" or without a "no".
TEST(RankMetrics, LeaveOutBlanksAndColumnsOfOneAnswer) {
  const std::vector<double> y = {0, 1, 0,      kBlank,  //
                                 1, 1, kBlank, kBlank,  //
                                 0, 1, 1,      0,       //
                                 1, 1, 0,      1};
  const std::vector<double> p = {0.1, 0.9, 0.3, 0.9,  //
                                 0.4, 0.1, 0.9, 0.1,  //
                                 0.6, 0.5, 0.2, 0.8,  //
                                 0.7, 0.5, 0.1, 0.3};
  // Column 0: 3 of 4 pairs; column 1 has no "no"; column 2: 1 of 2 pairs; column 3: 0 of 1.
  EXPECT_NEAR(questions(Metric::kRocAuc, 4, p, y), (0.75 + 0.5 + 0) / 3, kTolerance);
  EXPECT_NEAR(questions(Metric::kAveragePrecision, 4, p, y), (5.0 / 6 + 0.5 + 0.5) / 3, kTolerance);
}

TEST(RankMetrics, OfMoreThanTwoClassesAreTheMeanOverTheClassesPresent) {
  // Class 3 never occurs. One against the rest: class 0 in 1 of 2 pairs, class 1 in 2 of 2, class 2 in 1 of 2.
  const std::vector<double> p = {0.3, 0.3, 0.3,  0.1,  //
                                 0.2, 0.5, 0.2,  0.1,  //
                                 0.4, 0.1, 0.25, 0.25};
  EXPECT_NEAR(classes(Metric::kRocAuc, 4, p, {0, 1, 2}), (0.5 + 1 + 0.5) / 3, kTolerance);
}

TEST(Metrics, AreUndefinedWhereThereIsNothingToMeasure) {
  for (const Metric metric : metrics_for(Task::kMultilabel)) {
    SCOPED_TRACE(metric_name(metric));
    EXPECT_TRUE(std::isnan(score(metric, Task::kMultilabel, 2, {}, {}, 0)));
    EXPECT_TRUE(std::isnan(questions(metric, 1, {0.5, 0.5}, {kBlank, kBlank})));
    EXPECT_TRUE(std::isnan(score(metric, Task::kClassification, 2, {}, {}, 0)));
    EXPECT_TRUE(std::isnan(classes(metric, 2, {0.5, 0.5}, {kBlank})));
  }
  for (const Metric metric : metrics_for(Task::kRegression)) {
    EXPECT_TRUE(std::isnan(score(metric, Task::kRegression, 1, {}, {}, 0)));
    EXPECT_TRUE(std::isnan(numbers(metric, 1, {1}, {kBlank})));
  }
}

TEST(Metrics, OfOneClassOnlyAreUndefinedWhereTheyNeedTwo) {
  const std::vector<double> p = two_classes({0.2, 0.4}), y = {0, 0};
  EXPECT_TRUE(std::isnan(classes(Metric::kRocAuc, 2, p, y)));
  EXPECT_TRUE(std::isnan(classes(Metric::kAveragePrecision, 2, p, y)));
  EXPECT_TRUE(std::isnan(classes(Metric::kF1, 2, p, y)));  // class 1 neither was nor was predicted
  EXPECT_EQ(classes(Metric::kAccuracy, 2, p, y), 1);
  EXPECT_EQ(classes(Metric::kBalancedAccuracy, 2, p, y), 1);
}

TEST(Metrics, AreUndefinedForAPredictionThatIsNoNumber) {
  EXPECT_TRUE(std::isnan(questions(Metric::kRocAuc, 1, {0.1, kBlank, 0.3}, {0, 1, 1})));
  EXPECT_TRUE(std::isnan(classes(Metric::kAccuracy, 2, {0.5, 0.5, kBlank, 0.5}, {0, 1})));
  EXPECT_TRUE(std::isnan(numbers(Metric::kMae, 1, {1, kBlank}, {1, 1})));
  EXPECT_EQ(numbers(Metric::kMae, 1, {1, kBlank}, {2, kBlank}), 1);  // a blank hides it
  EXPECT_THAT(all_scores(Task::kRegression, 1, std::vector{kBlank}, std::vector{0.0}, 1), IsEmpty());
}

// Classes 0 0 0 0 1 2, answers 0 0 0 1 1 0 (the last row ties: the first class wins).
class ThreeClasses : public testing::Test {
 protected:
  std::vector<double> p_ = {0.8, 0.1, 0.1, 0.6, 0.2, 0.2, 0.5, 0.3, 0.2,  //
                            0.2, 0.7, 0.1, 0.1, 0.9, 0.0, 0.4, 0.2, 0.4};
  std::vector<double> y_ = {0, 0, 0, 0, 1, 2};
};

TEST_F(ThreeClasses, AccuracyIsTheShareOfRightAnswers) {
  EXPECT_NEAR(classes(Metric::kAccuracy, 3, p_, y_), 4.0 / 6, kTolerance);
}

TEST_F(ThreeClasses, BalancedAccuracyIsTheMeanRecallOfTheClassesPresent) {
  EXPECT_NEAR(classes(Metric::kBalancedAccuracy, 3, p_, y_), (3.0 / 4 + 1 + 0) / 3, kTolerance);
  y_.back() = kBlank;
  EXPECT_NEAR(classes(Metric::kBalancedAccuracy, 3, p_, y_), (3.0 / 4 + 1) / 2, kTolerance);
}

TEST_F(ThreeClasses, F1IsTheMeanOverClasses) {
  EXPECT_NEAR(classes(Metric::kF1, 3, p_, y_), (6.0 / 8 + 2.0 / 3 + 0) / 3, kTolerance);
}

TEST_F(ThreeClasses, LogLossIsOfTheTrueClass) {
  const double expected =
      -(std::log(0.8) + std::log(0.6) + std::log(0.5) + std::log(0.2) + std::log(0.9) + std::log(0.4)) / 6;
  EXPECT_NEAR(classes(Metric::kLogLoss, 3, p_, y_), expected, kTolerance);
}

TEST_F(ThreeClasses, CalibrationErrorComparesConfidenceAndAccuracyBinByBin) {
  // Six confidences in six bins of width 1/15: 0.8 0.6 0.5 0.9 right, 0.7 and 0.4 wrong. 0.8, 0.6 and 0.4 end bins.
  EXPECT_NEAR(classes(Metric::kCalibrationError, 3, p_, y_), (0.2 + 0.4 + 0.5 + 0.7 + 0.1 + 0.4) / 6, kTolerance);
}

TEST(CalibrationError, OfOneBinIsTheDifferenceOfTheMeans) {
  // Confidence 0.75 four times, right three times: perfectly calibrated, though never right by itself.
  EXPECT_NEAR(classes(Metric::kCalibrationError, 2, two_classes({0.75, 0.75, 0.75, 0.75}), {1, 1, 1, 0}), 0,
              kTolerance);
  EXPECT_NEAR(classes(Metric::kCalibrationError, 2, two_classes({0.75, 0.75, 0.75, 0.75}), {0, 0, 0, 1}), 0.5,
              kTolerance);
  // For questions the confidence in "no" counts as well.
  EXPECT_NEAR(questions(Metric::kCalibrationError, 2, {0.25, 0.75, 0.25, 0.75}, {0, 1, 0, 0}), 0, kTolerance);
}

TEST(CalibrationError, OfCertaintyIsTheErrorRate) {
  EXPECT_NEAR(classes(Metric::kCalibrationError, 2, {1, 0, 0, 1, 1, 0, 1, 0}, {0, 1, 0, 1}), 0.25, kTolerance);
}

TEST(LogLoss, StaysFiniteForCertainErrors) {
  EXPECT_NEAR(classes(Metric::kLogLoss, 2, {1, 0}, {1}), -std::log(1e-15), 1e-9);
  EXPECT_NEAR(classes(Metric::kLogLoss, 2, {1, 0}, {0}), 0, 1e-14);
  EXPECT_NEAR(questions(Metric::kLogLoss, 2, {0.2, 0.9, 0.5, 0.5}, {0, 1, kBlank, 1}),
              -(std::log(0.8) + std::log(0.9) + std::log(0.5)) / 3, kTolerance);
}

TEST(F1, OfTwoClassesIsThatOfClassOne) {
  // One hit, one false alarm, two misses.
  EXPECT_NEAR(classes(Metric::kF1, 2, two_classes({0.9, 0.8, 0.1, 0.2, 0.3}), {1, 0, 1, 1, 0}), 2.0 / 5, kTolerance);
}

TEST(F1, OfQuestionsIsTheMeanOverColumnsThatHaveAYes) {
  const std::vector<double> p = {0.9, 0.2, 0.1,  //
                                 0.5, 0.3, 0.9,  // 0.5 is a "no"
                                 0.8, 0.1, 0.9};
  const std::vector<double> y = {1, 0, 0,  //
                                 0, 0, 0,  //
                                 1, 0, kBlank};
  // Column 0 is perfect, nobody says "yes" in column 1, column 2 has one false alarm.
  EXPECT_NEAR(questions(Metric::kF1, 3, p, y), (1.0 + 0) / 2, kTolerance);
}

TEST(Accuracy, OfQuestionsIsTheMeanOverQuestionsAsOgbHasIt) {
  const std::vector<double> p = {0.9, 0.2, 0.4, 0.7}, y = {1, kBlank, 0, 0};
  EXPECT_NEAR(questions(Metric::kAccuracy, 2, p, y), (1.0 + 0) / 2, kTolerance);
}

TEST(BalancedAccuracy, OfQuestionsIsTheMeanOverColumnsWithBothAnswers) {
  const std::vector<double> p = {0.9, 0.9, 0.1, 0.9, 0.2, 0.9}, y = {1, 1, 1, 1, 0, 1};
  EXPECT_NEAR(questions(Metric::kBalancedAccuracy, 2, p, y), (0.5 + 1) / 2, kTolerance);
}

TEST(Errors, OfSeveralTargetsAreTheMeanOverTargets) {
  const std::vector<double> p = {1, 10, 2, 20, 3, 30}, y = {2, 14, 4, kBlank, 3, kBlank};
  EXPECT_NEAR(numbers(Metric::kMae, 2, p, y), (1.0 + 4) / 2, kTolerance);
  EXPECT_NEAR(numbers(Metric::kRmse, 2, p, y), (std::sqrt(5.0 / 3) + 4) / 2, kTolerance);
}

TEST(Errors, LeaveOutTargetsWithoutAnyLabel) {
  const std::vector<double> p = {1, 10, 2, 20}, y = {2, kBlank, 5, kBlank};
  EXPECT_NEAR(numbers(Metric::kMae, 2, p, y), 2, kTolerance);
  EXPECT_NEAR(numbers(Metric::kRmse, 2, p, y), std::sqrt(5.0), kTolerance);
}

TEST(Correlations, AreThoseOfTheBooks) {
  const std::vector<double> p = {2.5, 0, 2, 8}, y = {3, -0.5, 2, 7};
  EXPECT_NEAR(numbers(Metric::kR2, 1, p, y), 1 - 1.5 / 29.1875, kTolerance);
  // Sum of products 31.5625, of squares 35.1875 (said, mean 3.125) and 29.1875 (truth, mean 2.875).
  EXPECT_NEAR(numbers(Metric::kPearson, 1, p, y), 31.5625 / std::sqrt(35.1875 * 29.1875), 1e-9);
  EXPECT_NEAR(numbers(Metric::kSpearman, 1, p, y), 1, kTolerance) << "the order is the same";
  // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5).
  EXPECT_NEAR(numbers(Metric::kSpearman, 1, {1, 5, 5, 9}, {1, 2, 3, 4}), 4.5 / std::sqrt(4.5 * 5), kTolerance);
}

TEST(Correlations, AreUndefinedWhereNothingVaries) {
  EXPECT_TRUE(std::isnan(numbers(Metric::kR2, 1, {1, 2}, {3, 3})));
  EXPECT_TRUE(std::isnan(numbers(Metric::kPearson, 1, {1, 1}, {3, 4})));
  EXPECT_TRUE(std::isnan(numbers(Metric::kPearson, 1, {0.1, 0.1, 0.1}, {3, 4, 7})))
      << "a mean of equal values is rounded";
  EXPECT_TRUE(std::isnan(numbers(Metric::kSpearman, 1, {1, 1}, {3, 4})));
  EXPECT_LT(numbers(Metric::kR2, 1, {9, -9}, {3, 4}), 0) << "worse than the mean";
}

TEST(ScoresByTarget, AreThoseOfEachColumnByItself) {
  const std::vector<double> p = {1, 10, 2, 20, 3, 30}, y = {2, 14, 4, kBlank, 3, 30};
  const auto by_target = scores_by_target(Task::kRegression, 2, p, y, 3);
  ASSERT_EQ(by_target.size(), 2U);
  EXPECT_EQ(by_target[0],
            all_scores(Task::kRegression, 1, std::vector<double>{1, 2, 3}, std::vector<double>{2, 4, 3}, 3));
  EXPECT_EQ(by_target[1][0], (Score{"mae", 2.0}));
  EXPECT_TRUE(scores_by_target(Task::kRegression, 1, std::vector<double>{1}, std::vector<double>{2}, 1).empty());
  EXPECT_TRUE(scores_by_target(Task::kClassification, 2, two_classes({0.9}), std::vector<double>{1}, 1).empty());
}

TEST(Mcc, IsMatthewsCorrelationAndGorodkinsOfMoreClasses) {
  const auto classes = [](int count, const std::vector<int>& said, const std::vector<double>& truth) {
    std::vector<double> rows;
    for (const int c : said) {
      for (int k = 0; k < count; ++k) rows.push_back(k == c ? 1 : 0);
    }
    return score(Metric::kMcc, Task::kClassification, count, rows, truth, truth.size());
  };
  EXPECT_NEAR(classes(2, {1, 0, 1, 1}, {1, 1, 1, 0}), -1.0 / 3, kTolerance);
  EXPECT_NEAR(classes(3, {0, 2, 1, 2}, {0, 1, 2, 2}), 0.2, kTolerance);
  EXPECT_NEAR(classes(3, {0, 1, 2, 2}, {0, 1, 2, 2}), 1, kTolerance);
  EXPECT_EQ(classes(2, {1, 1, 1}, {1, 0, 1}), 0) << "one answer to everything";
  EXPECT_TRUE(std::isnan(classes(2, {1, 0}, {1, 1}))) << "there is one class only";
  // Of questions the mean: the first is answered right, the second as by a coin, the third has one answer only.
  const std::vector<double> said = {0.9, 0.9, 0.9, 0.1, 0.9, 0.9, 0.9, 0.1, 0.9, 0.1, 0.1, 0.9},
                            truth = {1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1};
  EXPECT_NEAR(score(Metric::kMcc, Task::kMultilabel, 3, said, truth, 4), 0.5, kTolerance);
}

TEST(Specificity, IsTheShareOfNoThatWasAnsweredSo) {
  const std::vector<double> said = two_classes({0.9, 0.2, 0.7, 0.4}), truth = {1, 0, 0, 0};
  EXPECT_NEAR(score(Metric::kSpecificity, Task::kClassification, 2, said, truth, 4), 2.0 / 3, kTolerance);
  EXPECT_TRUE(
      std::isnan(score(Metric::kSpecificity, Task::kClassification, 2, two_classes({0.9}), std::vector<double>{1}, 1)));
}

TEST(AllScores, GivesEveryMetricThatIsDefined) {
  const std::vector<double> p = two_classes({0.9, 0.2}), both = {1, 0}, one = {1, 1};
  const Scores full = all_scores(Task::kClassification, 2, p, both, 2);
  ASSERT_EQ(full.size(), 9U);
  EXPECT_EQ(full[0], (Score{"accuracy", 1.0}));
  EXPECT_EQ(full[3], (Score{"roc-auc", 1.0}));
  std::vector<std::string> names;
  for (const Score& s : all_scores(Task::kClassification, 2, p, one, 2)) names.push_back(s.name);
  EXPECT_THAT(names, ElementsAre("accuracy", "balanced-accuracy", "f1", "log-loss", "calibration-error"));
  EXPECT_THAT(all_scores(Task::kNone, 1, {}, {}, 0), IsEmpty());
}

TEST(Score, RefusesAMetricOfAnotherTask) {
  try {
    static_cast<void>(numbers(Metric::kRocAuc, 1, {1}, {1}));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), "the metric roc-auc does not fit the task regression");
    EXPECT_EQ(error.hint(), "metrics that fit: mae, rmse, r2, pearson, spearman");
  }
  EXPECT_THROW(static_cast<void>(score(Metric::kMae, Task::kNone, 1, {}, {}, 0)), Error);
}

TEST(Score, RefusesRowsThatDoNotBelongTogether) {
  EXPECT_THROW(static_cast<void>(classes(Metric::kAccuracy, 2, {0.5, 0.5, 0.5}, {0})), Error);
  EXPECT_THROW(static_cast<void>(score(Metric::kMae, Task::kRegression, 0, {}, {}, 0)), Error);
  EXPECT_THROW(static_cast<void>(questions(Metric::kAccuracy, 2, {0.5, 0.5}, {0})), Error);
}

TEST(Score, RefusesLabelsThatDoNotExist) {
  for (const double label : {2.0, -1.0, 0.5, std::numeric_limits<double>::infinity()}) {
    SCOPED_TRACE(label);
    EXPECT_THROW(static_cast<void>(classes(Metric::kAccuracy, 2, {0.5, 0.5}, {label})), Error);
    EXPECT_THROW(static_cast<void>(questions(Metric::kAccuracy, 1, {0.5}, {label})), Error);
  }
}

TEST(Metrics, WhatIsNotFiniteIsNoScore) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(numbers(Metric::kMae, 1, {1, kInfinity}, {1, 1})));
  EXPECT_FALSE(std::isnan(numbers(Metric::kMae, 1, {1, kInfinity}, {1, kBlank})));
  const std::vector<double> predictions = {1e200, 0}, targets = {0, 0};  // whose squares are too large for a double
  EXPECT_TRUE(std::isnan(numbers(Metric::kRmse, 1, predictions, targets)));
  const Scores scores = all_scores(Task::kRegression, 1, predictions, targets, 2);
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_EQ(scores[0].name, "mae");
}

}  // namespace
}  // namespace agentnet
