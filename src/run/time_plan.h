// How much training fits into a time, so that the schedule of the learning rate ends with it.
//
// What fits is decided once, before the first step, from the measured speed, and becomes part of the run's settings
// (train.epochs, and for large sets train.steps_per_epoch): with these, the result is the same on any machine and after
// any interruption, however fast it is.
#pragma once

#include <string>

#include "agentnet/settings.h"
#include "run/run.h"

namespace agentnet {

// Runs a few steps and predictions on a network that is thrown away, for at most a twentieth of the time.
[[nodiscard]] Speed measure_speed(const Settings& settings, const Dataset& data, const Split& split,
                                  const RunControl& control, const RunSeams& seams);

// What is kept of the time for the test and for what comes after it (tables, the page).
[[nodiscard]] double kept_for_the_end(const Speed& speed, double max_seconds);

// The same training, or a shorter one of as many epochs as fit into `seconds`; where not even a few do, an epoch is a
// part of a pass. `graphs` are those of the training part.
[[nodiscard]] TrainConfig fit_to_time(const TrainConfig& train, std::size_t graphs, const Speed& speed, double seconds);

}  // namespace agentnet
