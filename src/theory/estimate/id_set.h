// A set of 64-bit numbers in 12 to 23 bytes each: walks of millions of steps remember where they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace agentnet::theory {

class IdSet {
 public:
  // Whether it was not there. ~0 is not a number that it can hold.
  bool insert(std::uint64_t id) {
    const std::size_t at = place_of(id);
    if (slots_[at] == id) return false;
    slots_[at] = id;
    if (10 * ++size_ > 7 * slots_.size()) grow();
    return true;
  }
  [[nodiscard]] bool contains(std::uint64_t id) const { return slots_[place_of(id)] == id; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  [[nodiscard]] std::size_t place_of(std::uint64_t id) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>((id * 0x9E3779B97F4A7C15u) >> 24) & mask;
    while (slots_[at] != kFree && slots_[at] != id) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<std::uint64_t> old(2 * slots_.size(), kFree);
    old.swap(slots_);
    for (const std::uint64_t id : old) {
      if (id != kFree) slots_[place_of(id)] = id;
    }
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(64, kFree);
  std::size_t size_ = 0;
};

}  // namespace agentnet::theory
