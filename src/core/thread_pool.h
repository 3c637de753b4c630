// A fixed team of threads that works through numbered tasks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace agentnet {

class ThreadPool {
 public:
  // f(task, worker): worker is in 0 .. size() - 1, and no two tasks run at once under the same
  // worker number, so it can select a per-worker arena.
  using Task = std::function<void(std::size_t task, int worker)>;

  // `threads` workers in all, the calling thread being one of them: 1 starts no thread. Throws Error
  // (kUsage) below 1, (kFailure) if the system refuses a thread.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls f once for each task 0 .. count - 1, picked up in that order by whoever is free, and returns
  // when all are done. Throws the first exception that a task threw, after every worker has stopped;
  // tasks that had not begun by then are dropped. The pool stays usable. One run at a time: a run
  // from inside a task, or from a second thread, throws std::logic_error.
  void run(std::size_t count, const Task& f);

  // The same for the tasks listed in `order`, picked up in the order of the list.
  void run_in_order(std::span<const std::size_t> order, const Task& f);

  // The same, but every worker begins with a stretch of the tasks that is its own, the same one in every run of so many
  // tasks, and takes over from others when it is done: what it wrote in the last run is still in its cache.
  void run_near(std::size_t count, const Task& f);

 private:
  struct Job {
    std::size_t count = 0;
    const std::size_t* order = nullptr;  // null: task i is number i
    const Task* f = nullptr;
    bool near = false;
  };
  // The next task of a worker's stretch, on a cache line of its own.
  struct alignas(64) Cursor {
    std::atomic<std::size_t> next{0};
  };

  void start(const Job& job);
  void work(int worker);
  void work_near(int worker);
  void attempt(std::size_t task, int worker);
  [[nodiscard]] std::size_t stretch_begin(int worker) const;
  void serve(int worker);
  void stop();

  std::mutex mutex_;
  std::condition_variable start_, done_;
  // Guarded by mutex_; job_ is only written while no worker is busy.
  Job job_;
  bool running_ = false;
  std::exception_ptr failure_;

  // Written under mutex_, and watched without it by who expects them to change soon.
  std::atomic<std::uint64_t> generation_{0};  // counts runs: a worker that sees a new value has a job
  std::atomic<int> busy_{0};                  // started threads still working on the current job
  std::atomic<bool> stopping_{false};

  std::atomic<std::size_t> next_{0};  // the next entry of the job to be picked up
  std::vector<Cursor> cursors_;       // [size()] of run_near
  std::atomic<bool> dropped_{false};  // a task has failed: what has not begun is left
  std::vector<std::thread> threads_;
};

}  // namespace agentnet
