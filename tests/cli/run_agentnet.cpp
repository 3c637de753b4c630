#include "cli/run_agentnet.h"

#include <sys/wait.h>

#include <cstdlib>

#include "support/temp_folder.h"

namespace agentnet {
namespace {

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

ProgramResult run_agentnet(const std::vector<std::string>& arguments, const std::string& out_file,
                           const std::string& environment) {
  const TempFolder folder;
  const std::string out = folder / "out";
  const std::string err = folder / "err";
  std::string line = environment + ' ' + shell_quoted(AGENTNET_PROGRAM);
  for (const std::string& argument : arguments) line += ' ' + shell_quoted(argument);
  line += " </dev/null >" + shell_quoted(out_file.empty() ? out : out_file) + " 2>" + shell_quoted(err);

  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(out), read_text(err)};
}

}  // namespace agentnet
