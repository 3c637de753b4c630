#include "graph/hub_order.h"

#include <bit>

namespace agentnet {
namespace {

// The finaliser of splitmix64.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

HubOrder::HubOrder(std::uint64_t node, std::uint64_t degree) : degree_(degree) {
  // An even number of bits that holds degree - 1: at most four times as many values as entries.
  const int bits = degree > 1 ? static_cast<int>(std::bit_width(degree - 1)) : 1;
  half_bits_ = (bits + 1) / 2;
  half_mask_ = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t key = mixed(node);
  for (std::uint64_t& k : keys_) k = key = mixed(key ^ degree);
}

// A Feistel network permutes all numbers of 2 half_bits_ bits; those past the end are sent through again until they
// fall among the entries, which leaves a permutation of these.
std::uint64_t HubOrder::operator()(std::uint64_t i) const {
  do {
    std::uint64_t left = i >> half_bits_, right = i & half_mask_;
    for (const std::uint64_t key : keys_) {
      const std::uint64_t next = left ^ (mixed(right ^ key) & half_mask_);
      left = right;
      right = next;
    }
    i = (left << half_bits_) | right;
  } while (i >= degree_);
  return i;
}

}  // namespace agentnet
