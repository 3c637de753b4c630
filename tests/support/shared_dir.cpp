#include "support/shared_dir.h"

#include <algorithm>
#include <cstdlib>

#include "agentnet/error.h"

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

std::vector<std::filesystem::path> recorded_cases(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) throw Error(ErrorKind::kUsage, folder.string() + " is no folder");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  if (files.empty()) throw Error(ErrorKind::kUsage, "no recorded case in " + folder.string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace agentnet
