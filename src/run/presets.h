// The table of presets(), by name.
#pragma once

#include <string_view>

#include "agentnet/settings.h"

namespace agentnet {

// Throws Error (kUsage), with a suggestion, for a name that there is not.
[[nodiscard]] const Preset& preset_named(std::string_view name);

}  // namespace agentnet
