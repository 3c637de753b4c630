#include "interrupt.h"

namespace agentnet {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

void note_signal(int) { asked_to_stop = 1; }

}  // namespace

InterruptGuard::InterruptGuard() {
  asked_to_stop = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = note_signal;
    // System calls go on; the second signal is the default.
    action.sa_flags = static_cast<int>(kSignals[i] == SIGXCPU ? SA_RESTART : SA_RESTART | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], nullptr, &old_[i]);
    // Who started us in the background of a script, or with nohup, wants us to be spared.
    if (old_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
}

bool InterruptGuard::interrupted() { return asked_to_stop != 0; }

}  // namespace agentnet
