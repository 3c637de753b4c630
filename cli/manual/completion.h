// What makes the tab key work in bash, zsh and fish.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "manual/command_text.h"

namespace agentnet {

// A script for this shell. Throws Error (kUsage) for any other than bash, zsh and fish.
[[nodiscard]] std::string completion_script(std::string_view shell, std::span<const CommandText> commands);

}  // namespace agentnet
