// Random graphs with and without a planted motif.
//
// A graph with the motif: the motif and the other nodes, in random order, each hung on a random earlier node by one
// edge; then random edges up to the wanted number. An edge that would close a second motif is refused, so that the
// marked nodes are all there is to find. A graph without: such a graph again, each edge of its motif swapped with
// another one (a-b and c-d become a-d and c-b), no motif closed. Both classes therefore agree in nodes, edges, degrees
// and connectedness, and only the motif tells them apart.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "data/synthetic/synthetic_maker.h"

namespace agentnet {

namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

struct Motif {
  const char* name;
  std::uint32_t nodes;
  std::vector<Edge> edges;  // no node of degree 1, so that a tree never closes one
};

const std::vector<Motif>& motifs() {
  static const std::vector<Motif> kAll = {
      {"house", 5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}}},
      {"triangle", 3, {{0, 1}, {1, 2}, {2, 0}}},
      {"diamond", 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}}},
      {"clique4", 4, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}},
      {"cycle4", 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
      {"cycle5", 5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}},
      {"cycle6", 6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}}},
  };
  return kAll;
}

class SparseGraph {
 public:
  explicit SparseGraph(std::uint32_t nodes) : neighbours_(nodes) {}

  [[nodiscard]] std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(neighbours_.size()); }
  [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }
  [[nodiscard]] const std::vector<std::uint32_t>& neighbours(std::uint32_t u) const { return neighbours_[u]; }
  [[nodiscard]] bool joined(std::uint32_t u, std::uint32_t v) const {
    if (neighbours_[u].size() > neighbours_[v].size()) std::swap(u, v);
    return std::ranges::find(neighbours_[u], v) != neighbours_[u].end();
  }

  void add(std::uint32_t u, std::uint32_t v) {
    edges_.emplace_back(u, v);
    link(u, v);
  }
  void drop_last() {
    unlink(edges_.back().first, edges_.back().second);
    edges_.pop_back();
  }
  // Edge number `i` now runs between these nodes.
  void move(std::size_t i, Edge to) {
    unlink(edges_[i].first, edges_[i].second);
    edges_[i] = to;
    link(to.first, to.second);
  }

  [[nodiscard]] bool connected() const {
    std::vector<char> seen(neighbours_.size(), 0);
    std::vector<std::uint32_t> open = {0};
    seen[0] = 1;
    std::size_t reached = 1;
    while (!open.empty()) {
      const std::uint32_t u = open.back();
      open.pop_back();
      for (const std::uint32_t v : neighbours_[u]) {
        if (seen[v] != 0) continue;
        seen[v] = 1;
        ++reached;
        open.push_back(v);
      }
    }
    return reached == neighbours_.size();
  }

 private:
  void link(std::uint32_t u, std::uint32_t v) {
    neighbours_[u].push_back(v);
    neighbours_[v].push_back(u);
  }
  void unlink(std::uint32_t u, std::uint32_t v) {
    std::erase(neighbours_[u], v);
    std::erase(neighbours_[v], u);
  }

  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::vector<Edge> edges_;
};

// Looks for a motif through a given edge.
class MotifSearch {
 public:
  explicit MotifSearch(const Motif& motif) : motif_(motif), next_to_(motif.nodes), image_(motif.nodes) {
    for (const auto& [a, b] : motif.edges) {
      next_to_[a].push_back(b);
      next_to_[b].push_back(a);
    }
  }

  [[nodiscard]] bool through(const SparseGraph& graph, std::uint32_t u, std::uint32_t v) {
    for (const auto& [a, b] : motif_.edges) {
      for (const auto& [first, second] : {Edge{a, b}, Edge{b, a}}) {
        std::ranges::fill(image_, std::nullopt);
        image_[first] = u;
        image_[second] = v;
        if (extend(graph)) return true;
      }
    }
    return false;
  }

 private:
  // Whether the nodes that have no image yet can get one.
  bool extend(const SparseGraph& graph) {
    for (std::uint32_t a = 0; a < motif_.nodes; ++a) {
      if (image_[a]) continue;
      const auto placed = std::ranges::find_if(next_to_[a], [&](std::uint32_t b) { return image_[b].has_value(); });
      if (placed == next_to_[a].end()) continue;
      for (const std::uint32_t candidate : graph.neighbours(*image_[*placed])) {
        if (std::ranges::find(image_, std::optional(candidate)) != image_.end()) continue;
        const bool fits = std::ranges::all_of(
            next_to_[a], [&](std::uint32_t b) { return !image_[b] || graph.joined(candidate, *image_[b]); });
        if (!fits) continue;
        image_[a] = candidate;
        if (extend(graph)) return true;
        image_[a].reset();
      }
      return false;
    }
    return true;
  }

  const Motif& motif_;
  std::vector<std::vector<std::uint32_t>> next_to_;
  std::vector<std::optional<std::uint32_t>> image_;
};

class MotifMaker {
 public:
  MotifMaker(const Motif& motif, double degree, RandomSequence& random)
      : motif_(motif), search_(motif), degree_(degree), random_(random) {}

