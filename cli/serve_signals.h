// What people and service managers ask of a server that runs.
#pragma once

#include <array>
#include <csignal>

namespace agentnet {

// While one of these lives, SIGTERM and SIGINT (Ctrl-C) ask it to finish what it has and to end, the second of them
// ends the program at once; SIGHUP asks it to read its files again.
class ServeSignals {
 public:
  ServeSignals();
  ~ServeSignals();
  ServeSignals(const ServeSignals&) = delete;
  ServeSignals& operator=(const ServeSignals&) = delete;

  [[nodiscard]] static bool asked_to_stop();
  [[nodiscard]] static bool asked_to_reload();  // since it was asked the last time

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> old_{};
};

}  // namespace agentnet
