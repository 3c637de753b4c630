// The table of presets(), by name.
#pragma once

#include <string_view>

#include "agentnet/settings.h"
#include "run/advice.h"

namespace agentnet {

// Throws Error (kUsage), with a suggestion, for a name that there is not.
[[nodiscard]] const Preset& preset_named(std::string_view name);

// How long to train with this preset, where it leaves that to the data; of no preset: kThorough.
[[nodiscard]] Pace pace_of(std::string_view preset);

}  // namespace agentnet
