#include "tape/offsets.h"

#include <algorithm>

namespace agentnet::tape {

Place Offsets::take(std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  bytes = (bytes + kLine - 1) / kLine * kLine;
  if (bytes == 0) return {};
  auto best = free_.end();
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (it->bytes >= bytes && (best == free_.end() || it->bytes < best->bytes)) best = it;
  }
  if (best != free_.end()) {
    const Place place{best->offset, bytes};
    best->offset += bytes;
    best->bytes -= bytes;
    if (best->bytes == 0) free_.erase(best);
    return place;
  }
  std::size_t offset = end_;
  if (!free_.empty() && free_.back().offset + free_.back().bytes == end_) {  // too small, but it can grow
    offset = free_.back().offset;
    free_.pop_back();
  }
  end_ = offset + bytes;
  peak_ = std::max(peak_, end_);
  return {offset, bytes};
}

void Offsets::give_back(Place& place) {
  if (place.bytes == 0) return;
  auto next = std::lower_bound(free_.begin(), free_.end(), place.offset,
                               [](const Place& p, std::size_t offset) { return p.offset < offset; });
  next = free_.insert(next, place);
  place = {};
  if (next + 1 != free_.end() && next->offset + next->bytes == (next + 1)->offset) {
    next->bytes += (next + 1)->bytes;
    next = free_.erase(next + 1) - 1;
  }
  if (next != free_.begin() && (next - 1)->offset + (next - 1)->bytes == next->offset) {
    (next - 1)->bytes += next->bytes;
    free_.erase(next);
  }
}

void Offsets::reset() {
  free_.clear();
  end_ = 0;
  peak_ = 0;
}

}  // namespace agentnet::tape
