#include "support/graphs.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace agentnet {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

GraphParts undirected(std::uint32_t n) {
  GraphParts parts;
  parts.num_nodes = n;
  parts.undirected = true;
  return parts;
}

void join(GraphParts& parts, std::uint32_t u, std::uint32_t v) {
  parts.from.push_back(u);
  parts.to.push_back(v);
}

// A graph on the 4 x 4 torus: nodes are joined when `near` says so of their differences modulo 4.
template <class Near>
GraphParts on_torus(Near near) {
  GraphParts parts = undirected(16);
  for (std::uint32_t u = 0; u < 16; ++u) {
    for (std::uint32_t v = u + 1; v < 16; ++v) {
      if (near((v / 4 - u / 4) & 3u, (v % 4 - u % 4) & 3u)) join(parts, u, v);
    }
  }
  return parts;
}

// A ring in which everybody also knows those up to d / 2 places away (and, for odd d, who sits opposite).
std::vector<Edge> circulant(std::uint32_t n, std::uint32_t d) {
  std::vector<Edge> edges;
  for (std::uint32_t u = 0; u < n; ++u) {
    for (std::uint32_t k = 1; k <= d / 2; ++k) edges.emplace_back(u, (u + k) % n);
  }
  for (std::uint32_t u = 0; d % 2 == 1 && u < n / 2; ++u) edges.emplace_back(u, u + n / 2);
  return edges;
}

std::uint32_t pick(RandomSequence& random, std::size_t n) { return static_cast<std::uint32_t>(random.below(n)); }

template <class T>
void fill_normal(std::vector<T>& values, std::uint64_t size, RandomSequence& random) {
  values.resize(size);
  for (T& value : values) value = static_cast<T>(random.normal());
}

std::vector<std::int32_t> random_categories(std::uint64_t rows, const std::vector<int>& vocabularies,
                                            RandomSequence& random) {
  std::vector<std::int32_t> values;
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (const int size : vocabularies) {
      values.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(size))));
    }
  }
  return values;
}

}  // namespace

GraphParts cycle_graph(std::uint32_t n) {
  GraphParts parts = undirected(n);
  for (std::uint32_t u = 0; u < n; ++u) join(parts, u, (u + 1) % n);
  return parts;
}

GraphParts path_graph(std::uint32_t n) {
  GraphParts parts = undirected(n);
  for (std::uint32_t u = 0; u + 1 < n; ++u) join(parts, u, u + 1);
  return parts;
}

GraphParts star_graph(std::uint32_t n) {
  GraphParts parts = undirected(n);
  for (std::uint32_t leaf = 1; leaf < n; ++leaf) join(parts, 0, leaf);
  return parts;
}

GraphParts complete_graph(std::uint32_t n) {
  GraphParts parts = undirected(n);
  for (std::uint32_t u = 0; u < n; ++u) {
    for (std::uint32_t v = u + 1; v < n; ++v) join(parts, u, v);
  }
  return parts;
}

GraphParts rook_4x4() {
  return on_torus([](std::uint32_t row, std::uint32_t column) { return (row == 0) != (column == 0); });
}

GraphParts shrikhande() {
  return on_torus([](std::uint32_t row, std::uint32_t column) {
    const Edge difference{row, column};
    for (const Edge& step : {Edge{1, 0}, Edge{3, 0}, Edge{0, 1}, Edge{0, 3}, Edge{1, 1}, Edge{3, 3}}) {
      if (difference == step) return true;
    }
    return false;
  });
}

GraphParts regular_graph(std::uint32_t n, std::uint32_t d, std::uint64_t seed) {
  if (d >= n || n % 2 * (d % 2) != 0) throw std::invalid_argument("regular_graph: needs d < n and n * d even");
  RandomSequence random(seed, Purpose::kData);
  std::vector<Edge> edges = circulant(n, d);
  std::vector<std::vector<std::uint32_t>> neighbours(n);
  for (const auto& [u, v] : edges) {
    neighbours[u].push_back(v);
    neighbours[v].push_back(u);
  }
  const auto joined = [&](std::uint32_t u, std::uint32_t v) {
    return std::ranges::find(neighbours[u], v) != neighbours[u].end();
  };
  const auto change_neighbour = [&](std::uint32_t u, std::uint32_t before, std::uint32_t after) {
    *std::ranges::find(neighbours[u], before) = after;
  };
  // Switches (a-b, c-e to a-e, c-b) keep all degrees; a few per edge forget the ring.
  for (std::size_t turn = 0; turn < 4 * edges.size(); ++turn) {
    Edge& first = edges[pick(random, edges.size())];
    Edge& second = edges[pick(random, edges.size())];
    const auto [a, b] = first;
    auto [c, e] = second;
    if (random.below(2) == 1) std::swap(c, e);
    if (a == e || c == b || joined(a, e) || joined(c, b)) continue;
    change_neighbour(a, b, e);
    change_neighbour(b, a, c);
    change_neighbour(c, e, b);
    change_neighbour(e, c, a);
    first = {a, e};
    second = {c, b};
  }
  GraphParts parts = undirected(n);
  for (const auto& [u, v] : edges) join(parts, u, v);
  return parts;
}

GraphParts random_graph(RandomSequence& random, std::uint32_t n, double p, const RandomGraphOptions& options) {
  std::vector<Edge> edges;
  for (std::uint32_t u = 0; u < n; ++u) {
    for (std::uint32_t v = options.directed ? 0 : u; v < n; ++v) {
      if (random.uniform() < (u == v ? options.self_loops : p)) edges.emplace_back(u, v);
    }
  }
  for (std::size_t i = 0, simple = edges.size(); i < simple; ++i) {
    if (random.uniform() >= options.multi_edges) continue;
    const bool reverse = !options.directed && random.below(2) == 1;
    const Edge edge = edges[i];
    edges.push_back(reverse ? Edge{edge.second, edge.first} : edge);
  }
  random.shuffle(edges);

  GraphParts parts = undirected(n + options.isolated_nodes);
  parts.undirected = !options.directed;
  for (const auto& [u, v] : edges) join(parts, u, v);
  return parts;
}

GraphParts with_features(GraphParts parts, RandomSequence& random, const FeatureOptions& options) {
  const std::uint64_t nodes = parts.num_nodes, edges = parts.from.size();
  const std::uint64_t node_values = nodes * static_cast<std::uint64_t>(options.node_dense);
  const std::uint64_t edge_values = edges * static_cast<std::uint64_t>(options.edge_dense);
  if (options.double_precision) {
    fill_normal(parts.node_dense64, node_values, random);
    fill_normal(parts.edge_dense64, edge_values, random);
  } else {
    fill_normal(parts.node_dense, node_values, random);
    fill_normal(parts.edge_dense, edge_values, random);
  }
  parts.node_categories = random_categories(nodes, options.node_categories, random);
  parts.edge_categories = random_categories(edges, options.edge_categories, random);
  return parts;
}

}  // namespace agentnet
