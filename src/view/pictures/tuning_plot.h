// The picture of a search: every trial's score from rung to rung, and below it how the settings that matter do.
#pragma once

#include <string>

#include "agentnet/tune.h"

namespace agentnet {

// Of one search of the result.
[[nodiscard]] std::string tuning_svg(const TuneResult& result, std::size_t search);

}  // namespace agentnet
