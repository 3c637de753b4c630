#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "agentnet/error.h"
#include "nets/himp/junction_tree.h"

namespace agentnet {
namespace {

// Edges of a graph by numbers, of the nodes that lie on cycles.
class EdgeNumbers {
 public:
  explicit EdgeNumbers(const SimpleGraph& graph) : graph_(graph) {
    for (Index v = 0; v < graph.nodes(); ++v) {
      first_.push_back(count_);
      for (const Index u : graph.neighbours(v)) count_ += u > v ? 1 : 0;
    }
  }
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index of(Index u, Index v) const {
    if (u > v) std::swap(u, v);
    const auto list = graph_.neighbours(u);
    const auto above = std::upper_bound(list.begin(), list.end(), u);
    return first_[static_cast<std::size_t>(u)] + static_cast<Index>(std::lower_bound(above, list.end(), v) - above);
  }

 private:
  const SimpleGraph& graph_;
  std::vector<Index> first_;
  Index count_ = 0;
};

// Sets of edges, to which independent ones are added: Gauss' elimination over {0, 1}.
class CycleBasis {
 public:
  explicit CycleBasis(Index edges) : words_((static_cast<std::size_t>(edges) + 63) / 64) {}

  // Whether it was independent of those before.
  bool add(const std::vector<Index>& edges) {
    std::vector<std::uint64_t> row(words_, 0);
    for (const Index e : edges) row[static_cast<std::size_t>(e) / 64] ^= std::uint64_t{1} << (e % 64);
    for (const auto& [pivot, other] : rows_) {
      if ((row[pivot / 64] >> (pivot % 64) & 1U) == 0) continue;
      for (std::size_t w = 0; w < words_; ++w) row[w] ^= other[w];
    }
    for (std::size_t w = 0; w < words_; ++w) {
      if (row[w] == 0) continue;
      std::size_t bit = 0;
      while ((row[w] >> bit & 1U) == 0) ++bit;
      rows_.emplace_back(64 * w + bit, std::move(row));
      return true;
    }
    return false;
  }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  std::size_t words_;
  std::vector<std::pair<std::size_t, std::vector<std::uint64_t>>> rows_;  // pivot, edges
};

// Shortest ways from a root: before[v] is the node before v, -1 where none leads.
struct Ways {
  std::vector<Index> before, distance, branch;  // branch: the first node after the root

  void search(const SimpleGraph& graph, Index root) {
    const auto n = static_cast<std::size_t>(graph.nodes());
    before.assign(n, -1);
    branch.assign(n, -1);
    distance.assign(n, 0);
    queue_.assign(1, root);
    before[static_cast<std::size_t>(root)] = root;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const Index v = queue_[i];
      for (const Index u : graph.neighbours(v)) {
        const auto at = static_cast<std::size_t>(u);
        if (before[at] >= 0) continue;
        before[at] = v;
        distance[at] = distance[static_cast<std::size_t>(v)] + 1;
        branch[at] = v == root ? u : branch[static_cast<std::size_t>(v)];
        queue_.push_back(u);
      }
    }
  }
  [[nodiscard]] const std::vector<Index>& found() const { return queue_; }

 private:
  std::vector<Index> queue_;
};

// Two shortest ways from a root and the edge between their ends.
struct Candidate {
  Index length, root, u, v;
};

std::size_t independent_cycles(const SimpleGraph& graph) {
  std::vector<char> seen(static_cast<std::size_t>(graph.nodes()), 0);
  std::size_t parts = 0;
  std::vector<Index> queue;
  for (Index root = 0; root < graph.nodes(); ++root) {
    if (seen[static_cast<std::size_t>(root)] != 0) continue;
    ++parts;
    queue.assign(1, root);
    seen[static_cast<std::size_t>(root)] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const Index u : graph.neighbours(queue[i])) {
        if (seen[static_cast<std::size_t>(u)] != 0) continue;
        seen[static_cast<std::size_t>(u)] = 1;
        queue.push_back(u);
      }
    }
  }
  return graph.entries() / 2 + parts - static_cast<std::size_t>(graph.nodes());
}

std::vector<Candidate> all_candidates(const SimpleGraph& graph) {
  std::vector<Candidate> candidates;
  Ways ways;
  for (Index root = 0; root < graph.nodes(); ++root) {
    if (graph.degree(root) < 2) continue;
    ways.search(graph, root);
    for (const Index u : ways.found()) {
      for (const Index v : graph.neighbours(u)) {
        const auto a = static_cast<std::size_t>(u), b = static_cast<std::size_t>(v);
        if (u > v || u == root || v == root || ways.branch[a] == ways.branch[b]) continue;
        candidates.push_back({ways.distance[a] + ways.distance[b] + 1, root, u, v});
      }
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.length < b.length; });
  return candidates;
}

}  // namespace

std::vector<std::vector<Index>> smallest_rings(const SimpleGraph& graph) {
  constexpr std::size_t kMostWork = 400'000;  // nodes times rings
  const std::size_t wanted = independent_cycles(graph);
  if (wanted * static_cast<std::size_t>(graph.nodes()) > kMostWork) {
    throw Error(ErrorKind::kData,
                fmt::format("a graph of {} nodes has {} independent rings, too many for a junction tree", graph.nodes(),
                            wanted),
                "this network is for molecules; others, such as gin-mol, take any graph");
  }
  std::vector<std::vector<Index>> rings;
  if (wanted == 0) return rings;
  const EdgeNumbers numbers(graph);
  CycleBasis basis(numbers.count());
  Ways ways;
  Index root = -1;
  for (const Candidate& candidate : all_candidates(graph)) {
    if (candidate.root != root) ways.search(graph, root = candidate.root);
    std::vector<Index> atoms = {root}, edges = {numbers.of(candidate.u, candidate.v)};
    for (const Index end : {candidate.u, candidate.v}) {
      for (Index v = end; v != root; v = ways.before[static_cast<std::size_t>(v)]) {
        atoms.push_back(v);
        edges.push_back(numbers.of(v, ways.before[static_cast<std::size_t>(v)]));
      }
    }
    if (!basis.add(edges)) continue;
    std::sort(atoms.begin(), atoms.end());
    rings.push_back(std::move(atoms));
    if (basis.size() == wanted) break;
  }
  return rings;
}

}  // namespace agentnet