  // A graph of n nodes with exactly one motif, on the nodes order[0 .. motif.nodes); nothing if the draw ended in a
  // graph in which every further edge closes another.
  std::optional<SparseGraph> with(std::uint32_t n, std::vector<std::uint32_t>& order) {
    order.resize(n);
    std::iota(order.begin(), order.end(), 0U);
    random_.shuffle(order);
    SparseGraph graph(n);
    for (const auto& [a, b] : motif_.edges) graph.add(order[a], order[b]);
    hang_up(graph, order);
    const auto wanted = static_cast<std::size_t>(std::llround(n * degree_ / 2));
    constexpr int kTries = 1000;  // in a row
    for (int tries = 0; graph.edges().size() < wanted;) {
      if (tries++ == kTries) return std::nullopt;
      const auto u = static_cast<std::uint32_t>(random_.below(n)), v = static_cast<std::uint32_t>(random_.below(n));
      if (u == v || graph.joined(u, v)) continue;
      graph.add(u, v);
      if (search_.through(graph, u, v)) {
        graph.drop_last();
      } else {
        tries = 0;
      }
    }
    return graph;
  }

  // The same degrees without a motif; nothing if the draw did not work out.
  std::optional<SparseGraph> without(std::uint32_t n, std::vector<std::uint32_t>& order) {
    std::optional<SparseGraph> graph = with(n, order);
    for (std::size_t i = 0; graph && i < motif_.edges.size(); ++i) {  // the motif's edges are the first ones
      if (!swap_away(*graph, i)) return std::nullopt;
    }
    return graph && graph->connected() ? std::move(graph) : std::nullopt;
  }

 private:
  // Joins everything to one tree, the motif as one of its items, in no special place.
  void hang_up(SparseGraph& graph, const std::vector<std::uint32_t>& order) {
    const std::uint32_t n = graph.num_nodes(), size = motif_.nodes;
    std::vector<std::uint32_t> hung;
    const std::uint64_t turn = random_.below(n - size + 1);  // the motif comes after so many other nodes
    const auto hang = [&](std::span<const std::uint32_t> item) {
      if (!hung.empty()) graph.add(item[random_.below(item.size())], hung[random_.below(hung.size())]);
      hung.insert(hung.end(), item.begin(), item.end());
    };
    for (std::uint32_t i = size; i <= n; ++i) {
      if (i - size == turn) hang(std::span(order).first(size));
      if (i < n) hang(std::span(order).subspan(i, 1));
    }
  }

  bool swap_away(SparseGraph& graph, std::size_t i) {
    constexpr int kTries = 1000;
    const std::size_t total = graph.edges().size();
    if (total == motif_.edges.size()) return false;
    for (int tries = 0; tries < kTries; ++tries) {
      const std::size_t j = motif_.edges.size() + random_.below(total - motif_.edges.size());
      const Edge before_i = graph.edges()[i], before_j = graph.edges()[j];
      const auto [a, b] = before_i;
      auto [c, d] = before_j;
      if (random_.below(2) == 0) std::swap(c, d);
      if (a == c || a == d || b == c || b == d || graph.joined(a, d) || graph.joined(c, b)) continue;
      graph.move(i, {a, d});
      graph.move(j, {c, b});
      if (!search_.through(graph, a, d) && !search_.through(graph, c, b)) return true;
      graph.move(i, before_i);
      graph.move(j, before_j);
    }
    return false;
  }

  const Motif& motif_;
  MotifSearch search_;
  double degree_;
  RandomSequence& random_;
};

}  // namespace

std::vector<std::string> motif_names() {
  std::vector<std::string> names;
  for (const Motif& motif : motifs()) names.emplace_back(motif.name);
  return names;
}

Dataset make_motif(const SyntheticArguments& arguments) {
  const std::uint32_t mean = arguments.small("nodes");
  const std::uint32_t spread = mean / 4;
  arguments.check_size(mean + spread);
  const Motif& motif = *std::ranges::find(motifs(), arguments.word("motif"), &Motif::name);
  Dataset data = classified({"without", "with"});
  RandomSequence random(arguments.seed(), Purpose::kData);
  MotifMaker maker(motif, arguments.number("degree"), random);
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> marks;
  for (const std::size_t label : balanced_labels(arguments.graphs(), 2, random)) {
    const auto n = static_cast<std::uint32_t>(mean - spread + random.below(2 * spread + 1));
    std::optional<SparseGraph> graph;
    constexpr int kTries = 100;
    for (int tries = 0; !graph && tries < kTries; ++tries) {
      graph = label == 1 ? maker.with(n, order) : maker.without(n, order);
    }
    if (!graph) {
      arguments.fail(fmt::format("found no graph of {} nodes of degree {} with just one {}", n,
                                 arguments.word("degree"), motif.name),
                     "lower the degree, or ask for more nodes");
    }
    marks.assign(n, 0);
    for (std::uint32_t i = 0; label == 1 && i < motif.nodes; ++i) marks[order[i]] = 1;
    GraphParts parts = undirected_graph(n);
    for (const auto& [u, v] : graph->edges()) join(parts, u, v);
    add_graph(data, std::move(parts), label, {.marks = marks});
  }
  return data;
}

}  // namespace agentnet
