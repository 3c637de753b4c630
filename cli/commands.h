// The commands of the program: one table, one file cmd_NAME.cpp per command.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>

namespace CLI {
class App;
}

namespace agentnet {

// Where a command writes: results to `out`, everything else to `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;
  int err_width = 80;  // columns of that terminal
};

using CommandRun = std::function<void(const Console&)>;

struct Command {
  const char* name;
  const char* summary;  // one line, for the list of commands and the top of the command's own --help
  const char* example;  // a line that works as it stands, or with the reader's own file names
  // Declares the options on `app` and returns what runs the command once they are parsed. A command
  // fails by throwing agentnet::Error.
  CommandRun (*define)(CLI::App& app);
};

// Every command that works, in the order of --help.
[[nodiscard]] std::span<const Command> commands();

}  // namespace agentnet
