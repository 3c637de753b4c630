#include "predict/decision_test.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "agentnet/error.h"

namespace agentnet {

DecisionTest::DecisionTest(Task task, int outputs, double confidence)
    : task_(task), outputs_(static_cast<std::size_t>(outputs)), sums_(outputs_, 0), capital_(outputs_) {
  if (task != Task::kClassification && task != Task::kMultilabel) {
    throw Error(ErrorKind::kUsage, "the model predicts numbers: there is no decision to be confident of",
                "choose the number of rollouts with --rollouts instead");
  }
  if (!(confidence > 0 && confidence < 1)) {
    throw Error(ErrorKind::kUsage, fmt::format("a confidence of {} is not between 0 and 1", confidence),
                "0.99 is a good choice");
  }
  const std::size_t others = task == Task::kClassification ? std::max<std::size_t>(outputs_, 2) - 1 : outputs_;
  goal_ = std::log(static_cast<double>(others) / (1 - confidence));
  settled_ = task == Task::kClassification && outputs_ < 2;
}

void DecisionTest::add(std::span<const double> probabilities) {
  history_.insert(history_.end(), probabilities.begin(), probabilities.end());
  for (std::size_t c = 0; c < outputs_; ++c) sums_[c] += probabilities[c];
  if (std::vector<char> now = leaders(); now != leaders_) {  // bet on the new leader, as if we had from the start
    leaders_ = std::move(now);
    std::fill(capital_.begin(), capital_.end(), Capital{});
    for (std::size_t at = 0; at < history_.size(); at += outputs_) bet(std::span(history_).subspan(at, outputs_));
  } else {
    bet(probabilities);
  }
  settled_ = settled_ || all_reached();
}

std::vector<char> DecisionTest::leaders() const {
  std::vector<char> lead(outputs_, 0);
  if (task_ == Task::kClassification) {
    lead[static_cast<std::size_t>(std::max_element(sums_.begin(), sums_.end()) - sums_.begin())] = 1;
  } else {
    const double half = static_cast<double>(history_.size() / outputs_) / 2;
    for (std::size_t c = 0; c < outputs_; ++c) lead[c] = sums_[c] > half ? 1 : 0;
  }
  return lead;
}

void DecisionTest::bet(std::span<const double> probabilities) {
  double leader = 0;
  for (std::size_t c = 0; c < outputs_; ++c) leader = leaders_[c] != 0 ? probabilities[c] : leader;
  for (std::size_t c = 0; c < outputs_; ++c) {
    double ahead = leader - probabilities[c];
    if (task_ == Task::kMultilabel) ahead = (2 * probabilities[c] - 1) * (leaders_[c] != 0 ? 1 : -1);
    for (std::size_t s = 0; s < kStakes.size(); ++s) capital_[c][s] += std::log1p(kStakes[s] * ahead);
  }
}

bool DecisionTest::all_reached() const {
  for (std::size_t c = 0; c < outputs_; ++c) {
    if (task_ == Task::kClassification && leaders_[c] != 0) continue;
    const double largest = *std::max_element(capital_[c].begin(), capital_[c].end());
    double sum = 0;
    for (const double logarithm : capital_[c]) sum += std::exp(logarithm - largest);
    if (largest + std::log(sum / static_cast<double>(kStakes.size())) < goal_) return false;
  }
  return true;
}

}  // namespace agentnet
