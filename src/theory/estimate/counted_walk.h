// A walk that counts its steps, and what it sees of triangles and cliques on its way.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "theory/estimate/estimate.h"
#include "theory/estimate/moments.h"
#include "theory/estimate/walk_access.h"

namespace agentnet::theory {

class CountedWalk {
 public:
  CountedWalk(WalkAccess& walk, const EstimateOptions& options);

  [[nodiscard]] std::uint64_t here() const { return walk_->here(); }
  [[nodiscard]] double degree() { return static_cast<double>(walk_->degree(walk_->here())); }
  void step() {
    walk_->step(random_);
    ++steps_;
  }
  void go(std::uint64_t name) {
    if (walk_->here() == name) return;
    walk_->go(name);
    ++steps_;
  }
  void count_step() { ++steps_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  // Whether the steps ran out or the caller wants an end.
  [[nodiscard]] bool over();
  [[nodiscard]] RandomSequence& random() { return random_; }
  // Whether the node before a centre matters.
  [[nodiscard]] bool wants_triangles() const { return wants_triangles_; }

  // The walk came from a over b, of this degree, to here. Adds to `sums` what that shows of triangles and cliques.
  void look(std::uint64_t a, std::uint64_t b, double degree, Sums& sums);

 private:
  void grow_clique(std::array<std::uint64_t, kMostClique> clique, double weight, Sums& sums);
  [[nodiscard]] std::uint64_t least_of(const std::array<std::uint64_t, kMostClique>& clique, std::size_t size);

  WalkAccess* walk_;
  const EstimateOptions* options_;
  RandomSequence random_;
  int largest_clique_ = 0;
  bool wants_triangles_ = false;
  std::uint64_t steps_ = 0, next_poll_ = 0;
  bool stopped_ = false;
};

// Exact counts in what is induced by these nodes, by the walk's own questions: for a few hundred nodes at most.
[[nodiscard]] std::vector<Estimate> count_all(WalkAccess& walk, const std::vector<std::uint64_t>& nodes,
                                              const std::vector<Measure>& what);

inline constexpr std::size_t kMostCounted = 256;  // graphs and components of so many nodes are counted

}  // namespace agentnet::theory
