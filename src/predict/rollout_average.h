// The outputs of several rollouts, made into one prediction per graph.
//
//   RolloutAverage average(task, outputs, graphs);
//   for (r = 0 .. R-1) average.add(raw outputs of rollout r);
//   average.mean(), average.walk_spread()
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

// What raw outputs mean, in place, row by row: softmax for classes, the logistic function for yes/no questions; numbers
// stay as they are, since a regression model's last layer answers in the units of the training data.
void outputs_to_predictions(Task task, int outputs, std::span<double> rows);

// Welford's mean and variance in double. Sums depend on the order of rollouts: add them in the order of their numbers.
class RolloutAverage {
 public:
  RolloutAverage(Task task, int outputs, std::size_t graphs);

  // The raw outputs [graphs, outputs] of one more rollout of all graphs, or of these. Throws Error (kUsage) for another
  // number of values.
  void add(std::span<const float> raw);
  void add(std::span<const float> raw, std::span<const std::size_t> graphs);

  [[nodiscard]] const std::vector<int>& rollouts() const { return rollouts_; }  // of each graph
  // [added graphs, outputs] what the last rollout alone predicts.
  [[nodiscard]] const std::vector<double>& last() const { return current_; }
  // [graphs, outputs] probabilities or numbers; zeros before the first rollout.
  [[nodiscard]] const std::vector<double>& mean() const { return mean_; }
  // [graphs, outputs] standard deviation over rollouts (n - 1); zero for one rollout.
  [[nodiscard]] std::vector<double> walk_spread() const;

 private:
  Task task_;
  int outputs_;
  std::vector<int> rollouts_;
  std::vector<double> mean_, squares_;  // squares_: sums of squared distances from the mean
  std::vector<double> current_;
};

}  // namespace agentnet
