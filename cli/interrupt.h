// Ctrl-C and other requests to stop as a question that a command can ask.
#pragma once

#include <array>
#include <csignal>

namespace agentnet {

// While one of these lives, the first request to stop only sets a flag; the second ends the program as usual. Requests
// are SIGINT (Ctrl-C), SIGTERM, SIGHUP (the terminal is closed; not under nohup) and SIGXCPU (ulimit -t, batch
// systems), which is sent again every second and never ends the program here.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool interrupted();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
  std::array<struct sigaction, kSignals.size()> old_{};
};

}  // namespace agentnet
