#include "view/tables/random_walk.h"

#include <algorithm>

#include "nets/agentnet/agentnet.h"
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

// How many walkers start on each node, in the mean. Nodes that the graph does not have are those of another graph: the
// model itself refuses such a graph.
std::vector<double> starts(const GraphView& graph, const RandomWalkers& walkers) {
  const auto agents = static_cast<double>(walkers.agents), nodes = static_cast<double>(graph.num_nodes);
  if (walkers.start_nodes.empty()) {
    return std::vector<double>(graph.num_nodes, walkers.on_every_node ? agents : agents / nodes);
  }
  std::vector<double> at(graph.num_nodes, 0.0);
  for (std::size_t a = 0; a < static_cast<std::size_t>(walkers.agents); ++a) {
    const auto node = static_cast<std::uint64_t>(walkers.start_nodes[a % walkers.start_nodes.size()]);
    if (node < graph.num_nodes) at[node] += 1.0;
  }
  return at;
}

}  // namespace

RandomWalkers random_walkers(const Model& model) {
  const WalkTraits walks = ModelInside::network(model)->walks().value();
  RandomWalkers walkers{walks.agents, walks.steps, walks.may_stay};
  if (const auto* agents = dynamic_cast<const AgentNet<float>*>(ModelInside::network(model).get())) {
    walkers.on_every_node = agents->agentnet_config().start == StartPolicy::kEveryNode;
    walkers.start_nodes = agents->agentnet_config().start_nodes;
  }
  return walkers;
}

std::vector<double> random_walk_visits(const GraphView& graph, const RandomWalkers& walkers) {
  std::vector<double> at = starts(graph, walkers), next(graph.num_nodes);
  std::vector<double> visits = at;
  for (int t = 0; t < walkers.steps; ++t) {
    step(graph, walkers.may_stay, at, next);
    std::swap(at, next);
    for (std::size_t u = 0; u < visits.size(); ++u) visits[u] += at[u];
  }
  return visits;
}

}  // namespace agentnet
