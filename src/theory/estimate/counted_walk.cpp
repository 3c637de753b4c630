#include "theory/estimate/counted_walk.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace agentnet::theory {

CountedWalk::CountedWalk(WalkAccess& walk, const EstimateOptions& options)
    : walk_(&walk), options_(&options), random_(options.seed, Purpose::kMove) {
  for (const Measure& measure : options.what) {
    if (measure.kind == Measure::Kind::kCliques) largest_clique_ = std::max(largest_clique_, measure.size);
    const std::size_t top = recipe_of(measure).top;
    wants_triangles_ = wants_triangles_ || (top >= kClosed && top <= kClique6);
  }
}

bool CountedWalk::over() {
  if (steps_ >= options_->max_steps) return true;
  if (steps_ >= next_poll_ && options_->stop) {
    constexpr std::uint64_t kPoll = 1024;
    next_poll_ = steps_ + kPoll;
    stopped_ = stopped_ || options_->stop();
  }
  return stopped_;
}

// g(a, b, c) = d(b) if a, b, c are a triangle: every triangle is met in 6 orders. Larger cliques from there: another
// neighbour of the clique's node of least degree, each of which stands for that many.
void CountedWalk::look(std::uint64_t a, std::uint64_t b, double degree, Sums& sums) {
  const std::uint64_t c = walk_->here();
  if (a == c || !walk_->adjacent(a, c)) return;
  sums[kClosed] += degree;
  if (largest_clique_ < 4) return;
  constexpr int kTries = 8;
  for (int i = 0; i < kTries; ++i) grow_clique({a, b, c}, degree / kTries, sums);
  go(c);
}

void CountedWalk::grow_clique(std::array<std::uint64_t, kMostClique> clique, double weight, Sums& sums) {
  for (std::size_t size = 3; size < static_cast<std::size_t>(largest_clique_); ++size) {
    const std::uint64_t least = least_of(clique, size);
    weight *= static_cast<double>(walk_->degree(least));
    go(least);
    step();
    const std::uint64_t next = walk_->here();
    for (std::size_t i = 0; i < size; ++i) {
      if (next == clique[i] || (clique[i] != least && !walk_->adjacent(next, clique[i]))) return;
    }
    clique[size] = next;
    sums[kClosed + size - 2] += weight;
  }
}

std::uint64_t CountedWalk::least_of(const std::array<std::uint64_t, kMostClique>& clique, std::size_t size) {
  return *std::min_element(clique.begin(), clique.begin() + static_cast<std::ptrdiff_t>(size),
                           [&](std::uint64_t a, std::uint64_t b) { return walk_->degree(a) < walk_->degree(b); });
}

std::vector<Estimate> count_all(WalkAccess& walk, const std::vector<std::uint64_t>& nodes,
                                const std::vector<Measure>& what) {
  const std::size_t n = nodes.size();
  std::vector<std::vector<std::size_t>> later(n);  // adjacent nodes of higher number
  double ends = 0, wedges = 0;
  for (std::size_t u = 0; u < n; ++u) {
    const auto degree = static_cast<double>(walk.degree(nodes[u]));
    ends += degree;
    wedges += degree * (degree - 1) / 2;
    for (std::size_t v = u + 1; v < n; ++v) {
      if (walk.adjacent(nodes[u], nodes[v])) later[u].push_back(v);
    }
  }
  const auto cliques = [&](const auto& self, const std::vector<std::size_t>& common, int size) -> double {
    if (size == 0) return 1;
    double count = 0;
    for (const std::size_t u : common) {
      std::vector<std::size_t> both;
      std::set_intersection(common.begin(), common.end(), later[u].begin(), later[u].end(), std::back_inserter(both));
      count += self(self, both, size - 1);
    }
    return count;
  };
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), 0);
  const auto count = [&](const Measure& measure) -> double {
    switch (measure.kind) {
      case Measure::Kind::kNodes:
        return static_cast<double>(n);
      case Measure::Kind::kAverageDegree:
        return ends / static_cast<double>(n);
      case Measure::Kind::kWedges:
        return wedges;
      case Measure::Kind::kTriangles:
        return cliques(cliques, all, 3);
      case Measure::Kind::kClustering:
        return wedges > 0 ? 3 * cliques(cliques, all, 3) / wedges : 0;
      case Measure::Kind::kCliques:
        return cliques(cliques, all, measure.size);
    }
    return 0;
  };
  std::vector<Estimate> counted;
  for (const Measure& measure : what) {
    const double value = count(measure);
    counted.push_back({measure, value, value, value, true});
  }
  return counted;
}

}  // namespace agentnet::theory
