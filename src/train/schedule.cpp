#include "train/schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>

#include "agentnet/error.h"
#include "core/text.h"

namespace agentnet {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<Stage> stages_of(const TrainConfig& config) {
  std::vector<Stage> stages;
  for (const std::string& entry : config.extended) {
    const std::string_view text = entry;
    const std::size_t slash = std::min(text.find('/'), text.size());
    const auto end = whole_number(text.substr(0, slash));
    const auto epochs = whole_number(text.substr(std::min(slash + 1, text.size())));
    const std::uint64_t before = stages.empty() ? 0 : stages.back().end;
    if (end && epochs && *end > before && *end <= *epochs && *end < config.epochs) {
      stages.push_back({*end, *epochs});
      continue;
    }
    throw Error(ErrorKind::kUsage,
                fmt::format("training option 'extended' has the entry {}, which is not as \"20/30\" is, does not come "
                            "after those before it, or is past the last of {} epochs",
                            in_quotes(entry), config.epochs),
                "leave it out: agentnet train --resume RUN --epochs N writes it");
  }
  stages.push_back({config.epochs, config.epochs});
  return stages;
}

double scheduled_rate(const TrainConfig& config, const std::vector<Stage>& stages, std::uint64_t epoch,
                      std::uint64_t step, std::uint64_t steps_per_epoch) {
  const auto stage = std::find_if(stages.begin(), stages.end(), [&](const Stage& s) { return epoch < s.end; });
  const std::uint64_t epochs = stage != stages.end() ? stage->epochs : config.epochs;
  const auto done = static_cast<double>(epoch * steps_per_epoch + step);
  double factor = 1;
  switch (config.schedule) {
    case Schedule::kQuarterCosine: {
      constexpr double kLeast = 1e-7;
      const double progress = static_cast<double>(epoch) / static_cast<double>(epochs);
      factor = std::max(kLeast, std::cos(std::numbers::pi / 2 * progress));
      break;
    }
    case Schedule::kCosine: {
      const auto all = static_cast<double>(epochs * steps_per_epoch);
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
