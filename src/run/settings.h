// What the rest of the program needs of settings besides agentnet/settings.h: tables of kinds other than the built-in
// one, and whether two runs have the same settings.
#pragma once

#include <string>
#include <string_view>

#include "agentnet/settings.h"
#include "nets/kinds.h"

namespace agentnet {

[[nodiscard]] std::string to_toml(const Settings& settings, const KindTable& kinds);

// What decides whether two runs have the same settings: the file without its comments, which another version of the
// program may word differently. `name` stands for the file in messages.
[[nodiscard]] std::string values_of_toml(std::string_view toml, const std::string& name);
[[nodiscard]] std::string values_of(const Settings& settings, const KindTable& kinds = builtin_kinds());

// Whether a settings file says the same as `settings`, also one that an earlier version of the program has written.
[[nodiscard]] bool says(std::string_view toml, const std::string& name, const Settings& settings,
                        const KindTable& kinds = builtin_kinds());

struct SettingsInside {
  // Layers that know these kinds of networks, which must outlive them.
  [[nodiscard]] static SettingsLayers with_kinds(const KindTable& kinds);
};

}  // namespace agentnet
