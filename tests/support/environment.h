// Environment variables in tests that run one after the other.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace agentnet {

// Sets an environment variable for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), /*replace=*/1);
  }
  ~Environment() {
    if (before_) {
      setenv(name_, before_->c_str(), /*replace=*/1);
    } else {
      unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace agentnet
