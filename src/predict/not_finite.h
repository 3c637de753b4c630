// Predictions that are none: a model whose sums overflow gives infinities and NaN.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "agentnet/predict.h"

namespace agentnet {

// What is said of such a row, wherever rows have a status.
inline constexpr const char* kNotFinite = "the model's output is not a finite number";

// Graphs, by their place in the predictions, for which a mean or a spread is not finite; ascending.
[[nodiscard]] std::vector<std::size_t> not_finite(const Predictions& predictions);

// "the model's output is not a finite number for 3 of 7 graphs", for messages.
[[nodiscard]] std::string not_finite_text(std::size_t count, std::size_t graphs);

}  // namespace agentnet
