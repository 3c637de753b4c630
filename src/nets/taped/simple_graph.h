// One graph without directions, loops and repetitions: what cycles, cliques and rings are counted in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agentnet/graph.h"
#include "tensor/kernels.h"

namespace agentnet {

class SimpleGraph {
 public:
  // Node v is next to members[e] - first_node for e in [offsets[v], offsets[v + 1]): a stretch of a batch's arrays.
  SimpleGraph(Index nodes, const std::int64_t* offsets, const Index* members, Index first_node);
  explicit SimpleGraph(const GraphView& graph);

  [[nodiscard]] Index nodes() const { return static_cast<Index>(offsets_.size()) - 1; }
  // Entries of all lists: every edge counts twice.
  [[nodiscard]] std::size_t entries() const { return targets_.size(); }
  // Ascending.
  [[nodiscard]] std::span<const Index> neighbours(Index v) const {
    const auto at = static_cast<std::size_t>(v);
    return std::span(targets_).subspan(offsets_[at], offsets_[at + 1] - offsets_[at]);
  }
  [[nodiscard]] Index degree(Index v) const { return static_cast<Index>(neighbours(v).size()); }
  [[nodiscard]] bool adjacent(Index u, Index v) const;

 private:
  // From pairs (a[i], b[i]), in linear time.
  void build(Index nodes, std::vector<Index> a, std::vector<Index> b);

  std::vector<std::size_t> offsets_{0};
  std::vector<Index> targets_;
};

}  // namespace agentnet
