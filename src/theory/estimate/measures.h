// What can be estimated, and how each is made of sums that a walk collects.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agentnet::theory {

struct Measure {
  enum class Kind { kNodes, kAverageDegree, kWedges, kTriangles, kClustering, kCliques };
  Kind kind = Kind::kNodes;
  int size = 0;  // of kCliques: 4 to 6

  [[nodiscard]] std::string name() const;
  bool operator==(const Measure&) const = default;
};
// "triangles,cliques:4". Throws Error (kUsage).
[[nodiscard]] std::vector<Measure> parse_measures(std::string_view text);

// A walk sums, over the nodes b that it passes with a before and c after, functions g(a, b, c) whose sum over all
// a - b - c, divided by d(b), is what is wanted, up to a factor:
//   kEnds g = 1 gives 2 m, kInverse 1 / d(b) the nodes, kWedge (d(b) - 1) / 2 the wedges, kClosed d(b) [a, c adjacent]
//   6 times the triangles, kClique4 and so on from there (see CountedWalk::look); kMember is for b being an anchor.
enum Column : std::size_t { kEnds, kInverse, kWedge, kClosed, kClique4, kClique5, kClique6, kMember, kColumns };

// Measure = scale * the sum over all of `top`, or that over the sum of `bottom` where there is one.
struct Recipe {
  std::size_t top = kEnds;
  double scale = 1;
  std::size_t bottom = kColumns;  // kColumns: none

  [[nodiscard]] bool ratio() const { return bottom != kColumns; }
};
[[nodiscard]] Recipe recipe_of(const Measure& measure);

inline constexpr int kMostClique = 6;

}  // namespace agentnet::theory
