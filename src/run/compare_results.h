// What a comparison of models has come to: a table, and a verdict in words that claims no more than the test supports.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "agentnet/metrics.h"
#include "eval/resampled_t.h"
#include "run/cv_results.h"

namespace agentnet {

struct ComparisonRow {
  std::string name;            // of the kind; "majority class" and "without edges" come along
  std::string description;     // of the model
  std::vector<double> values;  // of the metric, by seed and fold
  FoldStatistics statistics;   // of them
  PairedTest to_best;          // this model less the best one
  double p = 1;                // of that test, corrected for the number of comparisons (Holm)
  double parameters = 0;       // mean over folds; 0 where there are none to speak of
  double train_seconds = 0;    // of a fold, mean
  double predict_seconds = 0;  // of a graph, one thread
  double memory = 0;           // bytes, the most that the process had while this model was trained
  std::string note;
};

struct Comparison {
  bool interrupted = false;
  std::size_t done = 0, of = 0;  // cross-validations
  std::string metric;
  std::string folds_in_words, protocol;
  std::size_t seeds = 1;
  double tested_to_learned = 0;  // graphs, in a fold
  std::size_t best = 0;          // of rows
  std::vector<ComparisonRow> rows;
  std::string verdict;
};

// A difference counts if its corrected p is below this.
inline constexpr double kSignificant = 0.05;

// Fills in best, to_best, p and verdict from the values.
void judge(Comparison& comparison, Metric metric);

[[nodiscard]] std::string comparison_json(const Comparison& comparison);
[[nodiscard]] std::string comparison_csv(const Comparison& comparison);

}  // namespace agentnet
