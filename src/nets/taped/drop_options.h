// Networks that run R times on every graph with some nodes dropped, as DropGNN does (Papp et al., NeurIPS 2021).
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/option_table.h"
#include "nn/kind.h"

namespace agentnet {

struct DropOptions {
  int runs = 1;
  double drop = 0;
  bool auxiliary = false;
};

inline constexpr auto kVisitDrop = [](auto& o, const auto& f) {
  f("runs", o.drops.runs, OptionRange{1, 4096}, "R, runs over each graph, whose node states are averaged");
  f("drop", o.drops.drop, OptionRange{0, 1}, "the probability that a run does not see the features of a node");
  f("auxiliary", o.drops.auxiliary, kAnyValue, "a second readout judges every run; a quarter of the loss in training");
};

// DropGNN's rule: as many runs as there are nodes, and two nodes dropped in a run, in the mean.
inline std::vector<OptionChoice> advise_drops(const SetSize& set) {
  constexpr double kMostRuns = 64;
  const double nodes = std::max(2.0, std::round(set.mean_nodes));
  const double runs = std::min(nodes, kMostRuns);
  return {{"runs", std::to_string(static_cast<int>(runs)),
           nodes > kMostRuns ? "the mean number of nodes would take too long" : "the mean number of nodes"},
          {"drop", fmt::format("{:.4g}", 2 / (1 + nodes)), "2 / (1 + the mean number of nodes)"}};
}

}  // namespace agentnet
