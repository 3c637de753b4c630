// The learning rate over time.
#pragma once

#include <cstdint>
#include <vector>

#include "agentnet/train.h"

namespace agentnet {

// A stretch of a training with a schedule of its own: from the end of the stage before to epoch `end`, as part of a
// schedule of `epochs` epochs that began with the first.
struct Stage {
  std::uint64_t end = 0, epochs = 0;
};

// TrainConfig::extended, and last the stage that the training ends with. Throws Error (kUsage) for entries that are not
// like "20/30", do not ascend, or are past the last epoch.
[[nodiscard]] std::vector<Stage> stages_of(const TrainConfig& config);

// The rate of step `step` (of `steps_per_epoch`, from 0) of epoch `epoch` (from 0), before plateaus and retries lower
// it.
//   quarter cosine   rate * cos(pi/2 * epoch / epochs), at least 1e-7 of it: the authors' schedule, epoch by epoch
//   cosine           rate * (1 + cos(pi * progress)) / 2, step by step
// During the first `warmup` steps this is multiplied by a factor that rises linearly to 1. The number of epochs is that
// of the stage.
[[nodiscard]] double scheduled_rate(const TrainConfig& config, const std::vector<Stage>& stages, std::uint64_t epoch,
                                    std::uint64_t step, std::uint64_t steps_per_epoch);

}  // namespace agentnet
