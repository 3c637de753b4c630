// What a prediction cost, for --stats.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/predict.h"
#include "commands.h"

namespace agentnet {

class RunStatistics {
 public:
  // The time since the last phase ended goes to this one.
  void end_phase(const std::string& name);
  void add(std::span<const GraphView> graphs, const Predictions& predictions);
  // On the error stream, as lines or as a JSON object.
  void print(const Console& console, bool json) const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::vector<std::pair<std::string, double>> phases_;  // seconds
  std::uint64_t rollouts_ = 0;
  double nodes_ = 0, edges_ = 0;  // there are, counted once for each rollout
  RunWork work_;
};

}  // namespace agentnet
