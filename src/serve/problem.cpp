#include "serve/problem.h"

#include "core/json.h"

namespace agentnet {

HttpAnswer problem_answer(const Problem& problem) {
  Json json = {{"error", problem.what()}};
  if (!problem.hint().empty()) json["hint"] = problem.hint();
  HttpAnswer answer = http_answer(problem.status(), "application/json",
                                  json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  if (problem.status() == 429 || problem.status() == 503) answer.headers.emplace_back("Retry-After", "1");
  if (problem.status() == 401) answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

Problem problem_of(const std::exception& error) {
  if (const auto* const known = dynamic_cast<const Problem*>(&error)) return *known;
  const auto* const told = dynamic_cast<const Error*>(&error);
  if (told == nullptr) return {500, "the server has failed to answer"};
  switch (told->kind()) {
    case ErrorKind::kUsage:
    case ErrorKind::kData:
      return {400, told->what(), told->hint()};
    case ErrorKind::kMismatch:
      return {422, told->what(), told->hint()};
    case ErrorKind::kFailure:
    case ErrorKind::kInterrupted:
      break;
  }
  return {500, "the server has failed to answer"};
}

}  // namespace agentnet
