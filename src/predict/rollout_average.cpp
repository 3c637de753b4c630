#include "predict/rollout_average.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "agentnet/error.h"

namespace agentnet {
namespace {

void softmax(std::span<double> row) {
  const double largest = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double& value : row) sum += value = std::exp(value - largest);
  for (double& value : row) value /= sum;
}

// exp() of a negative number only: no overflow on either side.
double logistic(double value) {
  const double small = std::exp(-std::abs(value));
  return (value >= 0 ? 1 : small) / (1 + small);
}

}  // namespace

void outputs_to_predictions(Task task, int outputs, std::span<double> rows) {
  if (task == Task::kClassification) {
    const auto width = static_cast<std::size_t>(outputs);
    for (std::size_t at = 0; at + width <= rows.size(); at += width) softmax(rows.subspan(at, width));
  } else if (task == Task::kMultilabel) {
    for (double& value : rows) value = logistic(value);
  }
}

RolloutAverage::RolloutAverage(Task task, int outputs, std::size_t graphs)
    : task_(task),
      outputs_(outputs),
      rollouts_(graphs, 0),
      mean_(graphs * static_cast<std::size_t>(outputs)),
      squares_(mean_.size()) {}

void RolloutAverage::add(std::span<const float> raw) {
  std::vector<std::size_t> all(rollouts_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  add(raw, all);
}

void RolloutAverage::add(std::span<const float> raw, std::span<const std::size_t> graphs) {
  const auto width = static_cast<std::size_t>(outputs_);
  if (raw.size() != graphs.size() * width) {
    throw Error(ErrorKind::kUsage,
                "a rollout has " + std::to_string(raw.size()) + " outputs where " +
                    std::to_string(graphs.size() * width) + " are expected",
                "give a row of outputs for each graph");
  }
  current_.assign(raw.begin(), raw.end());
  outputs_to_predictions(task_, outputs_, current_);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const int rollouts = ++rollouts_[graphs[i]];
    for (std::size_t c = 0; c < width; ++c) {
      const std::size_t at = graphs[i] * width + c;
      const double value = current_[i * width + c];
      const double distance = value - mean_[at];
      mean_[at] += distance / rollouts;
      squares_[at] += distance * (value - mean_[at]);
    }
  }
}

std::vector<double> RolloutAverage::walk_spread() const {
  const auto width = static_cast<std::size_t>(outputs_);
  std::vector<double> walk_spread(mean_.size());
  for (std::size_t i = 0; i < walk_spread.size(); ++i) {
    const int rollouts = rollouts_[i / width];
    if (rollouts > 1) walk_spread[i] = std::sqrt(squares_[i] / (rollouts - 1));
  }
  return walk_spread;
}

}  // namespace agentnet
