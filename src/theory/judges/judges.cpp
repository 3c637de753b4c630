#include "theory/judges/judges.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

namespace agentnet::theory {

namespace {

// Maps node `u` of g and those after it, given what the nodes before it became.
bool extend(const SmallGraph& g, const SmallGraph& h, int root_g, int root_h, int u, std::uint32_t used,
            std::array<int, SmallGraph::kMostNodes>& image) {
  if (u == g.nodes) return true;
  for (int v = 0; v < h.nodes; ++v) {
    if (((used >> v) & 1u) != 0 || g.degree(u) != h.degree(v) || (u == root_g) != (v == root_h) ||
        g.labels[static_cast<std::size_t>(u)] != h.labels[static_cast<std::size_t>(v)]) {
      continue;
    }
    bool fits = true;
    for (int w = 0; w < u && fits; ++w) fits = g.adjacent(u, w) == h.adjacent(v, image[static_cast<std::size_t>(w)]);
    if (!fits) continue;
    image[static_cast<std::size_t>(u)] = v;
    if (extend(g, h, root_g, root_h, u + 1, used | (1u << v), image)) return true;
  }
  return false;
}

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

// Calls f for every set of `size` of the nodes below g.nodes that contains v.
template <class F>
void for_each_subset_with(const SmallGraph& g, int v, int size, F&& f) {
  for (std::uint32_t members = 0; members < (std::uint64_t{1} << g.nodes); ++members) {
    if (((members >> v) & 1u) != 0 && std::popcount(members) == size) f(members);
  }
}

int place_in(std::uint32_t members, int v) { return std::popcount(members & ((1u << v) - 1)); }

std::uint64_t paths_back(const SmallGraph& g, int at, int goal, int left, std::uint32_t used) {
  if (left == 0) return g.adjacent(at, goal) ? 1 : 0;
  std::uint64_t sum = 0;
  for (int next = 0; next < g.nodes; ++next) {
    if (g.adjacent(at, next) && ((used >> next) & 1u) == 0) {
      sum += paths_back(g, next, goal, left - 1, used | (1u << next));
    }
  }
  return sum;
}

std::size_t distinct(const std::vector<std::vector<std::uint32_t>>& colours) {
  std::vector<std::uint32_t> all;
  for (const auto& of_graph : colours) all.insert(all.end(), of_graph.begin(), of_graph.end());
  std::sort(all.begin(), all.end());
  return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
}

}  // namespace

bool isomorphic(const SmallGraph& g, const SmallGraph& h, int root_g, int root_h) {
  if (g.nodes != h.nodes || g.edges() != h.edges()) return false;
  std::array<int, SmallGraph::kMostNodes> image{};
  return extend(g, h, root_g, root_h, 0, 0, image);
}

std::uint64_t count_induced(const SmallGraph& g, int v, const SmallGraph& h, int v0) {
  std::uint64_t count = 0;
  for_each_subset_with(g, v, h.nodes, [&](std::uint32_t members) {
    count += isomorphic(g.induced(members), h, place_in(members, v), v0) ? 1 : 0;
  });
  return count;
}

std::vector<std::uint64_t> count_cliques(const SmallGraph& g, int v) {
  std::vector<std::uint64_t> count(static_cast<std::size_t>(g.nodes) + 1);
  for (std::uint32_t members = 0; members < (std::uint64_t{1} << g.nodes); ++members) {
    if (((members >> v) & 1u) == 0) continue;
    bool clique = true;
    for (int u = 0; u < g.nodes && clique; ++u) {
      if (((members >> u) & 1u) != 0) clique = (members & ~(1u << u) & ~g.row(u)) == 0;
    }
    count[static_cast<std::size_t>(std::popcount(members))] += clique ? 1 : 0;
  }
  return count;
}

std::uint64_t count_cycles(const SmallGraph& g, int v, int length) {
  return paths_back(g, v, v, length - 1, 1u << v) / 2;  // each in both directions
}

std::vector<std::vector<std::uint32_t>> refine_colours(const std::vector<SmallGraph>& graphs, int rounds) {
  std::vector<std::vector<std::uint32_t>> colours;
  for (const SmallGraph& g : graphs) colours.emplace_back(g.labels.begin(), g.labels.begin() + g.nodes);
  return refine_colours(graphs, std::move(colours), rounds);
}

std::vector<std::vector<std::uint32_t>> refine_colours(const std::vector<SmallGraph>& graphs,
                                                       std::vector<std::vector<std::uint32_t>> colours, int rounds) {
  std::size_t before = distinct(colours);
  for (int round = 0; rounds < 0 || round < rounds; ++round) {
    std::map<std::vector<std::uint32_t>, std::uint32_t> names;
    auto next = colours;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      for (int u = 0; u < graphs[i].nodes; ++u) {
        std::vector<std::uint32_t> around;
        for (int w = 0; w < graphs[i].nodes; ++w) {
          if (graphs[i].adjacent(u, w)) around.push_back(colours[i][static_cast<std::size_t>(w)]);
        }
        std::vector<std::uint32_t> key = sorted(std::move(around));
        key.push_back(colours[i][static_cast<std::size_t>(u)]);
        next[i][static_cast<std::size_t>(u)] =
            names.try_emplace(std::move(key), static_cast<std::uint32_t>(names.size())).first->second;
      }
    }
    colours = std::move(next);
    const std::size_t now = distinct(colours);
    if (rounds < 0 && now == before) break;
    before = now;
  }
  return colours;
}

