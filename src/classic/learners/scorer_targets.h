// What the scores of a classical model (classic/scored_network.h) learn, and folds inside of the training part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/metrics.h"
#include "classic/learners/linear_model.h"

namespace agentnet {

// For each score the rows (places in `graphs`) whose target is known, and the target: 1 or 0 for "is it this class, is
// the answer yes", for numbers the deviation from the mean in units of the spread.
struct ScorerTargets {
  Task task = Task::kNone;
  std::size_t outputs = 0;           // C
  std::vector<Labelled> of;          // [S]
  std::vector<double> scale, shift;  // [S] back to the units of the data
  std::vector<double> rows;          // [graphs, targets of the data] as metrics take them
  std::size_t graphs = 0;

  // The targets of score `s` for some of the rows only; those keep their numbers.
  [[nodiscard]] Labelled only(std::size_t s, std::span<const char> kept) const;
};

// Throws Error: kUsage for data without targets, kMismatch for labels that are none of the schema's.
[[nodiscard]] ScorerTargets scorer_targets(const Dataset& data, std::span<const std::size_t> graphs);

// Deals rows into `folds` parts of nearly the same size, each class by itself where there are classes: [rows] the part
// of each.
[[nodiscard]] std::vector<int> inner_folds(const ScorerTargets& targets, int folds, std::uint64_t seed);

// The metric of scores z [rows, S], which were made for rows that they did not learn from.
[[nodiscard]] double score_rows(const ScorerTargets& targets, Metric metric, std::span<const double> z);

// How a yes or no weighs in its own loss: 1, or so that both answers weigh the same in all.
struct AnswerWeights {
  double no = 1, yes = 1;
};
[[nodiscard]] AnswerWeights answer_weights(const Labelled& labelled, bool balanced);

// ln(yes / no) of the answers, half of one added to each; 0 where nothing is known.
[[nodiscard]] double log_odds(const Labelled& labelled);
[[nodiscard]] bool has_both_answers(const Labelled& labelled);

// Slope and shift of the sigmoid that makes scores into probabilities (Platt 1999), fitted to scores of rows that were
// not learned from; (1, 0) where there is nothing to fit.
struct Sigmoid {
  double slope = 1, shift = 0;
};
[[nodiscard]] Sigmoid fit_sigmoid(std::span<const double> scores, std::span<const double> answers,
                                  AnswerWeights weights = {});

}  // namespace agentnet
