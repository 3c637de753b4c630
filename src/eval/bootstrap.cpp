#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "agentnet/metrics.h"
#include "core/random.h"

namespace agentnet {
namespace {

constexpr std::size_t kMostSamples = 1000;
constexpr std::size_t kFewestSamples = 200;    // that the ends of an interval can be told by
constexpr std::size_t kMostWork = 20'000'000;  // predictions, over all samples
constexpr double kDefinedIn = 0.9;             // of the samples

// What lies at this share of sorted values, between two of them if need be.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

}  // namespace

Bootstrap bootstrap_scores(Task task, int outputs, std::span<const double> predictions, std::span<const double> targets,
                           std::size_t graphs, std::uint64_t seed) {
  Bootstrap found;
  found.coverage = kIntervalCoverage;
  const Scores whole = all_scores(task, outputs, predictions, targets, graphs);
  if (whole.empty() || graphs < 2 || predictions.size() > kMostWork / kFewestSamples) return found;
  const auto width = static_cast<std::size_t>(outputs);
  const std::size_t target_width = targets.size() / graphs;
  found.samples = std::min(kMostSamples, kMostWork / predictions.size());

  std::vector<std::vector<double>> values(whole.size());
  std::vector<double> drawn_predictions(predictions.size()), drawn_targets(targets.size());
  RandomSequence random(seed, Purpose::kTest);
  for (std::size_t sample = 0; sample < found.samples; ++sample) {
    for (std::size_t i = 0; i < graphs; ++i) {
      const auto g = static_cast<std::size_t>(random.below(graphs));
      std::copy_n(predictions.begin() + static_cast<std::ptrdiff_t>(g * width), width,
                  drawn_predictions.begin() + static_cast<std::ptrdiff_t>(i * width));
      std::copy_n(targets.begin() + static_cast<std::ptrdiff_t>(g * target_width), target_width,
                  drawn_targets.begin() + static_cast<std::ptrdiff_t>(i * target_width));
    }
    const Scores scores = all_scores(task, outputs, drawn_predictions, drawn_targets, graphs);
    for (std::size_t m = 0; m < whole.size(); ++m) {
      const double value = score_named(scores, whole[m].name);
      if (!std::isnan(value)) values[m].push_back(value);
    }
  }
  const double tail = (1 - found.coverage) / 2;
  for (std::size_t m = 0; m < whole.size(); ++m) {
    std::vector<double>& all = values[m];
    if (static_cast<double>(all.size()) < kDefinedIn * static_cast<double>(found.samples)) continue;
    std::sort(all.begin(), all.end());
    found.intervals.push_back({whole[m].name, quantile(all, tail), quantile(all, 1 - tail)});
  }
  return found;
}

}  // namespace agentnet
