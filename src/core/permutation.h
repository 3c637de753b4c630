// Random orders of any length that take no memory, and can be asked both ways.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace agentnet {

// A permutation of 0 .. size - 1 for each seed; part of the graph set file's format (graph/hub_order.h). A Feistel
// network permutes the numbers of an even number of bits; what falls outside is sent through again until it is inside.
class Permutation {
 public:
  Permutation(std::uint64_t size, std::uint64_t seed) : size_(size) {
    const int bits = size > 1 ? static_cast<int>(std::bit_width(size - 1)) : 1;
    half_bits_ = (bits + 1) / 2;
    half_mask_ = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t key = mixed(seed);
    for (std::uint64_t& k : keys_) k = key = mixed(key ^ size);
  }

  [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const {
    do {
      std::uint64_t left = i >> half_bits_, right = i & half_mask_;
      for (const std::uint64_t key : keys_) {
        const std::uint64_t next = left ^ (mixed(right ^ key) & half_mask_);
        left = right;
        right = next;
      }
      i = left << half_bits_ | right;
    } while (i >= size_);
    return i;
  }

  // Where operator() gives i.
  [[nodiscard]] std::uint64_t inverse(std::uint64_t i) const {
    do {
      std::uint64_t left = i >> half_bits_, right = i & half_mask_;
      for (std::size_t k = keys_.size(); k-- > 0;) {
        const std::uint64_t before = right ^ (mixed(left ^ keys_[k]) & half_mask_);
        right = left;
        left = before;
      }
      i = left << half_bits_ | right;
    } while (i >= size_);
    return i;
  }

 private:
  // The finaliser of splitmix64.
  [[nodiscard]] static constexpr std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
  }

  std::uint64_t size_;
  int half_bits_;
  std::uint64_t half_mask_;
  std::array<std::uint64_t, 4> keys_{};
};

}  // namespace agentnet
