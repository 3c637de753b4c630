#include "classic/features/wl_labels.h"

#include <algorithm>
#include <numeric>

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

constexpr std::uint64_t kNode = 1, kEdge = 2, kCount = 3;

std::uint64_t hash_row(std::uint64_t seed, const CategoryRows& rows, std::uint64_t row,
                       const std::vector<int>& columns) {
  for (const int c : columns) {
    seed = combine(seed, static_cast<std::uint32_t>(rows.value(row, static_cast<std::size_t>(c))));
  }
  return seed;
}

// [entries] a hash for each entry of the neighbour lists; empty if edges have no columns that count.
std::vector<std::uint64_t> edge_labels(const GraphView& graph, const std::vector<int>& columns) {
  std::vector<std::uint64_t> labels;
  if (columns.empty() || graph.edge_categories.width == 0) return labels;
  labels.resize(graph.num_edges());
  for (std::uint64_t e = 0; e < labels.size(); ++e) {
    std::uint64_t sum = 0;  // an edge that was given several times has its rows in no particular order
    const IndexRange rows = graph.edge_rows_of(e);
    for (std::uint64_t r = rows.first; r < rows.last; ++r) sum += hash_row(kEdge, graph.edge_categories, r, columns);
    labels[e] = mix(sum);
  }
  return labels;
}

// Sums of well-mixed hashes stand for multisets: their order does not matter, and no sorting is needed.
void refine(const GraphView& graph, const std::vector<std::uint64_t>& edges, std::vector<std::uint64_t>& labels,
            std::vector<std::uint64_t>& mixed) {
  for (std::size_t u = 0; u < labels.size(); ++u) mixed[u] = mix(labels[u]);
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    const IndexRange entries = graph.entries_of(u);
    std::uint64_t sum = entries.size();
    if (edges.empty()) {
      for (std::uint64_t e = entries.first; e < entries.last; ++e) sum += mixed[graph.neighbour(e)];
    } else {
      for (std::uint64_t e = entries.first; e < entries.last; ++e) sum += mix(mixed[graph.neighbour(e)] ^ edges[e]);
    }
    labels[u] = combine(labels[u], sum);
  }
}

void append_level(const std::vector<std::uint64_t>& labels, LabelCounts counts, std::vector<std::uint64_t>& sorted,
                  GraphLabels& out) {
  sorted = labels;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t first = out.all.size();
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    if (counts == LabelCounts::kSubtree) {
      out.all.push_back({sorted[i], static_cast<float>(end - i)});
    } else {
      for (std::size_t t = 0; t < end - i; ++t) out.all.push_back({combine(sorted[i] + kCount, t), 1});
    }
    i = end;
  }
  if (counts == LabelCounts::kAssignment) {
    std::sort(out.all.begin() + static_cast<std::ptrdiff_t>(first), out.all.end(),
              [](const LabelCount& a, const LabelCount& b) { return a.label < b.label; });
  }
  out.level_end.push_back(out.all.size());
}

}  // namespace

LabelColumns LabelColumns::all(int node_columns, int edge_columns) {
  LabelColumns columns;
  columns.nodes.resize(static_cast<std::size_t>(node_columns));
  columns.edges.resize(static_cast<std::size_t>(edge_columns));
  std::iota(columns.nodes.begin(), columns.nodes.end(), 0);
  std::iota(columns.edges.begin(), columns.edges.end(), 0);
  return columns;
}

GraphLabels wl_labels(const GraphView& graph, int depth, const LabelColumns& columns, LabelCounts counts) {
  require_narrow(graph);
  GraphLabels out;
  std::vector<std::uint64_t> labels(graph.num_nodes), other(graph.num_nodes);
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    labels[u] = hash_row(kNode, graph.node_categories, u, columns.nodes);
  }
  append_level(labels, counts, other, out);
  const std::vector<std::uint64_t> edges = edge_labels(graph, columns.edges);
  for (int d = 0; d < depth; ++d) {
    refine(graph, edges, labels, other);
    append_level(labels, counts, other, out);
  }
  return out;
}

}  // namespace agentnet
