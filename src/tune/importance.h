// Which settings of a search mattered.
#pragma once

#include <span>
#include <vector>

#include "agentnet/tune.h"

namespace agentnet {

// Of every setting that trials differ in, among the trials that have it. Scores are those of the first rung, of models
// that are fitted as a whole the only one; trials that could not be trained are the worst.
[[nodiscard]] std::vector<SettingImportance> importance_of(const std::vector<TrialResult>& trials, const TunePlan& plan,
                                                           Metric metric);

}  // namespace agentnet
