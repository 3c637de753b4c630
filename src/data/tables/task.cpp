#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "agentnet/data.h"
#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"none", "classification", "multilabel", "regression"};

}  // namespace

std::string_view task_name(Task task) {
  const auto number = static_cast<std::size_t>(task);
  if (number >= kNames.size()) throw std::logic_error(fmt::format("there is no task with the number {}", number));
  return kNames[number];
}

Task task_from_name(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) return static_cast<Task>(found - kNames.begin());
  const std::vector<std::string> names(kNames.begin(), kNames.end());
  const auto meant = closest_match(name, names);
  throw Error(ErrorKind::kUsage, fmt::format("there is no task {}", in_quotes(name)),
              meant ? fmt::format("did you mean {}?", *meant) : fmt::format("tasks are {}", join_text(names, ", ")));
}

}  // namespace agentnet
