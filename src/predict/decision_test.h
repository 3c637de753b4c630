// When enough rollouts have been run: a sequential test of the decision that their mean leads to.
//
// Rollouts of a graph are independent draws of probabilities, and the decision is the class whose expected probability
// is the largest (for a yes/no question: whether it is above one half). Against each other answer we bet on the present
// leader: with the stake l, capital is multiplied by 1 + l d after a rollout in which the leader's probability was
// ahead by d. If the leader were not truly ahead, capital could not be expected to grow, and by Ville's inequality it
// would ever reach F with probability at most 1 / F. So the decision is settled when the capital, the mean over a few
// stakes, has reached (number of other answers) / (1 - confidence) against each of them. One may look after every
// rollout; a settled decision is wrong, in the sense that endlessly many rollouts would lead to another one, with
// probability at most 1 - confidence.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

class DecisionTest {
 public:
  // For classes or yes/no questions. Throws Error (kUsage) for numbers, about which there is no decision, and for a
  // confidence that is not between 0 and 1.
  DecisionTest(Task task, int outputs, double confidence);

  // The probabilities of one more rollout.
  void add(std::span<const double> probabilities);

  [[nodiscard]] bool settled() const { return settled_; }

 private:
  static constexpr std::array kStakes = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99};
  using Capital = std::array<double, kStakes.size()>;  // logarithms, one for each stake

  [[nodiscard]] std::vector<char> leaders() const;
  void bet(std::span<const double> probabilities);
  [[nodiscard]] bool all_reached() const;

  Task task_;
  std::size_t outputs_;
  double goal_;                   // of the capital; its logarithm
  std::vector<double> history_;   // [rollouts, outputs]
  std::vector<double> sums_;      // [outputs]
  std::vector<char> leaders_;     // [outputs] whether the output leads (classes), or whether the answer is yes
  std::vector<Capital> capital_;  // [outputs] against the output (classes), or against the other answer to the question
  bool settled_ = false;
};

}  // namespace agentnet
