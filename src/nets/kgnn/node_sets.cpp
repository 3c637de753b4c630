#include "nets/kgnn/node_sets.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace agentnet {
namespace {

bool is_local(SetFamily family) {
  return family == SetFamily::kTwoLocal || family == SetFamily::kConnectedTwoLocal ||
         family == SetFamily::kConnectedThreeLocal;
}
bool is_all_pairs(SetFamily family) { return family == SetFamily::kTwoMalkin || family == SetFamily::kTwoLocal; }

// The number of the pair u < v among all pairs of n nodes.
std::int64_t pair_number(std::int64_t n, std::int64_t u, std::int64_t v) { return u * n - u * (u + 1) / 2 + v - u - 1; }

// Members ascending; k of them are used.
using Members = std::array<Index, 3>;

void sort_first(Members& m, int k) {
  if (m[1] < m[0]) std::swap(m[0], m[1]);
  if (k == 2) return;
  if (m[2] < m[1]) std::swap(m[1], m[2]);
  if (m[1] < m[0]) std::swap(m[0], m[1]);
}

// Which number a set of nodes has, if it is one of the family.
class SetNumbers {
 public:
  SetNumbers(Index nodes, SetFamily family) : nodes_(nodes), k_(nodes_per_set(family)), all_(is_all_pairs(family)) {}

  // -1: it is none.
  [[nodiscard]] Index find(const Members& set) const {
    if (all_) return static_cast<Index>(pair_number(nodes_, set[0], set[1]));
    const auto at = numbers_.find(key(set));
    return at == numbers_.end() ? -1 : at->second;
  }
  // False if it has one already.
  bool add(const Members& set) { return numbers_.emplace(key(set), static_cast<Index>(numbers_.size())).second; }

 private:
  // Nodes of a graph in memory are fewer than 2^21 where triples of them are listed.
  [[nodiscard]] std::uint64_t key(const Members& set) const {
    std::uint64_t key = 0;
    for (int i = 0; i < k_; ++i) key = key << 21 | static_cast<std::uint64_t>(set[static_cast<std::size_t>(i)]);
    return key;
  }
  Index nodes_;
  int k_;
  bool all_;
  std::unordered_map<std::uint64_t, Index> numbers_;
};

class Enumerator {
 public:
  Enumerator(const LabelledGraph& graph, SetFamily family, SetTypes types)
      : graph_(graph), family_(family), types_(types), numbers_(graph.nodes, family) {
    sets_.k = nodes_per_set(family);
  }

  NodeSets run() {
    list();
    const std::size_t count = sets_.nodes.size() / k();
    sets_.types.reserve(count);
    for (std::size_t s = 0; s < count; ++s) sets_.types.push_back(type_of(set(s)));
    relate(count);
    return std::move(sets_);
  }

 private:
  [[nodiscard]] std::size_t k() const { return static_cast<std::size_t>(sets_.k); }
  [[nodiscard]] Members set(std::size_t s) const {
    Members members{};
    std::copy_n(sets_.nodes.begin() + static_cast<std::ptrdiff_t>(s * k()), k(), members.begin());
    return members;
  }
  template <class F>
  void each_neighbour(Index v, const F& f) const {
    for (std::int64_t e = graph_.offsets[static_cast<std::size_t>(v)];
         e < graph_.offsets[static_cast<std::size_t>(v) + 1]; ++e) {
      f(graph_.neighbours[static_cast<std::size_t>(e)]);
    }
  }
  void append(const Members& members) {
    sets_.nodes.insert(sets_.nodes.end(), members.begin(), members.begin() + sets_.k);
  }
  void discover(Members members) {
    sort_first(members, sets_.k);
    if (numbers_.add(members)) append(members);
  }

  void list() {
    for (Index u = 0; u < graph_.nodes; ++u) {
      if (is_all_pairs(family_)) {
        for (Index v = u + 1; v < graph_.nodes; ++v) append({u, v, 0});
        continue;
      }
      each_neighbour(u, [&](Index v) {
        if (v == u) return;
        if (sets_.k == 2) return discover({u, v, 0});
        each_neighbour(v, [&](Index w) {
          if (w != u && w != v) discover({u, v, w});
        });
      });
    }
  }

  [[nodiscard]] bool complete(const Members& m) const {
    if (sets_.k == 2) return is_all_pairs(family_) && graph_.adjacent(m[0], m[1]);
    if (!graph_.adjacent(m[0], m[2])) return false;
    return types_ == SetTypes::kPublished || (graph_.adjacent(m[0], m[1]) && graph_.adjacent(m[1], m[2]));
  }

  [[nodiscard]] std::int64_t type_of(const Members& members) const {
    Members labels{};
    for (std::size_t i = 0; i < k(); ++i) labels[i] = graph_.labels[static_cast<std::size_t>(members[i])];
    sort_first(labels, sets_.k);
    std::int64_t type = complete(members) ? 1 : 0;
    for (std::size_t i = 0; i < k(); ++i) type = type * graph_.label_count + labels[i];
    return type;
  }

  // f(number of a set that replaces member i of m by x)
  template <class F>
  void replace(const Members& m, std::size_t i, Index x, const F& f) const {
    for (std::size_t j = 0; j < k(); ++j) {
      if (m[j] == x) return;  // not a set of k, or the same one
    }
    Members other = m;
    other[i] = x;
    sort_first(other, sets_.k);
    const Index number = numbers_.find(other);
    if (number >= 0) f(number);
  }

