// Rows of many requests on their way through the engine: workers run what has come in together, so that a request of
// one row costs little more than its share of a batch. A graph's answer has the same bytes alone and in any batch.
//
//   Batcher batcher(options, metrics);
//   batcher.submit([&] { batcher.add(job that was made of a body); });
//
// A worker takes, in this order: a batch that is full or has waited long enough; a task; else it waits for further
// rows. Rows that have nothing to wait for, because no task is left that could bring others, do not wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "agentnet/predict.h"
#include "serve/metrics.h"
#include "serve/options.h"
#include "serve/request_data.h"
#include "serve/served_model.h"

namespace agentnet {

using ServeClock = std::chrono::steady_clock;

// The rows of one request.
struct PredictJob {
  ServedModelPointer model;
  PredictOptions options;
  RequestData data;
  ServeClock::time_point deadline;
  std::function<bool()> gone;  // nobody waits for the answer any more
  // Called once, by a worker: with the answers, or with why there are none.
  std::function<void(PredictJob&, std::exception_ptr failure)> done;

  // [graphs of data, one part after the other]
  Predictions answers;
};

class Batcher {
 public:
  Batcher(const ServeOptions& options, ServeMetrics& metrics);
  // Drops what is left: their jobs and tasks are destroyed without having been called.
  ~Batcher();
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  // Something that takes time. It must not throw. Long ones leave a worker for the others, where there are several.
  void submit(std::function<void()> task);
  void submit_long(std::function<void()> task);
  // May be called by a task.
  void add(std::unique_ptr<PredictJob> job);

  [[nodiscard]] std::size_t queued_rows() const;  // of jobs that are not done

 private:
  struct Open;   // a job with what of it is under way
  struct Slice;  // rows of a job in a batch
  struct Batch;

  void work();
  [[nodiscard]] std::deque<std::function<void()>>* next_tasks();
  [[nodiscard]] bool may_start(ServeClock::time_point now) const;
  [[nodiscard]] Batch take_batch();
  void run(Batch& batch);
  void run_together(Batch& batch);
  void finish_slices(Batch& batch, const std::exception_ptr& failure);

  const ServeOptions options_;
  ServeMetrics& metrics_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_, long_tasks_;
  std::size_t busy_tasks_ = 0;  // under way; each may bring rows
  std::size_t busy_long_ = 0;
  std::list<std::shared_ptr<Open>> open_;  // jobs of which rows are left to be taken, the oldest first
  std::size_t open_rows_ = 0;              // these rows
  std::size_t queued_rows_ = 0;            // of jobs that are not done
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace agentnet
