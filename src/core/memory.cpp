#include "core/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <limits>

namespace agentnet {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t of_machine() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return kNoLimit;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
}

// RLIMIT_AS: addresses; RLIMIT_DATA: what is not a mapped file.
std::uint64_t of_process(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  return static_cast<std::uint64_t>(limit.rlim_cur);
}

// The file has a number, or "max".
std::uint64_t of_container(const char* path) {
  std::uint64_t bytes = 0;
  std::ifstream file(path);
  return file >> bytes && bytes > 0 ? bytes : kNoLimit;
}

std::atomic<std::uint64_t>& asked_for() {
  static std::atomic<std::uint64_t> bytes = kNoLimit;
  return bytes;
}

}  // namespace

std::uint64_t usable_memory() {
  return std::max<std::uint64_t>(1, std::min({asked_for().load(), of_machine(), of_process(RLIMIT_AS),
                                              of_process(RLIMIT_DATA), of_container("/sys/fs/cgroup/memory.max"),
                                              of_container("/sys/fs/cgroup/memory/memory.limit_in_bytes")}));
}

// The system's own limit would end the program in the middle of whatever takes the last byte, without a name.
void limit_memory(std::uint64_t bytes) { asked_for() = bytes; }

}  // namespace agentnet
