// The order in which long neighbour lists are kept a second time, so that they can be sampled.
//
// A pseudo-random permutation of 0 .. degree - 1 for each node: any stretch of the list in this order is a uniform
// sample of it without repetition. In a file the list is written in this order and a sample reads a page or two of it;
// in memory the same sample is picked from the ascending list, entry by entry. Part of the file format.
#pragma once

#include <cstdint>

#include "core/permutation.h"

namespace agentnet {

// Entries of a page: shorter lists are sampled where they stand.
inline constexpr std::uint64_t kLongList = 1024;

class HubOrder {
 public:
  HubOrder(std::uint64_t node, std::uint64_t degree) : order_(degree, node) {}
  // Where in the ascending list entry i of the shuffled one stands; i < degree.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const { return order_(i); }

 private:
  Permutation order_;
};

}  // namespace agentnet
