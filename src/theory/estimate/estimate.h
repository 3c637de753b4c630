// Estimates of what is in a graph from a walk that sees a small part of it, with confidence intervals.
//
// A walk first collects anchors, a set S of nodes, and then makes tours: from a random node of S (in proportion to its
// degree) at random until it is in S again. Given S, tours are independent and alike, so that what they see has an
// ordinary confidence interval, however slowly the walk mixes; and for any function g of three consecutive nodes
//
//   E[sum over a tour of g(x_{t-1}, x_t, x_{t+1})]  =  sum over all a - b - c of g(a, b, c) / d(b)  /  vol(S)
//
// where vol(S) is the sum of the degrees in S. docs/theory.md has the sources. What is estimated is the connected
// component that the walk is in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "theory/estimate/walk_access.h"

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

struct EstimateOptions {
  std::vector<Measure> what;
  double error = 0.05;       // the relative error to stop at, of all of them
  double confidence = 0.95;  // of each interval
  std::uint64_t max_steps = 5'000'000;
  std::uint64_t seed = 0;
  std::function<bool()> stop = {};  // asked now and then; true ends the walk as max_steps would
};

struct Estimate {
  Measure measure;
  double value = 0;
  double low = 0, high = 0;  // the interval; from 0 to infinity if too little was seen to say anything
  bool met = false;          // the interval is as narrow as was asked for

  [[nodiscard]] double relative_error() const;
};

struct Estimates {
  std::vector<Estimate> of;
  std::uint64_t steps = 0;    // moves
  std::uint64_t anchors = 0;  // nodes of S
  std::uint64_t tours = 0;
  bool exact = false;  // all of the component was seen and counted
};

// Throws Error: kUsage for options that make no sense, kData if the walk stands on a node without neighbours.
[[nodiscard]] Estimates estimate(WalkAccess& walk, const EstimateOptions& options);

}  // namespace agentnet::theory
