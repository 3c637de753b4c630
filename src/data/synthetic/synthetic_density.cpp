// Random graphs whose share of closed wedges is to be told: a regression set.
//
// A graph is a random tree (each node hung on an earlier one) and random edges on top of it. A share p of these, drawn
// uniformly per graph, closes a wedge: it joins two neighbours of a random node; the others join any two nodes. So
// graphs agree in nodes and edges, and the target, 3 triangles / wedges, is spread widely.
#include <algorithm>
#include <cmath>

#include "data/synthetic/synthetic_maker.h"

namespace agentnet {

namespace {

using Neighbours = std::vector<std::vector<std::uint32_t>>;

bool adjacent(const Neighbours& graph, std::uint32_t u, std::uint32_t v) {
  return std::ranges::find(graph[u], v) != graph[u].end();
}

void link(Neighbours& graph, std::uint32_t u, std::uint32_t v) {
  graph[u].push_back(v);
  graph[v].push_back(u);
}

Neighbours random_graph(std::uint32_t n, std::size_t edges, double closing, RandomSequence& random) {
  Neighbours graph(n);
  for (std::uint32_t u = 1; u < n; ++u) link(graph, u, static_cast<std::uint32_t>(random.below(u)));
  constexpr double kParts = 1 << 20;
  for (std::size_t have = n - 1; have < edges;) {
    std::uint32_t u = static_cast<std::uint32_t>(random.below(n)), v = static_cast<std::uint32_t>(random.below(n));
    if (static_cast<double>(random.below(static_cast<std::uint64_t>(kParts))) < closing * kParts) {
      const std::vector<std::uint32_t>& around = graph[u];
      v = around[random.below(around.size())];
      u = around[random.below(around.size())];
    }
    if (u == v || adjacent(graph, u, v)) continue;
    link(graph, u, v);
    ++have;
  }
  return graph;
}

// 3 triangles / wedges.
double clustering(const Neighbours& graph) {
  std::uint64_t closed = 0, wedges = 0;
  for (const std::vector<std::uint32_t>& around : graph) {
    wedges += around.size() * (around.size() - 1) / 2;
    for (std::size_t i = 0; i < around.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) closed += adjacent(graph, around[i], around[j]) ? 1 : 0;
    }
  }
  return static_cast<double>(closed) / static_cast<double>(wedges);
}

}  // namespace

Dataset make_triangle_density(const SyntheticArguments& arguments) {
  const std::uint32_t n = arguments.small("nodes");
  arguments.check_size(n);
  const auto edges = static_cast<std::size_t>(std::llround(n * arguments.number("degree") / 2));
  Dataset data;
  data.schema.task = Task::kRegression;
  data.schema.targets = {"clustering"};
  data.schema.nodes.dense = {"constant"};
  RandomSequence random(arguments.seed(), Purpose::kData);
  for (std::uint64_t g = 0; g < arguments.graphs(); ++g) {
    constexpr std::uint64_t kParts = 1000;
    const double closing = static_cast<double>(random.below(kParts)) / static_cast<double>(kParts);
    const Neighbours graph = random_graph(n, edges, closing, random);
    GraphParts parts = undirected_graph(n);
    for (std::uint32_t u = 0; u < n; ++u) {
      for (const std::uint32_t v : graph[u]) {
        if (u < v) join(parts, u, v);
      }
    }
    parts = renumbered(std::move(parts), random);
    parts.node_dense.assign(n, 1.0F);
    const double target = clustering(graph);
    data.graphs.add(Graph(std::move(parts)), {&target, 1}, {}, {});
  }
  return data;
}

}  // namespace agentnet
