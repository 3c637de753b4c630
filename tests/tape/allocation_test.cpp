// From the second step on, a tape takes nothing from the system.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "gin_on_tape.h"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* p = nullptr;
  if (posix_memalign(&p, alignment, bytes) != 0) throw std::bad_alloc();
  return p;
}
}  // namespace

// Not inlined: gcc would take malloc and delete for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return counted(bytes, 16); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace agentnet::tape {
namespace {

void expect_no_allocation(ThreadPool* pool) {
  GinOnTape<float> gin(700, 24);
  Tape<float> tape(pool);
  std::vector<float> seed(static_cast<std::size_t>(2 * gin.graphs), 1.0F);
  const auto step = [&] {
    tape.begin({.training = true, .gradients = true});
    const Value<float> y = gin.record(tape);
    tape.run({y});
    tape.backward({{y, {seed.data(), 2}}});
  };
  const long before = allocations;
  step();
  EXPECT_GT(allocations, before);  // the counter counts
  for (int repeat = 0; repeat < 2; ++repeat) {
    const long warm = allocations;
    step();
    EXPECT_EQ(allocations, warm);
  }
}

TEST(TapeAllocation, NoneInTheSteadyState) { expect_no_allocation(nullptr); }
TEST(TapeAllocation, NoneInTheSteadyStateWithThreads) {
  ThreadPool pool(2);
  expect_no_allocation(&pool);
}

}  // namespace
}  // namespace agentnet::tape
