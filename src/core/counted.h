// Numbers of things in messages: "1 graph", "2 graphs", "1 category", "3 categories".
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <string>
#include <string_view>

namespace agentnet {

// `several` is for nouns that do not just take an s.
template <std::integral T>
[[nodiscard]] std::string counted(T count, std::string_view one, std::string_view several = {}) {
  if (count == 1) return fmt::format("1 {}", one);
  return several.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, several);
}

}  // namespace agentnet
