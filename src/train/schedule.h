// The learning rate over time.
#pragma once

#include <cstdint>

#include "agentnet/train.h"

namespace agentnet {

// The rate of step `step` (of `steps_per_epoch`, from 0) of epoch `epoch` (from 0), before plateaus and retries lower
// it.
//   quarter cosine   rate * cos(pi/2 * epoch / epochs), at least 1e-7 of it: the authors' schedule, epoch by epoch
//   cosine           rate * (1 + cos(pi * progress)) / 2, step by step
// During the first `warmup` steps this is multiplied by a factor that rises linearly to 1.
[[nodiscard]] double scheduled_rate(const TrainConfig& config, std::uint64_t epoch, std::uint64_t step,
                                    std::uint64_t steps_per_epoch);

}  // namespace agentnet
