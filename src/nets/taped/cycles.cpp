#include "nets/taped/cycles.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace agentnet {
namespace {

// Nodes in the order in which they are roots: many neighbours first, so that later searches, which leave out earlier
// roots, do not pass them again and again.
std::vector<Index> ranks_by_degree(const SimpleGraph& graph) {
  std::vector<Index> order(static_cast<std::size_t>(graph.nodes())), rank(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return graph.degree(a) > graph.degree(b); });
  for (std::size_t i = 0; i < order.size(); ++i) rank[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  return rank;
}

// Nodes on no cycle for sure: what remains when nodes with fewer than two neighbours are taken away, again and again.
std::vector<char> in_core(const SimpleGraph& graph) {
  std::vector<char> in(static_cast<std::size_t>(graph.nodes()), 1);
  std::vector<Index> left(in.size()), queue;
  for (Index v = 0; v < graph.nodes(); ++v) {
    left[static_cast<std::size_t>(v)] = graph.degree(v);
    if (graph.degree(v) < 2) queue.push_back(v);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    in[static_cast<std::size_t>(queue[i])] = 0;
    for (const Index u : graph.neighbours(queue[i])) {
      if (--left[static_cast<std::size_t>(u)] == 1) queue.push_back(u);
    }
  }
  return in;
}

class CycleSearch {
 public:
  CycleSearch(const SimpleGraph& graph, int longest, bool induced, std::uint64_t most, const VisitNodes& visit)
      : graph_(graph),
        longest_(longest),
        induced_(induced),
        left_(most),
        visit_(visit),
        rank_(ranks_by_degree(graph)),
        core_(in_core(graph)),
        on_path_(core_.size(), 0),
        blocked_(core_.size(), 0),
        home_(core_.size(), kFar),
        seen_(core_.size(), 0),
        depth_(core_.size(), 0) {}

  bool run() {
    for (Index v = 0; v < graph_.nodes(); ++v) {
      if (core_[at(v)] != 0 && !from(v)) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t looked() const { return looked_; }

 private:
  static constexpr int kFar = 1 << 20;
  [[nodiscard]] static std::size_t at(Index v) { return static_cast<std::size_t>(v); }
  // Cycles are found at the node of theirs that comes first.
  [[nodiscard]] bool allowed(Index v) const { return core_[at(v)] != 0 && rank_[at(v)] > rank_[at(root_)]; }

  bool from(Index root) {
    root_ = root;
    measure();
    path_.assign(1, root);
    on_path_[at(root)] = 1;
    bool going = true;
    for (const Index v : graph_.neighbours(root)) {
      if (!allowed(v)) continue;
      path_.push_back(v);
      on_path_[at(v)] = 1;
      going = extend();
      on_path_[at(v)] = 0;
      path_.pop_back();
      if (!going) break;
    }
    on_path_[at(root)] = 0;
    for (const Index v : measured_) home_[at(v)] = kFar;
    return going;
  }

  // home_[v]: the distance from the root, at most longest - 1, among the nodes that are allowed.
  void measure() {
    measured_.assign(1, root_);
    home_[at(root_)] = 0;
    for (std::size_t i = 0; i < measured_.size(); ++i) {
      const int next = home_[at(measured_[i])] + 1;
      if (next >= longest_) break;
      looked_ += graph_.neighbours(measured_[i]).size();
      for (const Index u : graph_.neighbours(measured_[i])) {
        if (home_[at(u)] != kFar || !allowed(u)) continue;
        home_[at(u)] = next;
        measured_.push_back(u);
      }
    }
  }

  // All cycles that begin with the path, which has at least two nodes.
  bool extend() {
    const Index v = path_.back();
    const int used = static_cast<int>(path_.size());
    looked_ += graph_.neighbours(v).size();
    if (induced_) {
      for (const Index u : graph_.neighbours(v)) ++blocked_[at(u)];
    }
    bool going = true;
    for (const Index w : graph_.neighbours(v)) {
      if (w == root_ || home_[at(w)] == kFar || on_path_[at(w)] != 0 || used + home_[at(w)] > longest_) continue;
      if (induced_ && blocked_[at(w)] != 1) continue;
      const bool closes = home_[at(w)] == 1;
      if (closes && rank_[at(path_[1])] < rank_[at(w)]) {  // each cycle is met in both directions
        path_.push_back(w);
        going = left_-- > 0;
        if (going) visit_(path_);
        path_.pop_back();
      }
      if (going && !(closes && induced_) && leads_home(w, longest_ - used)) {
        path_.push_back(w);
        on_path_[at(w)] = 1;
        going = extend();
        on_path_[at(w)] = 0;
        path_.pop_back();
      }
      if (!going) break;
    }
    if (induced_) {
      for (const Index u : graph_.neighbours(v)) --blocked_[at(u)];
    }
    return going;
  }

  // Whether a way of 2 to `most` edges leads from w to the root without touching the path (or, for induced cycles, what
  // is next to it). If w is next to the root itself, the edge between them does not count.
  bool leads_home(Index w, int most) {
    ++stamp_;
    ways_.assign(1, w);
    seen_[at(w)] = stamp_;
    depth_[at(w)] = 0;
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      const int next = depth_[at(ways_[i])] + 1;
      for (const Index u : graph_.neighbours(ways_[i])) {
        ++looked_;
        if (seen_[at(u)] == stamp_ || u == root_ || home_[at(u)] == kFar || on_path_[at(u)] != 0) continue;
        if (next + home_[at(u)] > most || (induced_ && blocked_[at(u)] != 0)) continue;
        if (home_[at(u)] == 1) return true;
        seen_[at(u)] = stamp_;
        depth_[at(u)] = next;
        ways_.push_back(u);
      }
    }
    return false;
  }

  const SimpleGraph& graph_;
  int longest_;
  bool induced_;
  std::uint64_t left_;
  const VisitNodes& visit_;
  std::vector<Index> rank_;
  std::vector<char> core_, on_path_;
  std::vector<int> blocked_, home_;
  std::vector<std::uint64_t> seen_;
  std::vector<int> depth_;
  std::uint64_t stamp_ = 0, looked_ = 0;
  Index root_ = 0;
  std::vector<Index> path_, measured_, ways_;
};

class CliqueSearch {
 public:
  CliqueSearch(const SimpleGraph& graph, int largest, std::uint64_t most, const VisitNodes& visit)
      : graph_(graph), largest_(static_cast<std::size_t>(largest)), left_(most), visit_(visit) {}

