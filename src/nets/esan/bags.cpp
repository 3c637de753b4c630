#include "nets/esan/bags.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace agentnet {
namespace {

using Pair = std::pair<Index, Index>;

template <class F>
void each_edge(const BagGraph& graph, const F& f) {  // f(receiver, sender, edge)
  const std::int64_t base = graph.offsets.front();
  for (Index v = 0; v < graph.nodes; ++v) {
    for (auto e = graph.offsets[static_cast<std::size_t>(v)] - base;
         e < graph.offsets[static_cast<std::size_t>(v) + 1] - base; ++e) {
      f(v, graph.senders[static_cast<std::size_t>(e)], static_cast<Index>(e));
    }
  }
}

// Undirected edges by their ends, each once.
std::vector<Pair> undirected_edges(const BagGraph& graph) {
  std::vector<Pair> pairs;
  each_edge(graph, [&](Index v, Index u, Index) { pairs.emplace_back(std::min(u, v), std::max(u, v)); });
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

class BagMaker {
 public:
  BagMaker(const BagGraph& graph, BagPolicy policy, int hops) : graph_(graph), policy_(policy), hops_(hops) {
    if (policy == BagPolicy::kEdgeDeleted) pairs_ = undirected_edges(graph);
    if (is_ego()) seen_by_.assign(static_cast<std::size_t>(graph.nodes), -1);
  }

  Bag make(std::span<const Index> numbers) {
    for (const Index number : numbers) {
      if (is_ego()) {
        look_around(number);
        add([&](Index v) { return in_net(v, number); }, [&](Index, Index u) { return in_net(u, number); });
      } else if (policy_ == BagPolicy::kNodeDeleted) {
        add([&](Index v) { return v != number; }, [&](Index, Index u) { return u != number; });
      } else {
        const Pair gone = pairs_.empty() ? Pair{-1, -1} : pairs_[static_cast<std::size_t>(number)];
        add([](Index) { return true; }, [&](Index v, Index u) { return Pair(std::min(u, v), std::max(u, v)) != gone; });
      }
    }
    return std::move(bag_);
  }

 private:
  [[nodiscard]] bool is_ego() const { return policy_ == BagPolicy::kEgoNets || policy_ == BagPolicy::kEgoNetsPlus; }
  [[nodiscard]] bool in_net(Index v, Index root) const { return seen_by_[static_cast<std::size_t>(v)] == root; }

  // Marks the nodes that are at most `hops` edges away. Nodes are found from those that receive to those that send.
  void look_around(Index root) {
    std::vector<Index> reached = {root};
    seen_by_[static_cast<std::size_t>(root)] = root;
    std::size_t first = 0;
    const std::int64_t base = graph_.offsets.front();
    for (int hop = 0; hop < hops_ && first < reached.size(); ++hop) {
      const std::size_t last = reached.size();
      for (; first < last; ++first) {
        const auto v = static_cast<std::size_t>(reached[first]);
        for (auto e = graph_.offsets[v] - base; e < graph_.offsets[v + 1] - base; ++e) {
          const Index u = graph_.senders[static_cast<std::size_t>(e)];
          if (in_net(u, root)) continue;
          seen_by_[static_cast<std::size_t>(u)] = root;
          reached.push_back(u);
        }
      }
    }
  }

  // Edges that a node for which receives(v) is true gets from a node for which kept(v, u) is true.
  template <class Receives, class Kept>
  void add(const Receives& receives, const Kept& kept) {
    const Index first = bag_.subgraphs++ * graph_.nodes;
    const std::int64_t base = graph_.offsets.front();
    for (Index v = 0; v < graph_.nodes; ++v) {
      const auto node = static_cast<std::size_t>(v);
      const auto last = receives(v) ? graph_.offsets[node + 1] : graph_.offsets[node];
      for (auto e = graph_.offsets[node] - base; e < last - base; ++e) {
        const Index u = graph_.senders[static_cast<std::size_t>(e)];
        if (!kept(v, u)) continue;
        bag_.senders.push_back(first + u);
        bag_.edges.push_back(static_cast<Index>(e));
      }
      bag_.offsets.push_back(static_cast<std::int64_t>(bag_.senders.size()));
    }
  }

  const BagGraph& graph_;
  BagPolicy policy_;
  int hops_;
  std::vector<Pair> pairs_;
  std::vector<Index> seen_by_;  // the last root that has the node in its net
  Bag bag_;
};

}  // namespace

Index bag_size(const BagGraph& graph, BagPolicy policy) {
  if (policy != BagPolicy::kEdgeDeleted) return graph.nodes;
  return std::max(Index{1}, static_cast<Index>(undirected_edges(graph).size()));
}

Bag make_bag(const BagGraph& graph, BagPolicy policy, int hops, std::span<const Index> numbers) {
  return BagMaker(graph, policy, hops).make(numbers);
}

Index sample_size(Index size, double fraction) {
  return std::clamp(static_cast<Index>(std::ceil(fraction * size)), std::min(size, Index{1}), size);
}

}  // namespace agentnet
