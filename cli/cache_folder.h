// Where public sets are kept on this machine.
#pragma once

#include <filesystem>
#include <string>

namespace agentnet {

// The folder that is named, else $AGENTNET_CACHE, else agentnet in $XDG_CACHE_HOME or ~/.cache. Throws Error (kUsage)
// that names the `option` if none of these is set.
[[nodiscard]] std::filesystem::path cache_folder(const std::string& named, const std::string& option);

}  // namespace agentnet
