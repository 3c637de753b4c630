// From the scores of folds to a verdict, for a comparison of models (agentnet/compare.h).
#pragma once

#include "agentnet/compare.h"

namespace agentnet {

// Fills in best, to_best, p and verdict from the values.
void judge(Comparison& comparison, Metric metric);

}  // namespace agentnet
