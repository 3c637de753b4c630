#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>

#include "program.h"

namespace {

agentnet::Console console() {
  agentnet::Console result{std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1};
  winsize size{};
  if (result.err_is_terminal && ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    result.err_width = size.ws_col;
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  return agentnet::run_program(agentnet::commands(), {argv + 1, argv + argc}, console());
}
