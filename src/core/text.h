// Text in messages: what comes from outside (is it UTF-8, and how to show it), and lists.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace agentnet {

// The length of the longest prefix that is valid UTF-8: text.size() if all of it is.
[[nodiscard]] std::size_t valid_utf8_prefix(std::string_view text);

// Safe to print: control characters and bytes that are not UTF-8 appear as \xNN.
[[nodiscard]] std::string printable(std::string_view text);

// The same in single quotes, and what is longer than 80 bytes is cut and ends in "...".
[[nodiscard]] std::string in_quotes(std::string_view text);

// The values one after the other with `between` between them. (fmt::join needs <fmt/ranges.h>, with which every file
// compiles all of fmt's formatting again.)
template <class Range>
[[nodiscard]] std::string join_text(const Range& values, std::string_view between) {
  std::string text;
  bool first = true;
  for (const auto& value : values) {
    if (!first) text += between;
    first = false;
    text += fmt::format("{}", value);
  }
  return text;
}

}  // namespace agentnet
