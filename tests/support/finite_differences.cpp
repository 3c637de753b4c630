#include "support/finite_differences.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <utility>

#include "core/random.h"

namespace agentnet {
namespace {

double largest(std::span<const double> values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

// A number of entries of a tensor, all if it has no more.
std::vector<std::size_t> some_entries(const Parameter& p, std::size_t entries, RandomSequence& random) {
  std::vector<std::size_t> all(p.size);
  std::iota(all.begin(), all.end(), p.offset);
  random.shuffle(all);
  all.resize(std::min(entries, all.size()));
  return all;
}

// Entries of the buffer, and how far to go in each.
using Direction = std::vector<std::pair<std::size_t, double>>;

// Empty if the gradient gives the slope of the loss in a direction.
std::string slope_error(std::span<const double> at, std::span<const double> gradient, const Direction& direction,
                        double allowed, const LossOfParameters& loss) {
  double expected = 0;
  for (const auto& [i, length] : direction) expected += gradient[i] * length;
  const auto loss_at = [&](double distance) {
    std::vector<double> x(at.begin(), at.end());
    for (const auto& [i, length] : direction) x[i] += distance * length;
    return loss(x);
  };
  // A kink of a LeakyReLU or of the max may lie within the long step, hardly within the short ones too.
  double found = 0;
  for (const double step : {1e-5, 1e-6, 1e-7}) {
    found = (loss_at(step) - loss_at(-step)) / (2 * step);
    const double reach = std::sqrt(static_cast<double>(direction.size()));
    if (std::abs(found - expected) <= allowed * reach) return {};
  }
  std::ostringstream text;
  text << "gradient " << expected << ", difference " << found;
  return text.str();
}

}  // namespace

std::vector<std::string> gradient_errors(const ParameterLayout& layout, std::span<const double> at,
                                         std::span<const double> gradient, std::size_t entries,
                                         const LossOfParameters& loss) {
  RandomSequence random(1, Purpose::kTest, 8);
  std::vector<std::string> errors;
  for (const Parameter& p : layout.all()) {
    if (!p.trainable) continue;
    const double size = largest(gradient.subspan(p.offset, p.size));
    Direction direction;
    for (std::size_t i = 0; i < p.size; ++i) direction.push_back({p.offset + i, random.normal()});
    std::vector<std::pair<std::string, Direction>> directions = {{" along a random direction", direction}};
    for (const std::size_t i : some_entries(p, entries, random)) {
      directions.push_back({"[" + std::to_string(i - p.offset) + "]", {{i, 1.0}}});
    }
    for (const auto& [where, d] : directions) {
      const std::string error = slope_error(at, gradient, d, 1e-6 * size + 2e-9, loss);
      if (!error.empty()) errors.push_back(p.name + where + ": " + error);
    }
  }
  return errors;
}

std::vector<std::string> silent_parameters(const ParameterLayout& layout, std::span<const double> gradient) {
  std::vector<std::string> names;
  for (const Parameter& p : layout.all()) {
    if (p.trainable && largest(gradient.subspan(p.offset, p.size)) < 1e-12) names.push_back(p.name);
  }
  return names;
}

}  // namespace agentnet
