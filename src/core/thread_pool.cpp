#include "core/thread_pool.h"

#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "agentnet/error.h"

namespace agentnet {

ThreadPool::ThreadPool(int threads) {
  if (threads < 1) {
    throw Error(ErrorKind::kUsage, "the number of threads must be at least 1, not " + std::to_string(threads));
  }
  try {
    threads_.reserve(static_cast<std::size_t>(threads) - 1);
    for (int worker = 1; worker < threads; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
  } catch (const std::system_error& error) {
    const std::size_t started = threads_.size() + 1;
    stop();
    throw Error(
        ErrorKind::kFailure,
        "cannot start " + std::to_string(threads) + " threads: " + error.what() + " after " + std::to_string(started),
        "use fewer threads");
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ThreadPool::run(std::size_t count, const Task& f) { start({count, nullptr, &f}); }

void ThreadPool::run_in_order(std::span<const std::size_t> order, const Task& f) {
  start({order.size(), order.data(), &f});
}

void ThreadPool::start(const Job& job) {
  {
    const std::lock_guard lock(mutex_);
    if (running_) throw std::logic_error("ThreadPool: a run is already under way");
    running_ = true;
    job_ = job;
    failure_ = nullptr;
    next_.store(0, std::memory_order_relaxed);
    busy_ = static_cast<int>(threads_.size());
    ++generation_;
  }
  start_.notify_all();
  work(0);

  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  running_ = false;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::work(int worker) {
  // Relaxed is enough: job_ was published under the mutex, next_ only hands out numbers.
  for (;;) {
    const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
    if (i >= job_.count) return;
    try {
      (*job_.f)(job_.order != nullptr ? job_.order[i] : i, worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_.store(job_.count, std::memory_order_relaxed);
    }
  }
}

void ThreadPool::serve(int worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    start_.wait(lock, [&] { return stopping_ || generation_ != seen; });
    if (stopping_) return;
    seen = generation_;
    lock.unlock();
    work(worker);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace agentnet