bool told_apart_by_1wl(const SmallGraph& g, const SmallGraph& h) {
  const auto colours = refine_colours({g, h});
  return sorted(colours[0]) != sorted(colours[1]);
}

bool told_apart_by_2fwl(const SmallGraph& g, const SmallGraph& h) {
  const std::array graphs = {&g, &h};
  std::vector<std::vector<std::uint32_t>> colours(2);  // [graph][u * nodes + v]
  for (std::size_t i = 0; i < 2; ++i) {
    for (int u = 0; u < graphs[i]->nodes; ++u) {
      for (int v = 0; v < graphs[i]->nodes; ++v) {
        const std::uint32_t labels =
            graphs[i]->labels[static_cast<std::size_t>(u)] * 256u + graphs[i]->labels[static_cast<std::size_t>(v)];
        colours[i].push_back(4 * labels + (u == v ? 2u : graphs[i]->adjacent(u, v) ? 1u : 0u));
      }
    }
  }
  std::size_t before = distinct(colours);
  while (true) {
    std::map<std::vector<std::uint32_t>, std::uint32_t> names;
    auto next = colours;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto n = static_cast<std::size_t>(graphs[i]->nodes);
      for (std::size_t u = 0; u < n; ++u) {
        for (std::size_t v = 0; v < n; ++v) {
          std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
          for (std::size_t w = 0; w < n; ++w) pairs.emplace_back(colours[i][u * n + w], colours[i][w * n + v]);
          std::sort(pairs.begin(), pairs.end());
          std::vector<std::uint32_t> key{colours[i][u * n + v]};
          for (const auto& [a, b] : pairs) key.insert(key.end(), {a, b});
          next[i][u * n + v] =
              names.try_emplace(std::move(key), static_cast<std::uint32_t>(names.size())).first->second;
        }
      }
    }
    colours = std::move(next);
    if (sorted(colours[0]) != sorted(colours[1])) return true;
    const std::size_t now = distinct(colours);
    if (now == before) return false;
    before = now;
  }
}

bool told_apart_by_subgraph_counts(const SmallGraph& g, const SmallGraph& h, int size) {
  // Types of connected graphs with a root, as they are met.
  std::vector<std::pair<SmallGraph, int>> types;
  std::map<std::vector<std::pair<std::size_t, int>>, std::uint32_t> names;
  std::vector<std::vector<std::uint32_t>> colours(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const SmallGraph& graph = i == 0 ? g : h;
    for (int v = 0; v < graph.nodes; ++v) {
      std::map<std::size_t, int> counts;
      for (int k = 2; k <= size; ++k) {
        for_each_subset_with(graph, v, k, [&](std::uint32_t members) {
          const SmallGraph part = graph.induced(members);
          if (part.ball(0, part.nodes) != (1u << part.nodes) - 1) return;
          const int root = place_in(members, v);
          const auto known = std::find_if(types.begin(), types.end(), [&](const auto& type) {
            return isomorphic(part, type.first, root, type.second);
          });
          ++counts[static_cast<std::size_t>(known - types.begin())];
          if (known == types.end()) types.emplace_back(part, root);
        });
      }
      const std::vector<std::pair<std::size_t, int>> key(counts.begin(), counts.end());
      colours[i].push_back(names.try_emplace(key, static_cast<std::uint32_t>(names.size())).first->second);
    }
  }
  const auto refined = refine_colours({g, h}, std::move(colours));
  return sorted(refined[0]) != sorted(refined[1]);
}

}  // namespace agentnet::theory
