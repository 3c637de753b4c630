// Manual pages in the language of man(7).
#pragma once

#include <span>
#include <string>

#include "manual/command_text.h"

namespace agentnet {

// agentnet(1): the list of commands.
[[nodiscard]] std::string program_page(std::span<const CommandText> commands);
// agentnet-NAME(1)
[[nodiscard]] std::string command_page(const CommandText& command);

}  // namespace agentnet
