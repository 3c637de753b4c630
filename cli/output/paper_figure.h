// The paper's diagrams, drawn from the runs in a folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paper/results.h"

namespace agentnet {

// An SVG picture of figure "2a", "2d", "4" or "5", of what was run. Throws Error (kUsage) for another name, and kData
// where nothing of it was run.
[[nodiscard]] std::string paper_figure_svg(std::string_view name, const std::vector<ExperimentResult>& results);

}  // namespace agentnet
