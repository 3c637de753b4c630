#include "support/shared_dir.h"

#include <cstdlib>

namespace agentnet {

std::optional<std::filesystem::path> shared_dir() {
  const char* named = std::getenv("AGENTNET_SHARED_DIR");
  const std::filesystem::path path =
      named != nullptr && *named != '\0' ? named : std::filesystem::path(AGENTNET_SOURCE_DIR).parent_path() / "shared";
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return std::nullopt;
  return path;
}

std::filesystem::path committed_golden_dir() { return std::filesystem::path(AGENTNET_SOURCE_DIR) / "tests" / "golden"; }

}  // namespace agentnet
