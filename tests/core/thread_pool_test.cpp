#include "core/thread_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "core/random.h"

namespace agentnet {
namespace {

using testing::Each;
using testing::ElementsAre;

class ThreadPoolOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolOf, testing::Values(1, 2, 3, 8));

TEST_P(ThreadPoolOf, RunsEveryTaskExactlyOnce) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.size(), GetParam());
  for (const std::size_t count : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> runs(count);
    pool.run(count, [&](std::size_t task, int) { ++runs.at(task); });
    for (const auto& n : runs) EXPECT_EQ(n, 1);
    pool.run_near(count, [&](std::size_t task, int) { ++runs.at(task); });
    for (const auto& n : runs) EXPECT_EQ(n, 2);
  }
}

TEST_P(ThreadPoolOf, NearTasksBeginWithTheSameWorkerInEveryRun) {
  const int threads = GetParam();
  ThreadPool pool(threads);
  const auto each = static_cast<std::size_t>(threads);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> worker_of(3 * each + 1);
    std::latch all_here(threads);  // nobody can take over from others before everybody has begun
    std::vector<char> began(each);
    pool.run_near(worker_of.size(), [&](std::size_t task, int worker) {
      worker_of[task] = worker;
      if (std::exchange(began[static_cast<std::size_t>(worker)], 1) == 0) all_here.arrive_and_wait();
    });
    for (std::size_t worker = 0; worker < each; ++worker) {
      EXPECT_EQ(worker_of[worker == 0 ? 0 : 3 * worker + 1], static_cast<int>(worker));
    }
  }
}

TEST_P(ThreadPoolOf, RunsTheListedTasksExactlyOnce) {
  ThreadPool pool(GetParam());
  std::vector<std::size_t> order(500);
  std::iota(order.begin(), order.end(), 100);
  RandomSequence(1, Purpose::kTest).shuffle(order);
  std::vector<std::atomic<int>> runs(600);
  pool.run_in_order(order, [&](std::size_t task, int) { ++runs.at(task); });
  for (std::size_t task = 0; task < runs.size(); ++task) EXPECT_EQ(runs[task], task < 100 ? 0 : 1) << task;
}

TEST_P(ThreadPoolOf, NeverRunsTwoTasksAtOnceUnderOneWorkerNumber) {
  ThreadPool pool(GetParam());
  // Plain ints: the thread sanitizer objects if two tasks touch the same one unordered.
  std::vector<int> done_by(static_cast<std::size_t>(pool.size()));
  pool.run(2000, [&](std::size_t, int worker) { ++done_by.at(static_cast<std::size_t>(worker)); });
  EXPECT_EQ(std::accumulate(done_by.begin(), done_by.end(), 0), 2000);
  pool.run_near(2000, [&](std::size_t, int worker) { ++done_by.at(static_cast<std::size_t>(worker)); });
  EXPECT_EQ(std::accumulate(done_by.begin(), done_by.end(), 0), 4000);
}

TEST_P(ThreadPoolOf, WorksOnAsManyTasksAtOnceAsItHasWorkers) {
  const int threads = GetParam();
  ThreadPool pool(threads);
  // Every task waits for all the others: fewer workers at once would never get past it.
  std::latch all_here(threads);
  std::atomic<int> done = 0;
  pool.run(static_cast<std::size_t>(threads), [&](std::size_t, int) {
    all_here.arrive_and_wait();
    ++done;
  });
  EXPECT_EQ(done, threads);
}

TEST_P(ThreadPoolOf, ShowsTheCallerAllThatTasksWrote) {
  ThreadPool pool(GetParam());
  std::vector<std::size_t> squares(300);
  for (std::size_t round = 1; round <= 50; ++round) {
    pool.run(squares.size(), [&](std::size_t task, int) { squares[task] += task; });
  }
  for (std::size_t task = 0; task < squares.size(); ++task) EXPECT_EQ(squares[task], 50 * task);
}

TEST_P(ThreadPoolOf, RethrowsTheExceptionAfterAllWorkersHaveStopped) {
  ThreadPool pool(GetParam());
  std::atomic<int> inside = 0;
  const auto task = [&](std::size_t number, int) {
    ++inside;
    if (number == 5) {
      --inside;
      throw Error(ErrorKind::kData, "task 5 does not like this");
    }
    --inside;
  };
  try {
    pool.run(1000, task);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "task 5 does not like this");
    EXPECT_EQ(inside, 0);
  }
}

TEST_P(ThreadPoolOf, IsAsGoodAsNewAfterAnException) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(pool.run(100, [](std::size_t, int) { throw std::runtime_error("everything fails"); }),
                 std::runtime_error);
    std::atomic<int> runs = 0;
    pool.run(100, [&](std::size_t, int) { ++runs; });
    EXPECT_EQ(runs, 100);
  }
}

TEST_P(ThreadPoolOf, RefusesARunFromInsideATask) {
  ThreadPool pool(GetParam());
  EXPECT_THROW(pool.run(1, [&](std::size_t, int) { pool.run(1, [](std::size_t, int) {}); }), std::logic_error);
}

TEST_P(ThreadPoolOf, SurvivesManyShortRuns) {
  ThreadPool pool(GetParam());
  std::atomic<std::size_t> runs = 0;
  for (std::size_t round = 0; round < 3000; ++round) pool.run(round % 5, [&](std::size_t, int) { ++runs; });
  EXPECT_EQ(runs, 3000u / 5u * (0 + 1 + 2 + 3 + 4));
}

TEST(ThreadPool, OfOneRunsInTheCallingThreadInTheGivenOrder) {
  ThreadPool pool(1);
  const std::vector<std::size_t> order = {3, 1, 2, 0};
  std::vector<std::size_t> seen;
  std::vector<std::thread::id> threads;
  pool.run_in_order(order, [&](std::size_t task, int worker) {
    seen.push_back(task);
    threads.push_back(std::this_thread::get_id());
    EXPECT_EQ(worker, 0);
  });
  EXPECT_EQ(seen, order);
  EXPECT_THAT(threads, Each(std::this_thread::get_id()));
}

TEST(ThreadPool, PicksTasksUpInTheGivenOrder) {
  ThreadPool pool(2);
  // The task listed first holds its worker until all others are done, so the other worker meets them in turn.
  const std::vector<std::size_t> order = {9, 4, 7, 1, 5};
  std::latch others(4);
  std::vector<std::size_t> seen;
  pool.run_in_order(order, [&](std::size_t task, int) {
    if (task == 9) {
      others.wait();
    } else {
      seen.push_back(task);
      others.count_down();
    }
  });
  EXPECT_THAT(seen, ElementsAre(4, 7, 1, 5));
}

TEST(ThreadPool, DropsTasksThatHadNotBegunWhenOneFailed) {
  ThreadPool pool(1);
  std::vector<std::size_t> seen;
  EXPECT_THROW(pool.run(10,
                        [&](std::size_t task, int) {
                          seen.push_back(task);
                          if (task == 2) throw std::runtime_error("stop");
                        }),
               std::runtime_error);
  EXPECT_THAT(seen, ElementsAre(0, 1, 2));
}

TEST(ThreadPool, NeedsAtLeastOneThread) {
  for (const int threads : {0, -3}) {
    try {
      ThreadPool pool(threads);
      FAIL() << "no exception";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(error.what(), "the number of threads must be at least 1, not " + std::to_string(threads));
    }
  }
}

}  // namespace
}  // namespace agentnet
