// The picture of a comparison: a line per model with its folds as dots, the mean and two standard errors.
#pragma once

#include <string>

#include "agentnet/compare.h"

namespace agentnet {

[[nodiscard]] std::string comparison_svg(const Comparison& comparison);

}  // namespace agentnet
