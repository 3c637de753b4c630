#include "nets/himp/junction_tree.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace agentnet {
namespace {

using Atoms = std::vector<Index>;

std::size_t shared_atoms(const Atoms& a, const Atoms& b) {
  Atoms both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both.size();
}

std::vector<std::vector<Index>> cliques_of_atoms(const JunctionTree& tree, Index atoms) {
  std::vector<std::vector<Index>> of(static_cast<std::size_t>(atoms));
  for (std::size_t c = 0; c < tree.cliques.size(); ++c) {
    for (const Index atom : tree.cliques[c]) of[static_cast<std::size_t>(atom)].push_back(static_cast<Index>(c));
  }
  return of;
}

// Rings, then the bonds in no ring.
void add_rings_and_bonds(const SimpleGraph& graph, JunctionTree& tree) {
  tree.cliques = smallest_rings(graph);
  tree.types.assign(tree.cliques.size(), CliqueType::kRing);
  const auto of = cliques_of_atoms(tree, graph.nodes());
  for (Index u = 0; u < graph.nodes(); ++u) {
    const std::vector<Index>& rings_of_u = of[static_cast<std::size_t>(u)];
    for (const Index v : graph.neighbours(u)) {
      // Both ends in one smallest ring: the bond is one of the ring's, since a chord would make shorter rings.
      if (v < u || shared_atoms(rings_of_u, of[static_cast<std::size_t>(v)]) > 0) continue;
      tree.cliques.push_back({u, v});
      tree.types.push_back(CliqueType::kBond);
    }
  }
}

// Rings that share more than two atoms become one. As published, one pass: a ring takes in those after it.
void merge_bridged(Index atoms, JunctionTree& tree) {
  const auto of = cliques_of_atoms(tree, atoms);
  std::vector<char> gone(tree.cliques.size(), 0);
  for (std::size_t a = 0; a < tree.cliques.size(); ++a) {
    const Atoms own = tree.cliques[a];
    for (const Index atom : own) {
      for (const Index other : of[static_cast<std::size_t>(atom)]) {
        const auto b = static_cast<std::size_t>(other);
        if (b <= a || tree.cliques[a].size() <= 2 || tree.cliques[b].size() <= 2) continue;
        if (shared_atoms(tree.cliques[a], tree.cliques[b]) <= 2) continue;
        Atoms merged;
        std::set_union(tree.cliques[a].begin(), tree.cliques[a].end(), tree.cliques[b].begin(), tree.cliques[b].end(),
                       std::back_inserter(merged));
        tree.cliques[a] = std::move(merged);
        tree.types[a] = CliqueType::kBridged;
        tree.cliques[b].clear();
        gone[b] = 1;
      }
    }
  }
  std::size_t kept = 0;
  for (std::size_t c = 0; c < tree.cliques.size(); ++c) {
    if (gone[c] != 0) continue;
    if (kept != c) tree.cliques[kept] = std::move(tree.cliques[c]);
    tree.types[kept++] = tree.types[c];
  }
  tree.cliques.resize(kept);
  tree.types.resize(kept);
}

using Links = std::map<std::pair<Index, Index>, Index>;  // cliques a < b, and how close they are: 1 to 99

// Where several bonds, or rings, meet in an atom, it becomes a clique of its own; else those that meet are linked.
Links link_cliques(Index atoms, JunctionTree& tree) {
  constexpr Index kClosest = 99;
  Links links;
  const auto of = cliques_of_atoms(tree, atoms);
  for (Index atom = 0; atom < atoms; ++atom) {
    const std::vector<Index>& met = of[static_cast<std::size_t>(atom)];
    if (met.size() <= 1) continue;
    const auto size_of = [&](Index c) { return tree.cliques[static_cast<std::size_t>(c)].size(); };
    const auto bonds = std::count_if(met.begin(), met.end(), [&](Index c) { return size_of(c) == 2; });
    const auto rings = std::count_if(met.begin(), met.end(), [&](Index c) { return size_of(c) > 4; });
    const bool many_bonds = bonds > 2 || (bonds == 2 && met.size() > 2);
    if (many_bonds || rings > 2) {
      const auto single = static_cast<Index>(tree.cliques.size());
      tree.cliques.push_back({atom});
      tree.types.push_back(CliqueType::kSingle);
      for (const Index c : met) links[{c, single}] = many_bonds ? 1 : kClosest;
      continue;
    }
    for (std::size_t i = 0; i < met.size(); ++i) {
      for (std::size_t j = i + 1; j < met.size(); ++j) {
        const auto count = static_cast<Index>(shared_atoms(tree.cliques[static_cast<std::size_t>(met[i])],
                                                           tree.cliques[static_cast<std::size_t>(met[j])]));
        const auto [link, fresh] = links.try_emplace({met[i], met[j]}, kClosest);
        link->second = std::min(link->second, count);
      }
    }
  }
  return links;
}

// A spanning forest of the closest links (Kruskal).
void keep_closest(const Links& links, JunctionTree& tree) {
  std::vector<std::pair<std::pair<Index, Index>, Index>> sorted(links.begin(), links.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<Index> part(tree.cliques.size());
  std::iota(part.begin(), part.end(), 0);
  const auto find = [&](Index c) {
    while (part[static_cast<std::size_t>(c)] != c) {
      Index& up = part[static_cast<std::size_t>(c)];
      c = up = part[static_cast<std::size_t>(up)];
    }
    return c;
  };
  for (const auto& [pair, closeness] : sorted) {
    const Index a = find(pair.first), b = find(pair.second);
    if (a == b) continue;
    part[static_cast<std::size_t>(a)] = b;
    tree.edges.push_back(pair);
  }
  std::sort(tree.edges.begin(), tree.edges.end());
}

}  // namespace

JunctionTree junction_tree(const SimpleGraph& graph) {
  JunctionTree tree;
  add_rings_and_bonds(graph, tree);
  merge_bridged(graph.nodes(), tree);
  keep_closest(link_cliques(graph.nodes(), tree), tree);
  return tree;
}

}  // namespace agentnet
