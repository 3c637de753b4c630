#include "view/tables/random_walk.h"

#include <algorithm>

#include "nets/model_inside.h"

namespace agentnet {
namespace {

// One step of the distribution of a walker.
void step(const GraphView& graph, bool may_stay, const std::vector<double>& before, std::vector<double>& after) {
  std::fill(after.begin(), after.end(), 0.0);
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    bool stay = may_stay;
    for (auto [e, last] = graph.entries_of(u); e < last; ++e) {
      if (graph.neighbour(e) == u) stay = false;  // the loop is a candidate already, and there is one only
    }
    const std::uint64_t candidates = graph.degree(u) + (stay ? 1 : 0);
    if (candidates == 0) {
      after[u] += before[u];
      continue;
    }
    const double share = before[u] / static_cast<double>(candidates);
    for (auto [e, last] = graph.entries_of(u); e < last; ++e) after[graph.neighbour(e)] += share;
    if (stay) after[u] += share;
  }
}

}  // namespace

RandomWalkers random_walkers(const Model& model) {
  const WalkTraits walks = ModelInside::network(model)->walks().value();
  return {walks.agents, walks.steps, walks.may_stay};
}

std::vector<double> random_walk_visits(const GraphView& graph, const RandomWalkers& walkers) {
  std::vector<double> at(graph.num_nodes, 1.0 / static_cast<double>(graph.num_nodes)), next(graph.num_nodes);
  std::vector<double> visits = at;
  for (int t = 0; t < walkers.steps; ++t) {
    step(graph, walkers.may_stay, at, next);
    std::swap(at, next);
    for (std::size_t u = 0; u < visits.size(); ++u) visits[u] += at[u];
  }
  for (double& count : visits) count *= walkers.agents;
  return visits;
}

}  // namespace agentnet
