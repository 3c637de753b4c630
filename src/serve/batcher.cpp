#include "serve/batcher.h"

#include <algorithm>
#include <utility>

#include "agentnet/error.h"
#include "predict/draw_keys.h"
#include "serve/problem.h"

namespace agentnet {

struct Batcher::Open {
  std::unique_ptr<PredictJob> job;
  std::vector<GraphView> views;
  std::vector<std::uint64_t> keys;  // of random draws
  ServeClock::time_point since;
  std::size_t taken = 0;  // rows that are in a batch, or done
  std::size_t left = 0;   // rows that are not done
  std::exception_ptr failure;

  [[nodiscard]] bool over(ServeClock::time_point now) const { return now > job->deadline || job->gone(); }
};

struct Batcher::Slice {
  std::shared_ptr<Open> open;
  std::size_t first = 0, count = 0;
};

struct Batcher::Batch {
  std::vector<Slice> slices;
  [[nodiscard]] std::size_t rows() const {
    std::size_t rows = 0;
    for (const Slice& slice : slices) rows += slice.count;
    return rows;
  }
};

namespace {

// Whether the rows of two jobs can be run by one call.
bool go_together(const PredictJob& a, const PredictJob& b) {
  const PredictOptions &x = a.options, &y = b.options;
  return a.model == b.model && x.rollouts == y.rollouts && x.confidence == y.confidence && x.seed == y.seed &&
         x.greedy == y.greedy && x.max_neighbours == y.max_neighbours;
}

[[noreturn]] void too_late() { throw Problem(503, "the request has taken too long", "send fewer rows, or ask later"); }

}  // namespace

Batcher::Batcher(const ServeOptions& options, ServeMetrics& metrics) : options_(options), metrics_(metrics) {
  const std::lock_guard lock(mutex_);  // they look at how many they are
  for (int i = 0; i < std::max(1, options.threads); ++i) threads_.emplace_back([this] { work(); });
}

Batcher::~Batcher() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Batcher::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void Batcher::submit_long(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    long_tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void Batcher::add(std::unique_ptr<PredictJob> job) {
  auto open = std::make_shared<Open>();
  for (const Dataset& part : job->data.parts) {
    for (std::size_t g = 0; g < part.graphs.size(); ++g) open->views.push_back(part.graphs.view(g));
  }
  const auto outputs = static_cast<std::size_t>(job->model->model.outputs());
  Predictions& answers = job->answers;
  answers.outputs = static_cast<int>(outputs);
  answers.mean.resize(open->views.size() * outputs);
  answers.walk_spread.resize(answers.mean.size());
  answers.rollouts.resize(open->views.size());
  if (job->options.confidence > 0) answers.settled.resize(open->views.size());
  if (open->views.empty()) return job->done(*job, nullptr);  // bad rows only
  if (!job->model->model.draws()) {
    open->keys.resize(open->views.size());
  } else if (job->options.draws == DrawKey::kRow) {  // numbers of rows, also behind rows that are no graph
    for (const Dataset& part : job->data.parts) open->keys.insert(open->keys.end(), part.rows.begin(), part.rows.end());
  } else {
    open->keys = draw_keys(open->views, job->options);
  }
  open->left = open->views.size();
  open->since = ServeClock::now();
  open->job = std::move(job);
  {
    const std::lock_guard lock(mutex_);
    open_rows_ += open->left;
    queued_rows_ += open->left;
    open_.push_back(std::move(open));
  }
  wake_.notify_one();
}

std::size_t Batcher::queued_rows() const {
  const std::lock_guard lock(mutex_);
  return queued_rows_;
}

bool Batcher::may_start(ServeClock::time_point now) const {
  if (open_.empty()) return false;
  if (open_rows_ >= options_.batch_rows || now - open_.front()->since >= options_.batch_wait) return true;
  return tasks_.empty() && busy_tasks_ == 0;
}

// Those of which one may be begun now, if any.
std::deque<std::function<void()>>* Batcher::next_tasks() {
  if (!tasks_.empty()) return &tasks_;
  const bool may = busy_long_ + 1 < std::max<std::size_t>(2, threads_.size());
  return may && !long_tasks_.empty() ? &long_tasks_ : nullptr;
}

void Batcher::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto now = ServeClock::now();
    if (may_start(now)) {
      Batch batch = take_batch();
      if (!open_.empty()) wake_.notify_one();
      lock.unlock();
      run(batch);
      lock.lock();
    } else if (auto* const tasks = next_tasks()) {
      std::size_t& busy = tasks == &tasks_ ? busy_tasks_ : busy_long_;
      std::function<void()> task = std::move(tasks->front());
      tasks->pop_front();
      ++busy;
      lock.unlock();
      task();
      task = nullptr;  // what it holds may take time to go
      lock.lock();
      --busy;
      if (!long_tasks_.empty()) wake_.notify_one();
    } else if (!open_.empty()) {
      wake_.wait_until(lock, open_.front()->since + options_.batch_wait);
    } else {
      wake_.wait(lock);
    }
  }
}

