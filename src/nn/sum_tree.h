// Sums over the shards of a batch in the order of a fixed binary tree, whoever finishes first.
//
// Node (level, i) of the tree stands for the shards [i 2^level, (i + 1) 2^level) that there are. Its sum is that of
// node (level - 1, 2i) plus that of node (level - 1, 2i + 1), or just the former where the latter has no shards. So the
// bytes of every sum depend on the number of shards alone: not on threads, on the order in which shards are picked up,
// or on which process computed which of them. A process that has an aligned stretch of the shards can sum it alone and
// send one vector (take() on one side, add() on the other).
//
//     total
//      ├── 0..3 ── 0..1 ── 0, 1
//      │       └── 2..3 ── 2, 3
//      └── 4..4 ────────── 4          (5 shards)
//
// Where shards are picked up in ascending order by p workers, at most log2(shards) + p vectors are alive at a time.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tensor/kernels.h"

namespace agentnet {

// Buffers that are used again, so that a step of training allocates nothing. Not safe for several threads; SumTree
// guards it.
template <class S>
class BufferPool {
 public:
  using Buffer = std::unique_ptr<std::vector<S>>;

  [[nodiscard]] Buffer take() {
    if (spare_.empty()) return std::make_unique<std::vector<S>>();
    Buffer buffer = std::move(spare_.back());
    spare_.pop_back();
    return buffer;
  }
  void give_back(Buffer buffer) { spare_.push_back(std::move(buffer)); }
  [[nodiscard]] std::size_t memory() const {
    std::size_t bytes = 0;
    for (const Buffer& buffer : spare_) bytes += buffer->capacity() * sizeof(S);
    return bytes;
  }

 private:
  std::vector<Buffer> spare_;
};

// begin(), finish() and add() may be called by several threads at once.
template <class S>
class SumTree {
 public:
  using Buffer = typename BufferPool<S>::Buffer;

  struct Total {
    Buffer values;  // [width]
    double loss = 0;
  };
  // The sum of one node of the tree.
  struct Partial {
    unsigned level = 0;
    std::size_t index = 0;
    Total sum;
  };

  // Sums `shards` vectors of `width` entries. `pool` must outlive the tree, and no other tree may use it meanwhile.
  SumTree(std::size_t shards, std::size_t width, BufferPool<S>& pool) : shards_(shards), width_(width), pool_(pool) {}
  ~SumTree() {
    for (auto& [place, sum] : nodes_) pool_.give_back(std::move(sum.values));
  }
  SumTree(const SumTree&) = delete;
  SumTree& operator=(const SumTree&) = delete;

  // A vector of zeros for a shard to add its gradient to.
  [[nodiscard]] Buffer begin() {
    Buffer buffer;
    {
      const std::scoped_lock lock(mutex_);
      buffer = pool_.take();
    }
    buffer->assign(width_, S(0));
    return buffer;
  }

  // A shard is done.
  void finish(std::size_t shard, Buffer values, double loss) { add({0, shard, {std::move(values), loss}}); }

  // A sum that was made elsewhere.
  void add(Partial partial) {
    while (std::size_t{1} << partial.level < shards_) {
      const std::size_t sibling = partial.index ^ 1;
      if (sibling << partial.level < shards_) {
        std::optional<Total> other = take_or_leave(partial, sibling);
        if (!other) return;                                          // whoever brings the sibling goes on
        if (partial.index % 2 == 1) std::swap(*other, partial.sum);  // left plus right, whoever came first
        kernels<S>().axpy(width_, S(1), other->values->data(), partial.sum.values->data());
        partial.sum.loss += other->loss;
        give_back(std::move(other->values));
      }
      partial.index /= 2;
      ++partial.level;
    }
    keep(std::move(partial));
  }

  // The sum over all shards. Throws std::logic_error if one is missing.
  [[nodiscard]] Total total() {
    if (shards_ == 0) return {begin(), 0};
    std::vector<Partial> all = take();
    if (all.size() != 1 || std::size_t{1} << all[0].level < shards_) {
      throw std::logic_error("SumTree: a shard is missing");
    }
    return std::move(all[0].sum);
  }

  // The sums that are there, none of which is part of another: what a process that computed some of the shards sends.
  [[nodiscard]] std::vector<Partial> take() {
    const std::scoped_lock lock(mutex_);
    std::vector<Partial> all;
    for (auto& [place, sum] : nodes_) all.push_back({place.first, place.second, std::move(sum)});
    nodes_.clear();
    return all;
  }

 private:
  using Place = std::pair<unsigned, std::size_t>;  // level, index

  // The sibling's sum if it is there; else this one is kept for whoever brings the sibling.
  std::optional<Total> take_or_leave(Partial& partial, std::size_t sibling) {
    const std::scoped_lock lock(mutex_);
    const auto at = nodes_.find({partial.level, sibling});
    if (at == nodes_.end()) {
      insert(std::move(partial));
      return std::nullopt;
    }
    Total other = std::move(at->second);
    nodes_.erase(at);
    return other;
  }
  void keep(Partial partial) {
    const std::scoped_lock lock(mutex_);
    insert(std::move(partial));
  }
  void insert(Partial partial) {
    if (!nodes_.emplace(Place{partial.level, partial.index}, std::move(partial.sum)).second) {
      throw std::logic_error("SumTree: a shard was added twice");
    }
  }
  void give_back(Buffer buffer) {
    const std::scoped_lock lock(mutex_);
    pool_.give_back(std::move(buffer));
  }

  std::size_t shards_, width_;
  BufferPool<S>& pool_;
  std::mutex mutex_;
  std::map<Place, Total> nodes_;
};

}  // namespace agentnet
