#include "graph/wl_hash.h"

#include <bit>

#include "graph/narrow.h"

namespace agentnet {

namespace {

// The finaliser of splitmix64: a bijection in which every bit depends on every other.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

// Depends on the order of a and b.
constexpr std::uint64_t combine(std::uint64_t a, std::uint64_t b) { return mix(a + 0x9E3779B97F4A7C15U + mix(~b)); }

// What would be the same for a feature and its absence, or for an edge in and an edge out, starts from different seeds.
enum Seed : std::uint64_t { kNode = 1, kEdge, kOut, kIn, kGraph };

std::uint64_t hash_row(std::uint64_t hash, const DenseRows& dense, const CategoryRows& categories, std::uint64_t row) {
  for (int c = 0; c < dense.width; ++c) {
    const std::uint64_t at = dense.start(row) + static_cast<std::uint64_t>(c);
    // Adding a zero makes -0, which equals 0, the same.
    hash = combine(hash, dense.f64 != nullptr ? std::bit_cast<std::uint64_t>(dense.f64[at] + 0.0)
                                              : std::bit_cast<std::uint32_t>(dense.f32[at] + 0.0F));
  }
  for (int c = 0; c < categories.width; ++c) {  // as a model sees them, if the set was fitted to one
    hash = combine(hash, static_cast<std::uint32_t>(categories.value(row, static_cast<std::size_t>(c))));
  }
  return hash;
}

}  // namespace

void WlHasher::start(const GraphView& graph) {
  colours_.resize(graph.num_nodes);
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    colours_[u] = hash_row(kNode, graph.node_dense, graph.node_categories, u);
  }
}

void WlHasher::hash_edges(const GraphView& graph) {
  edges_.clear();
  if (graph.edge_dense.width == 0 && graph.edge_categories.width == 0) return;
  edges_.resize(graph.num_edges());
  for (std::uint64_t e = 0; e < edges_.size(); ++e) {
    std::uint64_t sum = 0;  // an edge that was given several times has its rows in no particular order
    for (auto [row, last] = graph.edge_rows_of(e); row < last; ++row) {
      sum += hash_row(kEdge, graph.edge_dense, graph.edge_categories, row);
    }
    edges_[e] = mix(sum);
  }
}

void WlHasher::refine(const GraphView& graph) {
  out_sums_.assign(graph.num_nodes, 0);
  in_sums_.assign(graph.num_nodes, 0);
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    std::uint64_t out = 0;
    for (auto [e, last] = graph.entries_of(u); e < last; ++e) {
      const std::uint64_t v = graph.neighbour(e);
      const std::uint64_t edge = edges_.empty() ? 0 : edges_[e];
      out += mix(colours_[v] + edge + kOut);
      in_sums_[v] += mix(colours_[u] + edge + kIn);
    }
    out_sums_[u] = out;
  }
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    colours_[u] = combine(combine(colours_[u], out_sums_[u]), in_sums_[u]);
  }
}

std::uint64_t WlHasher::operator()(const GraphView& graph) {
  require_narrow(graph);
  start(graph);
  hash_edges(graph);
  for (int round = 0; round < rounds_; ++round) refine(graph);
  std::uint64_t sum = 0;
  for (const std::uint64_t colour : colours_) sum += mix(colour + kGraph);
  return combine(combine(sum, graph.num_nodes), graph.num_edges());
}

std::uint64_t combine_hashes(std::uint64_t a, std::uint64_t b) { return combine(a, b); }

std::uint64_t wl_hash(const GraphView& graph, int rounds) { return WlHasher(rounds)(graph); }

}  // namespace agentnet
