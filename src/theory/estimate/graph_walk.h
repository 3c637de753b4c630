// A walker on a graph, in memory or in a file of any size, that counts what it touches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agentnet/graph.h"
#include "core/random.h"
#include "theory/estimate/id_set.h"
#include "theory/estimate/walk_access.h"

namespace agentnet::theory {

// The entries of a graph's arrays, one at a time. Of large files pages are copied, a few thousand at most: pages that
// are mapped would stay in the program's memory.
class GraphEntries {
 public:
  explicit GraphEntries(const GraphView& graph);
  [[nodiscard]] std::uint64_t offset(std::uint64_t node);
  [[nodiscard]] std::uint64_t neighbour(std::uint64_t entry);
  [[nodiscard]] std::size_t pages() const { return pages_.size(); }  // of 4096 bytes, distinct

 private:
  template <class T>
  T value(const T* at);

  const GraphView* graph_;
  bool copies_;
  std::vector<std::uint64_t> page_of_;  // which page lies in which place
  std::vector<std::byte> bytes_;        // of those pages, if they are copied
  IdSet pages_;
};

// Names are the numbers of nodes. Everything that is read of a file is checked before it is used: a damaged file
// throws Error (kData), and so does an edge that does not go back, when the walk takes it.
class GraphWalk : public PlacedAccess {
 public:
  // Stands nowhere: place() comes first.
  explicit GraphWalk(const GraphView& graph);
  // Starts on that node. Throws Error (kUsage) if there is none.
  GraphWalk(const GraphView& graph, std::uint64_t start);
  // A node that a random edge leads to: one with neighbours, and most likely of a large component. Throws Error (kData)
  // if no edge leads from a node to another.
  [[nodiscard]] static std::uint64_t random_start(const GraphView& graph, std::uint64_t seed);

  [[nodiscard]] std::uint64_t here() const override { return here_; }
  [[nodiscard]] std::uint64_t degree(std::uint64_t node) override { return list(node).degree; }
  void step(RandomSequence& random) override;
  void go(std::uint64_t node) override { here_ = node; }
  [[nodiscard]] bool adjacent(std::uint64_t a, std::uint64_t b) override;
  [[nodiscard]] bool explored() override;
  void place(RandomSequence& random) override;
  [[nodiscard]] std::vector<std::uint64_t> few_nodes(std::size_t most) override;

  [[nodiscard]] std::size_t nodes_touched() const { return touched_.size(); }  // whose neighbours were looked at
  [[nodiscard]] std::size_t pages_touched() const { return entries_.pages(); }

 private:
  struct List {
    std::uint64_t node = ~std::uint64_t{0};
    std::uint64_t begin = 0, end = 0;
    std::uint64_t degree = 0;  // without the node itself
  };
  [[nodiscard]] const List& list(std::uint64_t node);
  [[nodiscard]] bool holds(const List& list, std::uint64_t node);
  void check_both_ways(std::uint64_t from, std::uint64_t to);
  void arrive(std::uint64_t node);

  const GraphView* graph_;
  GraphEntries entries_;
  std::vector<List> recent_;
  IdSet touched_, visited_;
  std::vector<std::uint64_t> first_visited_;  // the first few
  std::uint64_t here_ = 0;
};

}  // namespace agentnet::theory
