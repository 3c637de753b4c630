// Estimates of what is in a graph from walks that see a small part of it, with confidence intervals.
//
// By one walk (estimate): it first collects anchors, a set S of nodes, and then makes tours: from a random node of S
// (in proportion to its degree) at random until it is in S again. Given S, tours are independent and alike, and for any
// function g of three consecutive nodes
//
//   E[sum over a tour of g(x_{t-1}, x_t, x_{t+1})]  =  sum over all a - b - c of g(a, b, c) / d(b)  /  vol(S)
//
// where vol(S) is the sum of the degrees in S. What is estimated is the connected component that the walk is in, and
// nothing can tell such a walk of a part of it that no tour came to.
//
// By many walks that begin at random places (estimate_whole): short ones, each from where a random edge leads, so that
// every node of every walk is distributed as the ends of edges are, however slowly walks mix. Walks are independent and
// alike; with S the nodes that earlier walks met,
//
//   E[g(x_{t-1}, x_t, x_{t+1})] = sum over all a - b - c of g(a, b, c) / d(b)  /  2 m
//   P(x_t in S) = vol(S) / 2 m
//
// What is estimated is the whole graph, but for nodes without neighbours. docs/theory.md has the sources.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "theory/estimate/measures.h"
#include "theory/estimate/walk_access.h"

namespace agentnet::theory {

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
  std::uint64_t steps = 0;    // moves; beginning somewhere else is one
  std::uint64_t anchors = 0;  // nodes of S
  std::uint64_t tours = 0;    // of one walk
  std::uint64_t walks = 0;    // of many, those that collected anchors left out
  double unseen = 0;          // parts that no walk came into have at most this share of all ends of edges
  bool exact = false;         // everything was seen and counted
};

// Of the component that the walk is in. Throws Error: kUsage for options that make no sense, kData if the walk stands
// on a node without neighbours.
[[nodiscard]] Estimates estimate(WalkAccess& walk, const EstimateOptions& options);

// Of the whole graph, but for nodes without neighbours. Throws Error: kUsage for options that make no sense, kData if
// there are no edges.
[[nodiscard]] Estimates estimate_whole(PlacedAccess& walk, const EstimateOptions& options);

// Throws Error (kUsage) for options that make no sense.
void check_estimate_options(const EstimateOptions& options);

}  // namespace agentnet::theory
