// Runs the built program as a user would.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/temp_folder.h"

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

// The same, with the content of a file coming through a pipe, as standard input and as descriptor 7.
[[nodiscard]] ProgramResult pipe_into_agentnet(const std::string& file, const std::vector<std::string>& arguments,
                                               const std::string& environment = {});

// The program while it runs: for signals.
class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& arguments);
  ~RunningProgram();  // ends it
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  [[nodiscard]] bool running();
  [[nodiscard]] std::string out_so_far() const;
  [[nodiscard]] std::string err_so_far() const;
  void signal(int number);
  ProgramResult wait();

 private:
  TempFolder folder_;
  pid_t pid_ = -1;
  int status_ = 0;
};

}  // namespace agentnet
