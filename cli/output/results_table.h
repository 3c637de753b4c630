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

// What the bootstrap says of scores that are shown already; nothing if it was not done.
void print_intervals(std::ostream& out, const Bootstrap& bootstrap);

// A row per target under a heading, as print_scores(); of more than a screen has room for, the first. Nothing of
// nothing.
void print_targets(std::ostream& out, const std::vector<TargetScores>& by_target, const std::string& heading,
                   const std::string& where_the_rest_is);

// The model on each part, and on the last one what needs no network.
void print_results(std::ostream& out, const RunResult& result, const std::vector<Rival>& rivals = {});

}  // namespace agentnet