  void relate(std::size_t count) {
    std::vector<std::int64_t> offsets = {0};
    std::vector<Index> others;
    const bool local = is_local(family_);
    for (std::size_t s = 0; s < count; ++s) {
      const Members m = set(s);
      const auto begin = static_cast<std::ptrdiff_t>(others.size());
      for (std::size_t i = 0; i < k(); ++i) {
        for (std::size_t from = 0; from < k(); ++from) {
          if (from != i && !local) continue;
          each_neighbour(m[from], [&](Index x) { replace(m, i, x, [&](Index number) { others.push_back(number); }); });
        }
      }
      std::sort(others.begin() + begin, others.end());
      others.erase(std::unique(others.begin() + begin, others.end()), others.end());
      offsets.push_back(static_cast<std::int64_t>(others.size()));
    }
    make_symmetric(offsets, others);
  }

  // The union of the relation and its transpose, each row ascending.
  void make_symmetric(const std::vector<std::int64_t>& offsets, const std::vector<Index>& others) {
    const std::size_t count = offsets.size() - 1;
    std::vector<std::int64_t> turned_offsets(count + 2, 0);
    std::vector<Index> turned(others.size());
    for (const Index other : others) ++turned_offsets[static_cast<std::size_t>(other) + 2];
    for (std::size_t s = 2; s < turned_offsets.size(); ++s) turned_offsets[s] += turned_offsets[s - 1];
    for (std::size_t s = 0; s < count; ++s) {
      for (std::int64_t e = offsets[s]; e < offsets[s + 1]; ++e) {
        const auto other = static_cast<std::size_t>(others[static_cast<std::size_t>(e)]);
        turned[static_cast<std::size_t>(turned_offsets[other + 1]++)] = static_cast<Index>(s);
      }
    }
    sets_.offsets.reserve(count + 1);
    sets_.neighbours.reserve(others.size());
    for (std::size_t s = 0; s < count; ++s) {
      const auto row = others.cbegin(), column = turned.cbegin();
      std::set_union(row + offsets[s], row + offsets[s + 1], column + turned_offsets[s], column + turned_offsets[s + 1],
                     std::back_inserter(sets_.neighbours));
      sets_.offsets.push_back(static_cast<std::int64_t>(sets_.neighbours.size()));
    }
  }

  const LabelledGraph& graph_;
  SetFamily family_;
  SetTypes types_;
  SetNumbers numbers_;
  NodeSets sets_;
};

// Multisets of 2 or 3 labels out of L: L (L + 1) / 2, L (L + 1) (L + 2) / 6.
std::int64_t multisets(std::int64_t L, int k) { return k == 2 ? L * (L + 1) / 2 : L * (L + 1) * (L + 2) / 6; }

}  // namespace

int nodes_per_set(SetFamily family) {
  return family == SetFamily::kConnectedThreeMalkin || family == SetFamily::kConnectedThreeLocal ? 3 : 2;
}

bool LabelledGraph::adjacent(Index u, Index v) const {
  const auto begin = neighbours.begin();
  return std::binary_search(begin + offsets[static_cast<std::size_t>(u)],
                            begin + offsets[static_cast<std::size_t>(u) + 1], v);
}

NodeSets enumerate_sets(const LabelledGraph& graph, SetFamily family, SetTypes types) {
  return Enumerator(graph, family, types).run();
}

std::vector<std::pair<Index, Index>> pairs_in_triples(Index nodes, const NodeSets& triples) {
  std::vector<Index> order(static_cast<std::size_t>(triples.count()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto triple = [&](Index s) { return triples.nodes.begin() + static_cast<std::ptrdiff_t>(s) * 3; };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::lexicographical_compare(triple(a), triple(a) + 3, triple(b), triple(b) + 3);
  });
  std::vector<std::pair<Index, Index>> pairs;
  for (const Index s : order) {
    const auto m = triple(s);
    for (const auto& [i, j] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
      pairs.emplace_back(static_cast<Index>(pair_number(nodes, m[i], m[j])), s);
    }
  }
  return pairs;
}

double count_sets(double nodes, double edges, double squared_degrees, SetFamily family) {
  if (is_all_pairs(family)) return nodes * (nodes - 1) / 2;
  return nodes_per_set(family) == 2 ? edges / 2 : squared_degrees / 2;
}

std::int64_t possible_types(std::int64_t labels, SetFamily family) {
  const bool connected_pairs = nodes_per_set(family) == 2 && !is_all_pairs(family);
  return multisets(labels, nodes_per_set(family)) * (connected_pairs ? 1 : 2);
}

std::int64_t rank_of_type(std::int64_t type, std::int64_t labels, SetFamily family) {
  const std::int64_t L = labels;
  const int k = nodes_per_set(family);
  const std::int64_t all = k == 2 ? L * L : L * L * L;
  const std::int64_t complete = type / all, digits = type % all;
  std::int64_t rank = complete * multisets(L, k);
  if (k == 2) {  // pairs a' <= b' before a <= b: all with a' < a, and those of a with b' < b
    const std::int64_t a = digits / L, b = digits % L;
    return rank + multisets(L, 2) - multisets(L - a, 2) + b - a;
  }
  const std::int64_t a = digits / (L * L), b = digits / L % L, c = digits % L;
  rank += multisets(L, 3) - multisets(L - a, 3);
  return rank + multisets(L - a, 2) - multisets(L - b, 2) + c - b;
}

}  // namespace agentnet
