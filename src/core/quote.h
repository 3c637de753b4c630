// Foreign text in messages.
#pragma once

#include <string>
#include <string_view>

namespace agentnet {

// 'text' in single quotes, safe to print: control characters and bytes that are not valid UTF-8
// appear as \xNN, and what is longer than 80 bytes is cut with "...".
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace agentnet
