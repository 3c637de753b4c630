// The graph6 format: a byte 63 + n, then the bits of the upper triangle of the adjacency matrix, column by column, six
// to a byte, each byte 63 + bits.
#include <array>
#include <string>

#include "agentnet/error.h"
#include "theory/judges/small_graph.h"

namespace agentnet::theory {

namespace {

constexpr std::array<std::string_view, kMostListed + 1> kConnected = {
    "",
#include "theory/judges/connected_graphs.inc"
};

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::kData, "not graph6: " + what,
              "a line is a graph of 1 to 32 nodes as nauty's geng writes it: nauty-geng -c 8");
}

int six_bits(char c) {
  if (c < 63 || c > 126) fail("a character that is none of '?' to '~'");
  return c - 63;
}

}  // namespace

SmallGraph from_graph6(std::string_view text) {
  if (text.empty()) fail("an empty line");
  SmallGraph graph;
  graph.nodes = six_bits(text[0]);
  if (graph.nodes < 1 || graph.nodes > SmallGraph::kMostNodes) fail(std::to_string(graph.nodes) + " nodes");
  const int bits = graph.nodes * (graph.nodes - 1) / 2;
  if (text.size() != 1 + static_cast<std::size_t>((bits + 5) / 6)) {
    fail(std::to_string(text.size()) + " characters for " + std::to_string(graph.nodes) + " nodes");
  }
  int bit = 0;
  for (int v = 1; v < graph.nodes; ++v) {
    for (int u = 0; u < v; ++u, ++bit) {
      const int word = six_bits(text[1 + static_cast<std::size_t>(bit / 6)]);
      if (((word >> (5 - bit % 6)) & 1) != 0) graph.join(u, v);
    }
  }
  return graph;
}

std::string to_graph6(const SmallGraph& graph) {
  std::string text(1, static_cast<char>(63 + graph.nodes));
  int bit = 0;
  for (int v = 1; v < graph.nodes; ++v) {
    for (int u = 0; u < v; ++u, ++bit) {
      if (bit % 6 == 0) text += static_cast<char>(63);
      if (graph.adjacent(u, v)) text.back() = static_cast<char>(text.back() + (1 << (5 - bit % 6)));
    }
  }
  return text;
}

std::vector<SmallGraph> read_graph6(std::string_view text, const std::string& place) {
  std::vector<SmallGraph> graphs;
  std::size_t line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t end = text.find('\n');
    std::string_view entry = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!entry.empty() && entry.back() == '\r') entry.remove_suffix(1);
    if (line == 1 && entry.starts_with(">>graph6<<")) entry.remove_prefix(10);
    if (entry.empty()) continue;
    try {
      graphs.push_back(from_graph6(entry));
    } catch (const Error& error) {
      throw Error(error.kind(), place + ":" + std::to_string(line) + ": " + error.what(), error.hint());
    }
  }
  return graphs;
}

std::vector<SmallGraph> connected_graphs(int nodes) {
  if (nodes < 1 || nodes > kMostListed) {
    throw Error(ErrorKind::kUsage,
                "there is no built-in list of the connected graphs of " + std::to_string(nodes) + " nodes",
                "1 to 7 nodes are built in; nauty's geng lists larger ones: nauty-geng -c 8");
  }
  return read_graph6(kConnected[static_cast<std::size_t>(nodes)], "built-in list");
}

}  // namespace agentnet::theory
