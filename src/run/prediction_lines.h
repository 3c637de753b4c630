// predictions.csv of a run: what the model says of the graphs that it was not trained on, beside what is true.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "agentnet/data.h"
#include "agentnet/predict.h"
#include "data/syntax/csv.h"

namespace agentnet {

// The header line: row, id, part, then for each target its true value, the prediction and its spread over rollouts;
// for classes the spelling of the likeliest and all probabilities. What is not a finite number is left blank.
[[nodiscard]] std::string prediction_header(const Schema& schema, CsvFor reader = CsvFor::kPrograms);
// A line per graph; `part` is "valid" or "test".
[[nodiscard]] std::string prediction_lines(const Dataset& data, std::span<const std::size_t> graphs,
                                           std::string_view part, const Predictions& predictions,
                                           CsvFor reader = CsvFor::kPrograms);

}  // namespace agentnet
