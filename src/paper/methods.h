// The networks that the paper's tables compare AgentNet with, as settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agentnet {

struct Method {
  std::string name;      // "gin-random", also of a folder
  std::string in_paper;  // "GIN with random features"
  std::string toml;      // its [model]
};

[[nodiscard]] const std::vector<Method>& methods();

// The method of this name; any other kind of network (docs/networks.md) is a method with its defaults. Throws Error
// (kUsage), with a suggestion, if it is neither.
[[nodiscard]] Method method_named(std::string_view name);

// Whether the method's network has an option of this name.
[[nodiscard]] bool has_option(const Method& method, std::string_view option);

}  // namespace agentnet
