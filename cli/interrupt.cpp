#include "interrupt.h"

namespace agentnet {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

void note_signal(int) { asked_to_stop = 1; }

}  // namespace

InterruptGuard::InterruptGuard() {
  asked_to_stop = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags =
      static_cast<int>(SA_RESTART | SA_RESETHAND);  // system calls go on; the second signal is the default
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, nullptr, &old_interrupt_);
  sigaction(SIGTERM, nullptr, &old_terminate_);
  // Who started us in the background of a script wants Ctrl-C to spare us.
  if (old_interrupt_.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr);
  if (old_terminate_.sa_handler != SIG_IGN) sigaction(SIGTERM, &action, nullptr);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

bool InterruptGuard::interrupted() { return asked_to_stop != 0; }

}  // namespace agentnet