// Rows of the oldest job, and of those after it that can go with them.
Batcher::Batch Batcher::take_batch() {
  Batch batch;
  std::size_t room = std::max<std::size_t>(1, options_.batch_rows);
  for (auto at = open_.begin(); at != open_.end() && room > 0;) {
    Open& open = **at;
    if (!batch.slices.empty() && !go_together(*batch.slices.front().open->job, *open.job)) {
      ++at;
      continue;
    }
    const std::size_t count = std::min(room, open.views.size() - open.taken);
    batch.slices.push_back({*at, open.taken, count});
    open.taken += count;
    room -= count;
    open_rows_ -= count;
    at = open.taken == open.views.size() ? open_.erase(at) : std::next(at);
  }
  return batch;
}

void Batcher::run(Batch& batch) {
  const auto now = ServeClock::now();
  Batch late;
  std::erase_if(batch.slices, [&](Slice& slice) {
    if (!slice.open->over(now)) return false;
    late.slices.push_back(slice);
    return true;
  });
  const auto failure_of = [](const auto& what) -> std::exception_ptr {
    try {
      what();
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  };
  if (!late.slices.empty()) finish_slices(late, failure_of([] { too_late(); }));
  if (batch.slices.empty()) return;
  const std::exception_ptr failure = failure_of([&] { run_together(batch); });
  if (failure == nullptr || batch.slices.size() == 1) return finish_slices(batch, failure);
  for (Slice& slice : batch.slices) {  // one of them is to blame, and the others shall not suffer for it
    Batch alone = {{slice}};
    finish_slices(alone, failure_of([&] { run_together(alone); }));
  }
}

void Batcher::run_together(Batch& batch) {
  std::vector<GraphView> views;
  std::vector<std::uint64_t> keys;
  for (const Slice& slice : batch.slices) {
    const auto first = static_cast<std::ptrdiff_t>(slice.first), end = first + static_cast<std::ptrdiff_t>(slice.count);
    views.insert(views.end(), slice.open->views.begin() + first, slice.open->views.begin() + end);
    keys.insert(keys.end(), slice.open->keys.begin() + first, slice.open->keys.begin() + end);
  }
  const PredictJob& job = *batch.slices.front().open->job;
  PredictOptions options = job.options;
  options.threads = 1;
  options.may_end = [&batch] {
    const auto now = ServeClock::now();
    if (std::all_of(batch.slices.begin(), batch.slices.end(),
                    [&](const Slice& slice) { return slice.open->over(now); }))
      too_late();
  };
  const Predictions found = predict_with_keys(job.model->model, views, keys, options);
  metrics_.add_batch(views.size());
  const auto outputs = static_cast<std::ptrdiff_t>(found.outputs);
  std::ptrdiff_t at = 0;
  for (const Slice& slice : batch.slices) {
    Predictions& to = slice.open->job->answers;
    const auto first = static_cast<std::ptrdiff_t>(slice.first), count = static_cast<std::ptrdiff_t>(slice.count);
    std::copy_n(found.mean.begin() + at * outputs, count * outputs, to.mean.begin() + first * outputs);
    std::copy_n(found.walk_spread.begin() + at * outputs, count * outputs, to.walk_spread.begin() + first * outputs);
    std::copy_n(found.rollouts.begin() + at, count, to.rollouts.begin() + first);
    if (!found.settled.empty()) std::copy_n(found.settled.begin() + at, count, to.settled.begin() + first);
    at += count;
  }
}

// Several workers may hold rows of one job; the last one answers.
void Batcher::finish_slices(Batch& batch, const std::exception_ptr& failure) {
  for (const Slice& slice : batch.slices) {
    Open& open = *slice.open;
    std::exception_ptr told;
    {
      const std::lock_guard lock(mutex_);
      queued_rows_ -= slice.count;
      open.left -= slice.count;
      if (failure != nullptr && open.failure == nullptr) open.failure = failure;
      if (open.left > 0) continue;
      told = open.failure;
    }
    open.job->done(*open.job, told);
  }
}

}  // namespace agentnet
