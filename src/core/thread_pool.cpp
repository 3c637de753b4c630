#include "core/thread_pool.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "agentnet/error.h"

namespace agentnet {
namespace {

// The operations of a network follow each other within microseconds, and waking a thread that sleeps takes as long as
// many of them: whoever waits looks for a moment whether it is over before it goes to sleep.
constexpr int kLooks = 1000;

template <class Done>
bool soon(const Done& done) {
  for (int i = 0; i < kLooks; ++i) {
    if (done()) return true;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  return false;
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  if (threads < 1) {
    throw Error(ErrorKind::kUsage, "the number of threads must be at least 1, not " + std::to_string(threads));
  }
  cursors_ = std::vector<Cursor>(static_cast<std::size_t>(threads));
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

void ThreadPool::run(std::size_t count, const Task& f) { start({.count = count, .f = &f}); }

void ThreadPool::run_in_order(std::span<const std::size_t> order, const Task& f) {
  start({.count = order.size(), .order = order.data(), .f = &f});
}

void ThreadPool::run_near(std::size_t count, const Task& f) { start({.count = count, .f = &f, .near = true}); }

// Stretches of count / size() tasks, the first ones a task longer where that leaves a rest.
std::size_t ThreadPool::stretch_begin(int worker) const {
  const auto of = static_cast<std::size_t>(worker), workers = cursors_.size();
  return of * (job_.count / workers) + std::min(of, job_.count % workers);
}

void ThreadPool::start(const Job& job) {
  {
    const std::lock_guard lock(mutex_);
    if (running_) throw std::logic_error("ThreadPool: a run is already under way");
    running_ = true;
    job_ = job;
    failure_ = nullptr;
    next_.store(0, std::memory_order_relaxed);
    dropped_.store(false, std::memory_order_relaxed);
    for (int worker = 0; worker < size(); ++worker) {
      cursors_[static_cast<std::size_t>(worker)].next.store(stretch_begin(worker), std::memory_order_relaxed);
    }
    busy_ = static_cast<int>(threads_.size());
    ++generation_;
  }
  start_.notify_all();
  work(0);

  static_cast<void>(soon([this] { return busy_ == 0; }));
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  running_ = false;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::attempt(std::size_t task, int worker) {
  try {
    (*job_.f)(task, worker);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    dropped_.store(true, std::memory_order_relaxed);
  }
}

// Relaxed is enough, here and below: job_ was published with generation_, the counters only hand out numbers.
void ThreadPool::work(int worker) {
  if (job_.near) return work_near(worker);
  while (!dropped_.load(std::memory_order_relaxed)) {
    const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
    if (i >= job_.count) return;
    attempt(job_.order != nullptr ? job_.order[i] : i, worker);
  }
}

void ThreadPool::work_near(int worker) {
  for (int further = 0; further < size(); ++further) {
    const int whose = (worker + further) % size();
    const std::size_t end = stretch_begin(whose + 1);
    while (!dropped_.load(std::memory_order_relaxed)) {
      const std::size_t i = cursors_[static_cast<std::size_t>(whose)].next.fetch_add(1, std::memory_order_relaxed);
      if (i >= end) break;
      attempt(i, worker);
    }
  }
}

void ThreadPool::serve(int worker) {
  std::uint64_t seen = 0;
  const auto called = [&] { return stopping_ || generation_ != seen; };
  for (;;) {
    if (!soon(called)) {
      std::unique_lock lock(mutex_);
      start_.wait(lock, called);
    }
    if (stopping_) return;
    seen = generation_;
    work(worker);
    const std::lock_guard lock(mutex_);  // so that who waits for it does not miss the last one
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace agentnet
