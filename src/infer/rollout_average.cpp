#include "infer/rollout_average.h"

#include <algorithm>
#include <cmath>
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
      mean_(graphs * static_cast<std::size_t>(outputs)),
      squares_(mean_.size()),
      current_(mean_.size()) {}

void RolloutAverage::add(std::span<const float> raw) {
  if (raw.size() != mean_.size()) {
    throw Error(ErrorKind::kUsage,
                "a rollout has " + std::to_string(raw.size()) + " outputs where " + std::to_string(mean_.size()) +
                    " are expected",
                "give a row of outputs for each graph");
  }
  std::copy(raw.begin(), raw.end(), current_.begin());
  outputs_to_predictions(task_, outputs_, current_);
  ++rollouts_;
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    const double distance = current_[i] - mean_[i];
    mean_[i] += distance / rollouts_;
    squares_[i] += distance * (current_[i] - mean_[i]);
  }
}

std::vector<double> RolloutAverage::deviation() const {
  std::vector<double> deviation(mean_.size());
  if (rollouts_ < 2) return deviation;
  for (std::size_t i = 0; i < deviation.size(); ++i) deviation[i] = std::sqrt(squares_[i] / (rollouts_ - 1));
  return deviation;
}

}  // namespace agentnet
