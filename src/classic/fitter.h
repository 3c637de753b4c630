// How a classical model is fitted: to the training part as a whole, instead of by steps of an optimizer. What comes out
// is a Network with its weights, so that model files, predictions, runs and pages know one kind of thing; only training
// asks NetworkKind::fitter which way it goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/metrics.h"
#include "core/thread_pool.h"
#include "nn/network.h"

namespace agentnet {

struct FitTask {
  const Dataset& data;
  std::span<const std::size_t> train;  // the graphs to learn from; nothing else is looked at
  Metric metric = Metric::kAccuracy;   // that options are chosen by, inside of these graphs
  bool balanced = false;               // a class weighs as much as any other, however rare
  std::uint64_t seed = 0;
  ThreadPool& pool;                        // the result does not depend on its size
  std::function<bool()> should_stop = {};  // asked now and then; true ends the fit with Error (kInterrupted)
};

struct Fitted {
  std::shared_ptr<const Network<float>> network;  // its config says what the fit has decided
  std::vector<float> parameters, buffers;
  std::vector<std::string> notes;  // lines for people: what was chosen, and by what
};

struct Fitter {
  // Throws Error: kUsage for options that make no sense, or for a library that this build was made without.
  Fitted (*fit)(const NetworkConfig& config, const FitTask& task);
};

}  // namespace agentnet
