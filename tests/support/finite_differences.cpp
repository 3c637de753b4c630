#include "support/finite_differences.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

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

}  // namespace

std::vector<std::string> gradient_errors(const ParameterLayout& layout, std::span<const double> at,
                                         std::span<const double> gradient, std::size_t entries,
                                         const LossOfParameters& loss) {
  RandomSequence random(1, Purpose::kTest, 8);
  std::vector<double> x(at.begin(), at.end());
  const auto difference = [&](std::size_t i, double step) {
    const double here = x[i];
    x[i] = here + step;
    const double above = loss(x);
    x[i] = here - step;
    const double below = loss(x);
    x[i] = here;
    return (above - below) / (2 * step);
  };

  std::vector<std::string> errors;
  for (const Parameter& p : layout.all()) {
    if (!p.trainable) continue;
    const double allowed = 1e-6 * largest(gradient.subspan(p.offset, p.size)) + 2e-9;
    for (const std::size_t i : some_entries(p, entries, random)) {
      // A kink of a LeakyReLU or of the max may lie within the long step, hardly within the short ones too.
      double found = 0;
      bool right = false;
      for (const double step : {1e-5, 1e-6, 1e-7}) {
        found = difference(i, step);
        right = right || std::abs(found - gradient[i]) <= allowed;
        if (right) break;
      }
      if (right) continue;
      std::ostringstream text;
      text << p.name << "[" << i - p.offset << "]: gradient " << gradient[i] << ", difference " << found;
      errors.push_back(text.str());
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
