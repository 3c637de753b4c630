// Which graphs of a set are explained.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

struct GraphChoice {
  std::vector<std::string> ids;
  std::size_t first = 20;
  bool all = false;
};

// The id of a graph; the number of its row stands for one that it has not, as in predictions.
[[nodiscard]] std::string id_or_row(const Dataset& data, std::size_t graph);

// Numbers of graphs, ascending. Throws Error (kUsage) with a suggestion for an id that none has, and kData if there are
// no graphs at all.
[[nodiscard]] std::vector<std::size_t> chosen_for_explaining(const Dataset& data, const GraphChoice& choice);

}  // namespace agentnet
