#include "tensor/arena.h"

#include <algorithm>
#include <new>

namespace agentnet {

namespace {
constexpr std::size_t kLine = 64;
constexpr std::size_t kSmallestBlock = std::size_t{1} << 20;
}  // namespace

void Arena::Release::operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{kLine}); }

void* Arena::take_bytes(std::size_t bytes) {
  bytes = (bytes + kLine - 1) / kLine * kLine;
  while (current_ < blocks_.size() && used_ + bytes > blocks_[current_].size) {
    ++current_;
    used_ = 0;
  }
  if (current_ == blocks_.size()) {
    const std::size_t size = std::max(bytes, kSmallestBlock);
    auto* memory = static_cast<std::byte*>(::operator new (size, std::align_val_t{kLine}));
    blocks_.push_back({std::unique_ptr<std::byte, Release>(memory), size});
  }
  std::byte* p = blocks_[current_].memory.get() + used_;
  used_ += bytes;
  return p;
}

void Arena::reset() {
  current_ = 0;
  used_ = 0;
}

std::size_t Arena::capacity() const {
  std::size_t sum = 0;
  for (const Block& block : blocks_) sum += block.size;
  return sum;
}

}  // namespace agentnet
