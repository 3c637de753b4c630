#include "predict/not_finite.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace agentnet {

std::vector<std::size_t> not_finite(const Predictions& predictions) {
  std::vector<std::size_t> graphs;
  const auto width = static_cast<std::size_t>(predictions.outputs);
  const auto finite = [&](const std::vector<double>& values, std::size_t g) {
    const auto row = std::span(values).subspan(g * width, width);
    return std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); });
  };
  for (std::size_t g = 0; (g + 1) * width <= predictions.mean.size() && width > 0; ++g) {
    if (!finite(predictions.mean, g) || !finite(predictions.walk_spread, g)) graphs.push_back(g);
  }
  return graphs;
}

std::string not_finite_text(std::size_t count, std::size_t graphs) {
  return fmt::format("{} for {} of {} {}", kNotFinite, count, graphs, graphs == 1 ? "graph" : "graphs");
}

}  // namespace agentnet
