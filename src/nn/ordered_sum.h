// Adds the shards' gradients in shard order, whoever finishes first.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "tensor/kernels.h"

namespace agentnet {

template <class S>
class OrderedSum {
 public:
  using Buffer = std::unique_ptr<std::vector<S>>;

  // Sums `terms` vectors into `total`, which starts at zero. `spare` is a pool of buffers that is used and given back;
  // at most `most` terms wait for their turn, unless the one they wait for has not been started.
  OrderedSum(std::span<S> total, std::size_t terms, std::size_t most, std::vector<Buffer>& spare)
      : total_(total), most_(most), spare_(spare), started_(terms, 0) {}

  // A buffer of zeros for the term of this index.
  Buffer begin(std::size_t index) {
    std::unique_lock lock(mutex_);
    started_[index] = 1;
    moved_on_.wait(lock, [&] { return failed_ || in_use_ < most_ || index == next_ || started_[next_] == 0; });
    ++in_use_;
    Buffer buffer;
    if (spare_.empty()) {
      buffer = std::make_unique<std::vector<S>>();
    } else {
      buffer = std::move(spare_.back());
      spare_.pop_back();
    }
    lock.unlock();
    buffer->assign(total_.size(), S(0));
    return buffer;
  }

  void finish(std::size_t index, Buffer buffer) {
    const std::unique_lock lock(mutex_);
    waiting_[index] = std::move(buffer);
    for (auto at = waiting_.find(next_); at != waiting_.end(); at = waiting_.find(next_)) {
      kernels<S>().axpy(total_.size(), S(1), at->second->data(), total_.data());
      spare_.push_back(std::move(at->second));
      waiting_.erase(at);
      --in_use_;
      ++next_;
    }
    moved_on_.notify_all();
  }

  // A term will never come: nobody waits any longer.
  void fail() {
    const std::unique_lock lock(mutex_);
    failed_ = true;
    moved_on_.notify_all();
  }

 private:
  std::span<S> total_;
  std::size_t most_;
  std::vector<Buffer>& spare_;
  std::mutex mutex_;
  std::condition_variable moved_on_;
  std::vector<char> started_;
  std::map<std::size_t, Buffer> waiting_;
  std::size_t next_ = 0;
  std::size_t in_use_ = 0;
  bool failed_ = false;
};

}  // namespace agentnet
