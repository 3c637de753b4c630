// What a request asks for besides its rows: which model, and how it is run.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentnet/explain.h"
#include "agentnet/predict.h"
#include "serve/options.h"

namespace agentnet {

struct Asked {
  std::string model;  // empty: the first
  PredictOptions predicting;
  ExplainOptions explaining;
  std::string about;  // the output that influence is about; empty: the predicted one
};

using AskedFields = std::vector<std::pair<std::string, std::string>>;

// Of rollouts, seed, greedy, draws, max_neighbours, confidence and model; with `explain` also recorded, leave_one_out
// and about. Throws Problem (400) for any other name, for a value that is none, and for more than the server allows.
[[nodiscard]] Asked asked_of(const AskedFields& fields, const ServeOptions& options, bool explain);

}  // namespace agentnet
