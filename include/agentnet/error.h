// The one error type of the library.
//
// The library never prints, exits or aborts on bad input: it throws Error. What went wrong is in
// what(), what the caller can do next is in hint(), and kind() says whose fault it is; the program
// turns the kind into its exit code.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace agentnet {

enum class ErrorKind {
  kFailure,      // the machine or the file system failed us            exit code 1
  kUsage,        // an option or argument makes no sense                exit code 2
  kData,         // the input data is malformed                         exit code 3
  kMismatch,     // model and data, each fine by itself, do not match   exit code 4
  kInterrupted,  // the user asked to stop                              exit code 130
};

class Error : public std::runtime_error {
 public:
  // `message` says what and where (file:line:column when a file is at fault); `hint`, which may be
  // empty, names the next step.
  Error(ErrorKind kind, const std::string& message, std::string hint = {})
      : std::runtime_error(message), kind_(kind), hint_(std::move(hint)) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

 private:
  ErrorKind kind_;
  std::string hint_;
};

// The exit code of the command-line program for an error of this kind.
[[nodiscard]] constexpr int exit_code(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::kFailure:
      return 1;
    case ErrorKind::kUsage:
      return 2;
    case ErrorKind::kData:
      return 3;
    case ErrorKind::kMismatch:
      return 4;
    case ErrorKind::kInterrupted:
      return 130;
  }
  return 1;
}

}  // namespace agentnet
