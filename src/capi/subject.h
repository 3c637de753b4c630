// What calls that keep a folder have in common: where data and settings come from.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agentnet/settings.h"
#include "capi/handles.h"
#include "core/json.h"

namespace agentnet::capi {

// The data and settings of a call: from a set, from what the settings name, or from a folder that is there.
struct Subject {
  std::shared_ptr<const Dataset> data;
  std::optional<SettingsLayers> layers;
};

[[nodiscard]] Subject subject_of(const agentnet_set* set, const char* settings, int threads);
[[nodiscard]] Subject resumed(const agentnet_set* set, const std::filesystem::path& config, int threads);

// The options of a call, which has those of these names.
[[nodiscard]] Json checked_options(const char* options, const std::vector<std::string>& names);

[[noreturn]] void interrupted(std::size_t done, std::size_t of, const char* what);

}  // namespace agentnet::capi
