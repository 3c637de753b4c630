// How wrong predictions are, graph by graph; web/src/stats.ts sorts its list by the same rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

// Predictions beside what is true, laid out as train/metrics.h says; `targets` may be empty: nothing is known.
struct Answers {
  Task task = Task::kNone;
  int outputs = 0;
  std::span<const double> mean;     // [G, C]
  std::span<const double> targets;  // [G] for classes, else [G, C]; NaN: blank

  [[nodiscard]] std::size_t graphs() const { return mean.size() / static_cast<std::size_t>(outputs); }
};

// One number per graph, NaN where nothing is known. Classes and questions: above 0 wrong, 1 sure of the wrong answer,
// -1 of the right one. Numbers: the mean error in units of the spread of each target.
[[nodiscard]] std::vector<double> how_wrong(const Answers& answers);

// At most `most` graphs worth a closer look, the most telling first: the worst, up to half of them, then an even choice
// of the rest from the worst to the best. Without targets, an even choice of all.
[[nodiscard]] std::vector<std::size_t> graphs_to_explain(const Answers& answers, std::size_t most);

// [C, C] counts of labelled graphs, true class by predicted class. Classes only.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> confusion_matrix(const Answers& answers);

struct CalibrationBin {
  double confidence = 0;  // mean, of the answers in this bin
  double accuracy = 0;    // share of right ones
  std::uint64_t count = 0;
};

// The bins of Metric::kCalibrationError that hold something, by confidence. Classes and questions only.
[[nodiscard]] std::vector<CalibrationBin> calibration_bins(const Answers& answers);

}  // namespace agentnet
