// Which graphs make up each batch: a pure function of the seed and the step, so that a resumed run goes on as if it had
// never stopped.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agentnet/train.h"

namespace agentnet {

class Sampler {
 public:
  // `graphs` are the numbers of the training graphs; at least one. `classes` of each are needed for balanced batches.
  Sampler(std::vector<std::size_t> graphs, const TrainConfig& config, std::span<const std::size_t> classes = {});

  [[nodiscard]] std::uint64_t steps_per_epoch() const { return steps_per_epoch_; }
  // The batch of step `step` of epoch `epoch`, both from 0. Valid until the next call.
  [[nodiscard]] std::span<const std::size_t> batch(std::uint64_t epoch, std::uint64_t step);

 private:
  void draw(std::uint64_t epoch, std::uint64_t step);
  void draw_balanced(std::uint64_t epoch, std::uint64_t step);
  // Appends graphs from, to - 1 of the endless row of shuffled passes.
  void take(std::uint64_t from, std::uint64_t to);

  std::vector<std::size_t> graphs_;
  std::vector<std::vector<std::size_t>> graphs_of_class_;  // without empty classes
  std::uint64_t seed_, batch_, steps_per_epoch_;
  Sampling sampling_;
  bool whole_passes_;  // an epoch is a pass, whose last batch may be smaller

  std::vector<std::size_t> shuffled_;
  std::uint64_t pass_ = ~std::uint64_t{0};  // that shuffled_ belongs to
  std::vector<std::size_t> chosen_;
};

}  // namespace agentnet
