// Settings that suit a set of graphs, as a starting point, and what training with them costs on this machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "agentnet/config.h"
#include "agentnet/data.h"
#include "data/statistics.h"
#include "model/parameters.h"

namespace agentnet {

// Sets what the data decides in a config: feature columns and outputs. A categorical column gets one number more than
// it has values, for those that were never seen (apply_vocabulary in agentnet/data.h).
void fit_to_schema(ModelConfig& config, const Schema& schema);

// The embedding of a value that was never seen is zero: nothing is added to what the other columns say. Call this once
// on starting weights; training leaves rows alone that no graph uses.
void zero_unseen_categories(const ModelConfig& config, const ParameterLayout& layout, std::span<float> parameters);

struct Advice {
  std::string metric;  // "accuracy", "roc-auc" or "mae"
  ModelConfig model;
  int batch = 32;
  std::uint64_t epochs = 0, steps_per_epoch = 0;
  double learning_rate = 1e-4;
};

// After the authors' settings (SPEC section 5): k is the mean number of nodes; larger sets get larger models.
[[nodiscard]] Advice advise(const Dataset& data, const SetStatistics& statistics);

// Runs a few training steps on graphs of the set and takes the fastest. The data must have targets.
[[nodiscard]] double measure_step_seconds(const Dataset& data, const Advice& advice, int threads);

}  // namespace agentnet
