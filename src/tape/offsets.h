// Places in a block of memory: taken and given back in any order, neighbours grow together again.
//
// It hands out offsets and touches no memory, so that a pass over a tape can be rehearsed to learn how much it will
// take.
#pragma once

#include <cstddef>
#include <vector>

namespace agentnet::tape {

// A stretch of the block; bytes = 0 is none.
struct Place {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

class Offsets {
 public:
  // The smallest free stretch that is large enough, or the end. Whole cache lines.
  [[nodiscard]] Place take(std::size_t bytes);
  // Ends the place: it is none afterwards.
  void give_back(Place& place);
  void reset();

  // The most bytes that were ever needed since reset().
  [[nodiscard]] std::size_t peak() const { return peak_; }

 private:
  std::vector<Place> free_;  // in order, never adjacent, all before end_
  std::size_t end_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace agentnet::tape
