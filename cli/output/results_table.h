// Scores as a table: one row per model or baseline, one column per metric.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "run/rivals.h"
#include "run/run.h"

namespace agentnet {

// Metrics that the first row lacks are left out.
void print_scores(std::ostream& out, const std::vector<std::pair<std::string, Scores>>& rows);

// The model on each part, and on the last one what needs no network.
void print_results(std::ostream& out, const RunResult& result, const std::vector<Rival>& rivals = {});

}  // namespace agentnet
