#include "run/ending_notes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace agentnet {
namespace {

constexpr std::size_t kFewestEpochs = 4;  // less is no curve
constexpr double kShare = 0.05;           // of the whole fall
constexpr double kLeast = 0.01;           // of the loss: less may be noise

double mean_loss(const std::vector<EpochRecord>& history, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t e = first; e < last; ++e) sum += history[e].loss;
  return sum / static_cast<double>(last - first);
}

}  // namespace

bool still_falling(const std::vector<EpochRecord>& history, std::uint64_t best_epoch) {
  const std::size_t epochs = history.size();
  if (epochs < kFewestEpochs) return false;
  const std::size_t quarter = epochs / 4;
  const double before = mean_loss(history, epochs - 2 * quarter, epochs - quarter);
  const double last = mean_loss(history, epochs - quarter, epochs);
  if (!(before - last > kShare * (history.front().loss - last)) || !(before - last > kLeast * std::abs(last))) {
    return false;
  }
  const bool evaluated =
      std::any_of(history.begin(), history.end(), [](const auto& e) { return e.metric.has_value(); });
  return !evaluated || best_epoch > epochs - 2 * quarter;
}

std::vector<std::string> ending_notes(const RunResult& result, const std::filesystem::path& folder,
                                      std::uint64_t epochs) {
  std::vector<std::string> notes;
  const std::string more = fmt::format("agentnet train --resume {} --epochs {}", folder.string(), 2 * epochs);
  if (!result.left_chance && !result.history.empty()) {
    const auto least = std::min_element(result.history.begin(), result.history.end(),
                                        [](const auto& a, const auto& b) { return a.loss < b.loss; });
    notes.push_back(fmt::format(
        "the training has not left chance: its loss was {:.4f} at best, and the best answer that is the same "
        "for all graphs has {:.4f}; more epochs ({}) or a higher rate may help; see docs/settings.md, "
        "\"A plateau at chance\"",
        least->loss, result.chance_loss, more));
  } else if (result.still_falling) {
    notes.push_back(fmt::format("the loss was still falling at the end: more epochs may help: {}", more));
  }
  return notes;
}

}  // namespace agentnet
