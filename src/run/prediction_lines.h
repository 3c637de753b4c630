// predictions.csv of a run: what the model says of the graphs that it was not trained on, beside what is true.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "agentnet/data.h"
#include "agentnet/predict.h"

namespace agentnet {

// The header line: row, id, part, then for each target its true value, the prediction and its deviation over rollouts;
// for classes the spelling of the likeliest and all probabilities.
[[nodiscard]] std::string prediction_header(const Schema& schema);
// A line per graph; `part` is "valid" or "test".
[[nodiscard]] std::string prediction_lines(const Dataset& data, std::span<const std::size_t> graphs,
                                           std::string_view part, const Predictions& predictions);

}  // namespace agentnet
