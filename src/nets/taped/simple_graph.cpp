#include "nets/taped/simple_graph.h"

#include <algorithm>
#include <utility>

namespace agentnet {
namespace {

// The pairs in the order of `key`, otherwise as they were.
void sort_by(Index keys, std::vector<Index>& key, std::vector<Index>& other) {
  std::vector<std::size_t> next(static_cast<std::size_t>(keys) + 1, 0);
  for (const Index k : key) ++next[static_cast<std::size_t>(k) + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<Index> sorted_key(key.size()), sorted_other(key.size());
  for (std::size_t i = 0; i < key.size(); ++i) {
    const std::size_t to = next[static_cast<std::size_t>(key[i])]++;
    sorted_key[to] = key[i];
    sorted_other[to] = other[i];
  }
  key = std::move(sorted_key);
  other = std::move(sorted_other);
}

}  // namespace

SimpleGraph::SimpleGraph(Index nodes, const std::int64_t* offsets, const Index* members, Index first_node) {
  std::vector<Index> a, b;
  for (Index v = 0; v < nodes; ++v) {
    for (std::int64_t e = offsets[v]; e < offsets[v + 1]; ++e) {
      a.push_back(v);
      b.push_back(members[e] - first_node);
    }
  }
  build(nodes, std::move(a), std::move(b));
}

SimpleGraph::SimpleGraph(const GraphView& graph) {
  std::vector<Index> a, b;
  for (std::uint64_t v = 0; v < graph.num_nodes; ++v) {
    for (auto [entry, last] = graph.entries_of(v); entry < last; ++entry) {
      a.push_back(static_cast<Index>(v));
      b.push_back(static_cast<Index>(graph.neighbour(entry)));
    }
  }
  build(static_cast<Index>(graph.num_nodes), std::move(a), std::move(b));
}

void SimpleGraph::build(Index nodes, std::vector<Index> a, std::vector<Index> b) {
  const std::size_t given = a.size();
  a.insert(a.end(), b.begin(), b.end());
  b.insert(b.end(), a.begin(), a.begin() + static_cast<std::ptrdiff_t>(given));
  sort_by(nodes, b, a);
  sort_by(nodes, a, b);
  offsets_.assign(static_cast<std::size_t>(nodes) + 1, 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (i > 0 && a[i] == a[i - 1] && b[i] == b[i - 1])) continue;
    targets_.push_back(b[i]);
    ++offsets_[static_cast<std::size_t>(a[i]) + 1];
  }
  for (std::size_t v = 1; v < offsets_.size(); ++v) offsets_[v] += offsets_[v - 1];
}

bool SimpleGraph::adjacent(Index u, Index v) const {
  const auto list = neighbours(u);
  return std::binary_search(list.begin(), list.end(), v);
}

}  // namespace agentnet
