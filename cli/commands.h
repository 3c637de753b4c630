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
  std::ostream& out;  // results that programs read, byte for byte, unless it is a terminal
  std::ostream& err;
  bool err_is_terminal = false;
  int err_width = 80;  // columns of that terminal
  bool out_is_terminal = false;
  bool (*out_is_closed)() = nullptr;  // whether whoever read `out` is gone
  // As the frame sets them; null where tests call a command without it.
  std::ostream* safe_text = nullptr;
  std::ostream* cursor = nullptr;

  // Results that people read, on `out` as well: what comes out of files cannot command their terminal.
  [[nodiscard]] std::ostream& text() const { return safe_text != nullptr ? *safe_text : out; }
  // `err` without that protection, for what moves the cursor. Text goes there only if it is printable().
  [[nodiscard]] std::ostream& raw_err() const { return cursor != nullptr ? *cursor : err; }
};

// Throws if `out` has failed: Error (kFailure), or OutputClosed.
void check_output(const Console& console);

// Whoever read the results wants no more of them, as in agentnet predict ... | head. The program ends without a word.
struct OutputClosed {};

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
