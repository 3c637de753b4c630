// Is a gradient the derivative of a loss? By central differences, entry by entry.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/parameters.h"

namespace agentnet {

using LossOfParameters = std::function<double(std::span<const double> parameters)>;

// Differences of `loss` at `at` in up to `entries` entries of every trainable tensor (all of a smaller one), chosen at
// random but always the same. A line for each entry whose gradient is wrong, with the name of its tensor.
[[nodiscard]] std::vector<std::string> gradient_errors(const ParameterLayout& layout, std::span<const double> at,
                                                       std::span<const double> gradient, std::size_t entries,
                                                       const LossOfParameters& loss);

// Trainable tensors without any gradient to speak of: those would be checked in vain.
[[nodiscard]] std::vector<std::string> silent_parameters(const ParameterLayout& layout,
                                                         std::span<const double> gradient);

}  // namespace agentnet
