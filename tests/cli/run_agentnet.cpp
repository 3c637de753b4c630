#include "cli/run_agentnet.h"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace agentnet {
namespace {

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

ProgramResult run_agentnet(const std::vector<std::string>& arguments, const std::string& out_file) {
  std::string folder = std::filesystem::temp_directory_path() / "agentnet-cli-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return {};
  const std::string out = folder + "/out";
  const std::string err = folder + "/err";
  std::string line = shell_quoted(AGENTNET_PROGRAM);
  for (const std::string& argument : arguments) line += ' ' + shell_quoted(argument);
  line += " </dev/null >" + shell_quoted(out_file.empty() ? out : out_file) + " 2>" + shell_quoted(err);

  const int status = std::system(line.c_str());
  ProgramResult result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
  std::filesystem::remove_all(folder);
  return result;
}

}  // namespace agentnet
