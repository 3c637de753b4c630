#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace agentnet {

double scheduled_rate(const TrainConfig& config, std::uint64_t epoch, std::uint64_t step,
                      std::uint64_t steps_per_epoch) {
  const auto done = static_cast<double>(epoch * steps_per_epoch + step);
  double factor = 1;
  switch (config.schedule) {
    case Schedule::kQuarterCosine: {
      constexpr double kLeast = 1e-7;
      const double progress = static_cast<double>(epoch) / static_cast<double>(config.epochs);
      factor = std::max(kLeast, std::cos(std::numbers::pi / 2 * progress));
      break;
    }
    case Schedule::kCosine: {
      const auto all = static_cast<double>(config.epochs * steps_per_epoch);
      factor = (1 + std::cos(std::numbers::pi * done / all)) / 2;
      break;
    }
    case Schedule::kConstant:
    case Schedule::kPlateau:
      break;
  }
  if (done < static_cast<double>(config.warmup)) factor *= (done + 1) / static_cast<double>(config.warmup);
  return config.learning_rate * factor;
}

}  // namespace agentnet
