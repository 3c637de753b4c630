#include "serve_signals.h"

namespace agentnet {
namespace {

volatile std::sig_atomic_t stop = 0, reload = 0;

void note_stop(int) { stop = 1; }
void note_reload(int) { reload = 1; }

}  // namespace

ServeSignals::ServeSignals() {
  stop = 0;
  reload = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    const bool hang_up = kSignals[i] == SIGHUP;
    struct sigaction action {};
    action.sa_handler = hang_up ? note_reload : note_stop;
    action.sa_flags = static_cast<int>(hang_up ? SA_RESTART : SA_RESTART | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], &action, &old_[i]);
  }
}

ServeSignals::~ServeSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
}

bool ServeSignals::asked_to_stop() { return stop != 0; }

bool ServeSignals::asked_to_reload() {
  const bool asked = reload != 0;
  if (asked) reload = 0;
  return asked;
}

}  // namespace agentnet
