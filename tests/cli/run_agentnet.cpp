#include "cli/run_agentnet.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace agentnet {
namespace {

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The shell runs: BEFORE agentnet ARGUMENTS INPUT.
ProgramResult run_line(const std::string& before, const std::vector<std::string>& arguments, const std::string& input,
                       const std::string& out_file = {}) {
  const TempFolder folder;
  const std::string out = folder / "out";
  const std::string err = folder / "err";
  std::string line = before + ' ' + shell_quoted(AGENTNET_PROGRAM);
  for (const std::string& argument : arguments) line += ' ' + shell_quoted(argument);
  line += ' ' + input + " >" + shell_quoted(out_file.empty() ? out : out_file) + " 2>" + shell_quoted(err);

  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(out), read_text(err)};
}

}  // namespace

ProgramResult run_agentnet(const std::vector<std::string>& arguments, const std::string& out_file,
                           const std::string& environment) {
  return run_line(environment, arguments, "</dev/null", out_file);
}

ProgramResult pipe_into_agentnet(const std::string& file, const std::vector<std::string>& arguments,
                                 const std::string& environment) {
  return run_line("cat " + shell_quoted(file) + " | " + environment, arguments, "7<&0");
}

RunningProgram::RunningProgram(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {AGENTNET_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string out = folder_ / "out", err = folder_ / "err";
  pid_ = ::fork();
  if (pid_ != 0) return;
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(::open(out.c_str(), kWrite, 0666), STDOUT_FILENO);
  ::dup2(::open(err.c_str(), kWrite, 0666), STDERR_FILENO);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

RunningProgram::~RunningProgram() {
  signal(SIGKILL);
  static_cast<void>(wait());
}

bool RunningProgram::running() {
  if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = 0;
  return pid_ > 0;
}

std::string RunningProgram::out_so_far() const { return read_text(folder_ / "out"); }
std::string RunningProgram::err_so_far() const { return read_text(folder_ / "err"); }

void RunningProgram::signal(int number) {
  if (running()) ::kill(pid_, number);
}

ProgramResult RunningProgram::wait() {
  if (pid_ > 0) ::waitpid(pid_, &status_, 0);
  pid_ = 0;
  return {WIFEXITED(status_) ? WEXITSTATUS(status_) : -1, read_text(folder_ / "out"), read_text(folder_ / "err")};
}

}  // namespace agentnet
