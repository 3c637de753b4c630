// Settings that suit a set of graphs, as a starting point, and what training with them costs on this machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/settings.h"
#include "agentnet/train.h"
#include "data/tables/statistics.h"
#include "nets/kinds.h"

namespace agentnet {

struct Advice {
  NetworkConfig model;  // its shape is that of the data
  TrainConfig train;
  std::string split;            // as make_splits() reads it
  std::vector<Choice> reasons;  // of everything that the data decided
};

// How much training a set gets.
enum class Pace {
  kThorough,
  kQuick  // for a first number: a fifth of that
};

// Throws Error (kData) if there is nothing to learn: all targets are blank, or of one class.
void check_targets(const Dataset& data, const SetStatistics& statistics);

// Good results in minutes on a small machine, for a network of this kind. The data must have targets.
[[nodiscard]] Advice advise(const Dataset& data, const SetStatistics& statistics,
                            const NetworkKind& kind = builtin_kinds().at("agentnet"), Pace pace = Pace::kThorough);

// How many epochs suit a set of so many graphs, given batches and steps per epoch.
[[nodiscard]] std::uint64_t suggested_epochs(const TrainConfig& train, std::uint64_t graphs, Pace pace);
// Epochs between evaluations, so that a training of many short epochs is not looked at all the time.
[[nodiscard]] std::uint64_t suggested_interval(std::uint64_t epochs);

// The optimizer's steps if all of the data is trained on.
[[nodiscard]] std::uint64_t training_steps(const TrainConfig& config, std::uint64_t graphs);

// Runs a few training steps on graphs of the set and takes the fastest. The data must have targets.
[[nodiscard]] double measure_step_seconds(const Dataset& data, const Network<float>& network, const TrainConfig& train,
                                          int threads);

}  // namespace agentnet
