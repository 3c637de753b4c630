// Why a request gets no answer, and what HTTP calls that.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "agentnet/error.h"
#include "http/request.h"

namespace agentnet {

class Problem : public std::exception {
 public:
  Problem(int status, std::string message, std::string hint = {})
      : status_(status), message_(std::move(message)), hint_(std::move(hint)) {}

  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  int status_;
  std::string message_, hint_;
};

// {"error": "...", "hint": "..."} with the status and, if trying again later may help, Retry-After.
[[nodiscard]] HttpAnswer problem_answer(const Problem& problem);

// 400 for data and options that make no sense, 422 for data that does not fit the model, 500 for the rest, whose words
// are not told to strangers.
[[nodiscard]] Problem problem_of(const std::exception& error);

}  // namespace agentnet
