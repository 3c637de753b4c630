// Is a gradient the derivative of a loss? By central differences.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "nets/agentnet/parameters.h"

namespace agentnet {

using LossOfParameters = std::function<double(std::span<const double> parameters)>;

// Differences of `loss` at `at`, for every trainable tensor: along a random direction, in which an error of any entry
// shows, and in up to `entries` single entries (all of a smaller tensor). Chosen at random, but always the same. A line
// for each that is wrong, with the name of the tensor.
[[nodiscard]] std::vector<std::string> gradient_errors(const ParameterLayout& layout, std::span<const double> at,
                                                       std::span<const double> gradient, std::size_t entries,
                                                       const LossOfParameters& loss);

// Trainable tensors without any gradient to speak of: those would be checked in vain.
[[nodiscard]] std::vector<std::string> silent_parameters(const ParameterLayout& layout,
                                                         std::span<const double> gradient);

}  // namespace agentnet
