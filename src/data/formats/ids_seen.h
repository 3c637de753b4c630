// Which ids occur, a bit each, and their ranks: ids that occur become the nodes 0, 1, ... in ascending order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "data/huge/page_buffer.h"

namespace agentnet {

class IdsSeen {
 public:
  // Has room for ids below 8 * `bytes`; pages are only taken where ids are.
  explicit IdsSeen(std::uint64_t bytes) : words_(std::max<std::uint64_t>(bytes / 8, 1)) {}

  void mark(std::uint64_t id) {
    if (id / 64 >= words_.size()) {
      overflowed_ = true;
      return;
    }
    words_[id / 64] |= std::uint64_t{1} << (id % 64);
    last_word_ = std::max(last_word_, id / 64);
  }
  [[nodiscard]] bool overflowed() const { return overflowed_; }
  [[nodiscard]] std::uint64_t room() const { return words_.size() * 64; }

  // When all are marked: how many there are; rank() may be asked from now on. Takes half as much memory again.
  std::uint64_t count() {
    std::uint64_t sum = 0;
    before_ = PageBuffer<std::uint32_t>(last_word_ + 1);
    blocks_.clear();
    for (std::uint64_t w = 0; w <= last_word_; ++w) {
      if (w % kBlock == 0) blocks_.push_back(sum);
      before_[w] = static_cast<std::uint32_t>(sum - blocks_.back());
      sum += static_cast<std::uint64_t>(std::popcount(words_[w]));
    }
    return sum;
  }
  [[nodiscard]] bool contains(std::uint64_t id) const {
    return id / 64 <= last_word_ && (words_[id / 64] >> (id % 64) & 1) != 0;
  }
  // Ids below this one that occur.
  [[nodiscard]] std::uint64_t rank(std::uint64_t id) const {
    const std::uint64_t word = id / 64, below = words_[word] & ((std::uint64_t{1} << (id % 64)) - 1);
    return blocks_[word / kBlock] + before_[word] + static_cast<std::uint64_t>(std::popcount(below));
  }

 private:
  static constexpr std::uint64_t kBlock = std::uint64_t{1} << 24;  // words: their ids can be counted with 32 bits
  PageBuffer<std::uint64_t> words_;
  std::uint64_t last_word_ = 0;
  PageBuffer<std::uint32_t> before_;   // ids in the words of the block before each one
  std::vector<std::uint64_t> blocks_;  // ids in the blocks before each one
  bool overflowed_ = false;
};

}  // namespace agentnet