  bool run() {
    // Nodes join in an order that puts hubs last: who still may join are then few.
    std::vector<Index> rank = ranks_by_degree(graph_);
    for (Index v = 0; v < graph_.nodes(); ++v) {
      std::vector<Index> joining;
      for (const Index u : graph_.neighbours(v)) {
        if (rank[static_cast<std::size_t>(u)] < rank[static_cast<std::size_t>(v)]) joining.push_back(u);
      }
      clique_.assign(1, v);
      if (!extend(joining)) return false;
    }
    return true;
  }

 private:
  // `joining`: nodes next to all of the clique, none of which was tried before.
  bool extend(const std::vector<Index>& joining) {
    if (clique_.size() >= 3) {
      if (left_-- == 0) return false;
      visit_(clique_);
    }
    if (clique_.size() == largest_) return true;
    for (std::size_t i = 0; i < joining.size(); ++i) {
      std::vector<Index> next;
      for (std::size_t j = i + 1; j < joining.size(); ++j) {
        if (graph_.adjacent(joining[i], joining[j])) next.push_back(joining[j]);
      }
      clique_.push_back(joining[i]);
      const bool going = extend(next);
      clique_.pop_back();
      if (!going) return false;
    }
    return true;
  }

  const SimpleGraph& graph_;
  std::size_t largest_;
  std::uint64_t left_;
  const VisitNodes& visit_;
  std::vector<Index> clique_;
};

}  // namespace

bool for_each_cycle(const SimpleGraph& graph, int longest, bool induced, std::uint64_t most, const VisitNodes& visit,
                    std::uint64_t* looked) {
  CycleSearch search(graph, longest, induced, most, visit);
  const bool all = search.run();
  if (looked != nullptr) *looked = search.looked();
  return all;
}

bool for_each_clique(const SimpleGraph& graph, int largest, std::uint64_t most, const VisitNodes& visit) {
  return largest < 3 || CliqueSearch(graph, largest, most, visit).run();
}

}  // namespace agentnet
