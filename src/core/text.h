// Text that comes from outside: is it UTF-8, and how to show it in a message.
#pragma once

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

}  // namespace agentnet
