// Ctrl-C and SIGTERM as a question that a command can ask.
#pragma once

#include <csignal>

namespace agentnet {

// While one of these lives, the first SIGINT or SIGTERM only sets a flag; the second ends the program as usual.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool interrupted();

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

}  // namespace agentnet
