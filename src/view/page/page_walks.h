// Which graphs of a page get their walks recorded, and the recording.
#pragma once

#include <cstddef>
#include <functional>

#include "agentnet/explain.h"
#include "view/page/page.h"

namespace agentnet {

struct WalkChoice {
  std::size_t graphs = 40;  // at most; the most confidently wrong first, then a spread of the others
  PredictOptions walks;     // those of the predictions, so that a graph's list entry and its walks say the same
  int recorded = 4;         // rollouts kept step by step
  bool influence = true;
  // Called before each graph with how many are done; true: the others are left out.
  std::function<bool(std::size_t done, std::size_t of)> should_stop = {};
};

// Explains graphs of a page whose model, data, graphs and predictions are there already.
void add_walks(PageData& page, const WalkChoice& choice);

}  // namespace agentnet
