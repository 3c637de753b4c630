// Tiny graph makers. They give GraphParts, so that a test can add features or edges before it makes
// the Graph: Graph(cycle_graph(4)). All are undirected unless they say otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "agentnet/graph.h"
#include "core/random.h"

namespace agentnet {

[[nodiscard]] GraphParts cycle_graph(std::uint32_t n);     // n >= 3
[[nodiscard]] GraphParts path_graph(std::uint32_t n);      // n >= 1
[[nodiscard]] GraphParts star_graph(std::uint32_t n);      // node 0 is next to the n - 1 others
[[nodiscard]] GraphParts complete_graph(std::uint32_t n);  // n >= 1

// The two strongly regular graphs (16, 6, 2, 2), which the 2-WL test cannot tell apart.
[[nodiscard]] GraphParts rook_4x4();
[[nodiscard]] GraphParts shrikhande();

// A random simple graph in which every node has d neighbours; d < n, n * d even. The same for the same seed.
[[nodiscard]] GraphParts regular_graph(std::uint32_t n, std::uint32_t d, std::uint64_t seed);

struct RandomGraphOptions {
  std::uint32_t isolated_nodes = 0;  // further nodes without any edge
  double multi_edges = 0;            // chance that an edge is listed again, in either direction if undirected
  double self_loops = 0;             // chance of a self loop, per node that is not isolated
  bool directed = false;
};

// n nodes (and the isolated ones), each pair joined with probability p; edges are listed in random order.
[[nodiscard]] GraphParts random_graph(RandomSequence& random, std::uint32_t n, double p,
                                      const RandomGraphOptions& options = {});

struct FeatureOptions {
  int node_dense = 0;                     // columns of N(0, 1) values
  std::vector<int> node_categories = {};  // vocabulary size of each column
  int edge_dense = 0;
  std::vector<int> edge_categories = {};
  bool double_precision = false;  // dense features go to the double precision twins
};

// Fills in random features; edges have one row each as listed.
[[nodiscard]] GraphParts with_features(GraphParts parts, RandomSequence& random, const FeatureOptions& options);

}  // namespace agentnet
