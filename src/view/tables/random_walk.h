// What walkers that learned nothing do: the yardstick for where agents go.
#pragma once

#include <vector>

#include "agentnet/graph.h"
#include "agentnet/model.h"

namespace agentnet {

struct RandomWalkers {
  int agents = 1;  // k
  int steps = 1;   // T
  bool may_stay = true;
  bool on_every_node = false;         // k start on each node
  std::vector<int> start_nodes = {};  // where they start in turn, if not empty
};

// As many and as free as the agents of the model, which must be one that walks.
[[nodiscard]] RandomWalkers random_walkers(const Model& model);

// [n] how often each node is expected to be stood on, k (T + 1) in all, or n times as often with k on each node:
// walkers start where the model's agents do, on nodes drawn uniformly unless the model says otherwise, and choose
// uniformly among the candidates that agents have (the neighbours, and staying if they may); where there is none, they
// stay. Exact, not simulated. Takes T times the edges of the graph.
[[nodiscard]] std::vector<double> random_walk_visits(const GraphView& graph, const RandomWalkers& walkers);

}  // namespace agentnet
