#include "theory/judges/exact_counts.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace agentnet::theory {

double ExactCounts::of(const std::string& name) const {
  if (name == "nodes") return nodes;
  if (name == "average-degree") return ends / nodes;
  if (name == "wedges") return wedges;
  if (name == "triangles") return triangles;
  if (name == "clustering") return 3 * triangles / wedges;
  return cliques4;
}

std::vector<std::uint64_t> component_of(const GraphView& graph, std::uint64_t start) {
  std::vector<std::uint8_t> member(graph.num_nodes);
  std::vector<std::uint64_t> queue{start};
  member[start] = 1;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t v : graph.neighbours_of(queue[i])) {
      if (member[v] == 0) queue.push_back(v);
      member[v] = 1;
    }
  }
  return queue;
}

std::vector<std::uint64_t> nodes_with_neighbours(const GraphView& graph) {
  std::vector<std::uint64_t> nodes;
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    const auto next = graph.neighbours_of(u);
    if (std::any_of(next.begin(), next.end(), [&](std::uint32_t v) { return v != u; })) nodes.push_back(u);
  }
  return nodes;
}

// Edges are oriented towards larger degrees, so that no node has many later neighbours.
ExactCounts exact_counts(const GraphView& graph, const std::vector<std::uint64_t>& nodes) {
  const auto before = [&](std::uint64_t u, std::uint64_t v) {
    return std::pair(graph.degree(u), u) < std::pair(graph.degree(v), v);
  };
  std::vector<std::vector<std::uint32_t>> later(graph.num_nodes);
  ExactCounts counts;
  counts.nodes = static_cast<double>(nodes.size());
  for (const std::uint64_t u : nodes) {
    double degree = 0;
    for (const std::uint32_t v : graph.neighbours_of(u)) {
      if (v == u) continue;
      ++degree;
      if (before(u, v)) later[u].push_back(v);
    }
    counts.ends += degree;
    counts.wedges += degree * (degree - 1) / 2;
  }
  std::vector<std::uint32_t> both, three;
  for (const std::uint64_t u : nodes) {
    for (const std::uint32_t v : later[u]) {
      both.clear();
      std::set_intersection(later[u].begin(), later[u].end(), later[v].begin(), later[v].end(),
                            std::back_inserter(both));
      counts.triangles += static_cast<double>(both.size());
      for (const std::uint32_t w : both) {
        three.clear();
        std::set_intersection(both.begin(), both.end(), later[w].begin(), later[w].end(), std::back_inserter(three));
        counts.cliques4 += static_cast<double>(three.size());
      }
    }
  }
  return counts;
}

}  // namespace agentnet::theory
