// Settings with a name: a piece of a config file each.
#pragma once

#include <span>
#include <string_view>

namespace agentnet {

struct Preset {
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view toml;     // what it sets; the rest is up to the data
};

[[nodiscard]] std::span<const Preset> presets();

// Throws Error (kUsage), with a suggestion, for a name that there is not.
[[nodiscard]] const Preset& preset_named(std::string_view name);

}  // namespace agentnet
