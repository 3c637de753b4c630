// What the data decides of a model and of its starting weights (fit_to_schema itself is in agentnet/train.h).
#pragma once

#include <span>

#include "agentnet/train.h"
#include "nets/agentnet/parameters.h"

namespace agentnet {

// The embedding of a value that was never seen is zero: nothing is added to what the other columns say. Call this once
// on starting weights; training leaves rows alone that no graph uses.
void zero_unseen_categories(const ModelConfig& config, const ParameterLayout& layout, std::span<float> parameters);

}  // namespace agentnet
