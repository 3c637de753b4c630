// How much memory a piece of work needs.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

namespace agentnet {

// Peak memory in MB of a process of its own that does this, beyond that of one that does nothing.
inline double peak_megabytes(const std::function<void()>& f) {
  const auto measure = [](const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      work();
      std::_Exit(0);
    }
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
  };
  return measure(f) - measure([] {});
}

}  // namespace agentnet
