// How much work a piece of code does, without a clock: bytes that it asks the heap for, and bytes that it compares or
// looks through in memory. A test that doubles its input can then tell linear from quadratic on any machine.
//
// The counts come from replacing operator new, memcmp and memchr, so that only a program that names work_counter.cpp
// among its sources has them; a build with sanitizers, which replace these themselves, counts nothing.
#pragma once

#include <cstdint>

namespace agentnet {

struct Work {
  std::uint64_t allocated = 0;  // bytes, whether freed or not
  std::uint64_t compared = 0;   // calls of memcmp, in which comparing texts ends, and one more for every 16 bytes
  std::uint64_t searched = 0;   // bytes that memchr looks through
  std::uint64_t peak = 0;       // bytes of the heap in use at once, beyond what was in use before
};

[[nodiscard]] bool work_is_counted();

void begin_work();
[[nodiscard]] Work work_so_far();  // since begin_work()

template <class F>
[[nodiscard]] Work work_of(const F& f) {
  begin_work();
  f();
  return work_so_far();
}

}  // namespace agentnet
