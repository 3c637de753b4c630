#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "program.h"

namespace {

agentnet::Console console() {
  agentnet::Console result{std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1};
  winsize size{};
  if (result.err_is_terminal && ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    result.err_width = size.ws_col;
  }
  result.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  result.out_is_closed = [] {
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
  };
  return result;
}

// Writing then fails instead, and what was being done is ended properly: a pipe that nobody reads any more, and a file
// that would grow beyond the limit of the shell (ulimit -f).
void fail_instead_of_dying() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  fail_instead_of_dying();
  return agentnet::run_program(agentnet::commands(), {argv + 1, argv + argc}, console());
}
