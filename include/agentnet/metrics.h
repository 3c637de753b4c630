// How good predictions are.
//
// Predictions and targets come as rows, one per graph:
//
//   task            predictions                       targets (as GraphSet::targets)
//   classification  [G, C] probabilities of classes   [G]     the number of the class, or NaN
//   multilabel      [G, C] probability of each "yes"  [G, C]  0, 1 or NaN
//   regression      [G, C] numbers                    [G, C]  numbers or NaN
//
// NaN is a blank: that entry counts for nothing. The answer taken from probabilities is the likeliest class, the first
// of them on a tie, and "yes" above 0.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

// A yes/no question is a column of a multilabel task; a classification of two classes asks one ("is it class 1?"),
// one of more classes asks one per class ("this class or another?").
enum class Metric {
  kAccuracy,          // share of right answers, over all labelled entries
  kBalancedAccuracy,  // mean recall of the classes present; multilabel: its mean over questions with both answers
  kF1,                // mean over questions with a "yes" in truth or answer
  kRocAuc,            // as OGB: mean over questions with at least one "yes" and one "no"; a tie counts half
  kAveragePrecision,  // as OGB: over the same questions, the sum of precision times gain in recall, without
                      // interpolation
  kLogLoss,           // mean over labelled entries, natural logarithm, probabilities kept 1e-15 away from 0 and 1
  kCalibrationError,  // |confidence - accuracy|, weighted mean over 15 bins of equal width, confidence = of the answer
  kMcc,               // Matthews' correlation; of more classes as Gorodkin has it; multilabel: mean over questions with
                      // both answers; 0 where only one answer is given
  kSpecificity,       // share of the "no" that were answered so, mean over questions with a "no"
  kMae,               // of each target, then the mean over targets, so that one with few labels counts as much
  kRmse,              // the same
  kR2,                // 1 - sum of squared errors / sum of squared deviations from the mean of the targets; the same
  kPearson,           // correlation of predictions and targets; the same
  kSpearman,          // correlation of their ranks, equal values sharing the mean of their ranks; the same
};

// "accuracy", "balanced-accuracy", "f1", "roc-auc", "average-precision", "log-loss", "calibration-error", "mae",
// "rmse", "r2", "pearson", "spearman"; and back, an unknown name throws Error (kUsage).
[[nodiscard]] std::string_view metric_name(Metric metric);
[[nodiscard]] Metric metric_from_name(std::string_view name);

[[nodiscard]] bool higher_is_better(Metric metric);
// Whether `score` beats `best`; NaN beats nothing, and everything else beats NaN.
[[nodiscard]] bool is_better(Metric metric, double score, double best);

// Those that fit, in the order of the enumeration.
[[nodiscard]] std::vector<Metric> metrics_for(Task task);

// NaN where the metric is not defined: nothing is labelled, no question has both answers, or a prediction for a
// labelled entry, or the sum over them, is not finite. Throws Error: kUsage if the metric does not fit the task,
// kMismatch if the numbers of rows and columns do not belong together or a target is none of the values above.
[[nodiscard]] double score(Metric metric, Task task, int outputs, std::span<const double> predictions,
                           std::span<const double> targets, std::size_t graphs);

// The value of a metric.
struct Score {
  std::string name;
  double value = 0;
  bool operator==(const Score&) const = default;
};
using Scores = std::vector<Score>;

// Every metric that fits the task and is defined, in the order of metrics_for().
[[nodiscard]] Scores all_scores(Task task, int outputs, std::span<const double> predictions,
                                std::span<const double> targets, std::size_t graphs);
// The same of each target by itself, [outputs]; nothing for classes and where there is a single target, which
// all_scores() is about. TargetScores has its name.
struct TargetScores {
  std::string target;
  Scores scores;
  bool operator==(const TargetScores&) const = default;
};
[[nodiscard]] std::vector<TargetScores> scores_by_target(std::span<const std::string> names, Task task,
                                                         std::span<const double> predictions,
                                                         std::span<const double> targets, std::size_t graphs);
[[nodiscard]] std::vector<Scores> scores_by_target(Task task, int outputs, std::span<const double> predictions,
                                                   std::span<const double> targets, std::size_t graphs);

// NaN if it is not among them.
[[nodiscard]] double score_named(const Scores& scores, std::string_view name);

// How far a score might have come out otherwise, had other graphs of the same kind been tested: the bootstrap over
// graphs. The graphs are drawn anew with replacement, as many as there are, `samples` times; the interval holds the
// middle of what the metric then is. It says nothing of another training of the model.
struct Interval {
  std::string name;  // of the metric
  double low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};
struct Bootstrap {
  double coverage = 0;      // 0.95: of the middle
  std::size_t samples = 0;  // 0: the graphs are too many for it, or too few
  std::vector<Interval> intervals;
};
inline constexpr double kIntervalCoverage = 0.95;
// Of every metric that fits and is defined in nearly all samples. 1000 samples, fewer where there are more than
// 20,000 predictions, none where there are more than 100,000: the interval is narrow then. The same for the same rows
// and seed, on any machine.
[[nodiscard]] Bootstrap bootstrap_scores(Task task, int outputs, std::span<const double> predictions,
                                         std::span<const double> targets, std::size_t graphs, std::uint64_t seed = 0);

// Whether one model is better than another, judged by the same folds of both.
struct PairedTest {
  std::size_t folds = 0;  // that both have a value in
  double difference = 0;  // the mean over them; NaN without any
  double error = 0;       // of that mean, corrected; NaN with fewer than two
  double t = 0, p = 1;    // two-sided; p = 1 where nothing can be said
};

// The corrected resampled t-test (Nadeau and Bengio 2003). Training parts of different folds overlap, so that the J
// differences d[j] are not independent, and their variance divided by J is too small an estimate of the error. With
// m graphs tested and n learned from in a fold,
//
//   t = mean(d) / sqrt((1 / J + m / n) var(d)),   J - 1 degrees of freedom.
//
// Pairs in which either value is NaN are left out. Differences that are all the same, but not 0, have p = 0.
[[nodiscard]] PairedTest corrected_resampled_t(std::span<const double> a, std::span<const double> b,
                                               double tested_to_learned);

// Holm's correction: p-values of several comparisons, each enlarged so that the chance of a single false alarm among
// all of them stays below the level that they are compared with. In the order of the input.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

}  // namespace agentnet
