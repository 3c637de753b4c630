// What this build can do of what needs another library, and what it cannot: `agentnet --version` says it.
#pragma once

#include <string>

namespace agentnet {

// One or two lines, without a line break at the end: "with: ..." and, if something was left out, "without: ...".
[[nodiscard]] std::string build_parts();

}  // namespace agentnet
