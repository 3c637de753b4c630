#include "theory/judges/small_graph.h"

#include <bit>

#include "agentnet/error.h"

namespace agentnet::theory {

void SmallGraph::join(int u, int v) {
  rows[static_cast<std::size_t>(u)] |= 1u << v;
  rows[static_cast<std::size_t>(v)] |= 1u << u;
}

int SmallGraph::degree(int u) const { return std::popcount(row(u)); }

int SmallGraph::edges() const {
  int sum = 0;
  for (int u = 0; u < nodes; ++u) sum += degree(u);
  return sum / 2;
}

std::uint32_t SmallGraph::ball(int centre, int radius) const {
  std::uint32_t members = 1u << centre;
  for (int i = 0; i < radius; ++i) {
    std::uint32_t next = members;
    for (int u = 0; u < nodes; ++u) {
      if (((members >> u) & 1u) != 0) next |= row(u);
    }
    members = next;
  }
  return members;
}

SmallGraph SmallGraph::induced(std::uint32_t members) const {
  std::vector<int> chosen;
  for (int u = 0; u < nodes; ++u) {
    if (((members >> u) & 1u) != 0) chosen.push_back(u);
  }
  SmallGraph part;
  part.nodes = static_cast<int>(chosen.size());
  for (int a = 0; a < part.nodes; ++a) {
    const int u = chosen[static_cast<std::size_t>(a)];
    part.labels[static_cast<std::size_t>(a)] = labels[static_cast<std::size_t>(u)];
    for (int b = 0; b < a; ++b) {
      if (adjacent(u, chosen[static_cast<std::size_t>(b)])) part.join(a, b);
    }
  }
  return part;
}

Graph SmallGraph::graph() const {
  GraphParts parts;
  parts.num_nodes = static_cast<std::uint64_t>(nodes);
  parts.undirected = true;
  for (int u = 0; u < nodes; ++u) {
    parts.node_categories.push_back(labels[static_cast<std::size_t>(u)]);
    for (int v = u + 1; v < nodes; ++v) {
      if (!adjacent(u, v)) continue;
      parts.from.push_back(static_cast<std::uint32_t>(u));
      parts.to.push_back(static_cast<std::uint32_t>(v));
    }
  }
  return Graph(std::move(parts));
}

SmallGraph small_cycle(int nodes) {
  SmallGraph graph = small_path(nodes);
  graph.join(nodes - 1, 0);
  return graph;
}

SmallGraph small_path(int nodes) {
  SmallGraph graph;
  graph.nodes = nodes;
  for (int u = 1; u < nodes; ++u) graph.join(u - 1, u);
  return graph;
}

SmallGraph small_star(int leaves) {
  SmallGraph graph;
  graph.nodes = leaves + 1;
  for (int u = 1; u <= leaves; ++u) graph.join(0, u);
  return graph;
}

SmallGraph small_complete(int nodes) {
  SmallGraph graph;
  graph.nodes = nodes;
  for (int u = 0; u < nodes; ++u) {
    for (int v = 0; v < u; ++v) graph.join(u, v);
  }
  return graph;
}

// Node 4 i + j is the square in row i and column j; rooks attack along rows and columns.
SmallGraph small_rook() {
  SmallGraph graph;
  graph.nodes = 16;
  for (int u = 0; u < 16; ++u) {
    for (int v = 0; v < u; ++v) {
      if (u / 4 == v / 4 || u % 4 == v % 4) graph.join(u, v);
    }
  }
  return graph;
}

// The Cayley graph of Z4 x Z4 with the steps +-(1, 0), +-(0, 1), +-(1, 1).
SmallGraph small_shrikhande() {
  SmallGraph graph;
  graph.nodes = 16;
  for (int u = 0; u < 16; ++u) {
    const int row = u / 4, column = u % 4;
    graph.join(u, 4 * ((row + 1) % 4) + column);
    graph.join(u, 4 * row + (column + 1) % 4);
    graph.join(u, 4 * ((row + 1) % 4) + (column + 1) % 4);
  }
  return graph;
}

SmallGraph small_wheel(int cycles, int length) {
  SmallGraph graph = small_star(cycles * length);
  for (int cycle = 0; cycle < cycles; ++cycle) {
    const int first = 1 + cycle * length;
    for (int i = 0; i < length; ++i) graph.join(first + i, first + (i + 1) % length);
  }
  return graph;
}

}  // namespace agentnet::theory
