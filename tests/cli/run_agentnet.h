// Runs the built program as a user would.
#pragma once

#include <string>
#include <vector>

namespace agentnet {

struct ProgramResult {
  int exit_code = -1;  // -1 when a signal ended it
  std::string out;
  std::string err;
};

// Runs build/PRESET/bin/agentnet with `arguments` and an empty standard input, and waits for it.
// With `out_file`, standard output goes there instead. `environment` is put before the command: "HOME=/tmp LANG=C".
[[nodiscard]] ProgramResult run_agentnet(const std::vector<std::string>& arguments, const std::string& out_file = {},
                                         const std::string& environment = {});

}  // namespace agentnet
