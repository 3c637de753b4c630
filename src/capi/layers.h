// What a caller's settings are for a set, as the program would have them.
#pragma once

#include "agentnet/settings.h"
#include "capi/handles.h"

namespace agentnet::capi {

// The layers that the JSON has, with source and reading options of the set: section [data] may only say who is trained
// on (Error, kUsage).
[[nodiscard]] SettingsLayers layers_for(const agentnet_set& set, const char* settings);

}  // namespace agentnet::capi
