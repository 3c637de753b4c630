// Graphs of up to 32 nodes as rows of bits, for judges that try everything, and the list of all small graphs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/graph.h"

namespace agentnet::theory {

struct SmallGraph {
  static constexpr int kMostNodes = 32;
  int nodes = 0;
  std::array<std::uint32_t, kMostNodes> rows{};   // bit v of rows[u]: u and v are adjacent
  std::array<std::uint8_t, kMostNodes> labels{};  // features of the nodes

  [[nodiscard]] bool adjacent(int u, int v) const { return ((rows[static_cast<std::size_t>(u)] >> v) & 1u) != 0; }
  [[nodiscard]] std::uint32_t row(int u) const { return rows[static_cast<std::size_t>(u)]; }
  void join(int u, int v);
  [[nodiscard]] int degree(int u) const;
  [[nodiscard]] int edges() const;
  // Bits of the nodes at distance at most `radius`.
  [[nodiscard]] std::uint32_t ball(int centre, int radius) const;
  // The subgraph induced by these nodes, in ascending order.
  [[nodiscard]] SmallGraph induced(std::uint32_t members) const;
  // As the machine wants it; the label is the one categorical feature.
  [[nodiscard]] Graph graph() const;
};

// graph6, the format of nauty's tools, one graph of at most 32 nodes. Throws Error (kData).
[[nodiscard]] SmallGraph from_graph6(std::string_view text);
[[nodiscard]] std::string to_graph6(const SmallGraph& graph);
// All graphs of a text with one in each line, as geng writes it. Throws Error (kData) naming `place` and the line.
[[nodiscard]] std::vector<SmallGraph> read_graph6(std::string_view text, const std::string& place);

// All connected graphs of exactly so many nodes, 1 to 7, up to isomorphism: 1, 1, 2, 6, 21, 112, 853.
inline constexpr int kMostListed = 7;
[[nodiscard]] std::vector<SmallGraph> connected_graphs(int nodes);

// By name.
[[nodiscard]] SmallGraph small_cycle(int nodes);
[[nodiscard]] SmallGraph small_path(int nodes);
[[nodiscard]] SmallGraph small_star(int leaves);  // node 0 in the middle
[[nodiscard]] SmallGraph small_complete(int nodes);
[[nodiscard]] SmallGraph small_rook();  // 4 x 4
[[nodiscard]] SmallGraph small_shrikhande();
// Node 0 next to every node of so many cycles.
[[nodiscard]] SmallGraph small_wheel(int cycles, int length);

}  // namespace agentnet::theory
