// The frame around the commands: parse, run, and turn what went wrong into two lines and an exit code.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "commands.h"

namespace agentnet {

// Runs the program with `arguments` (those after the program's name) and returns its exit code: 0, or
// the code of the error's kind as include/agentnet/error.h lists them, or 141 if whoever read its output is gone. An
// error is written to console.err as `error: ...`, followed by `hint: ...` where there is a next step to name. Throws
// nothing.
[[nodiscard]] int run_program(std::span<const Command> table, const std::vector<std::string>& arguments,
                              const Console& console) noexcept;

}  // namespace agentnet
