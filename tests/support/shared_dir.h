// Where recorded data is: the golden cases that every clone has, and the reference data beside the source tree.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace agentnet {

// The folder that AGENTNET_SHARED_DIR names, else `shared` beside the source tree; nothing when there
// is no such folder. A test that needs it says so and skips:
//
//   const auto shared = shared_dir();
//   if (!shared) GTEST_SKIP() << kNoSharedDir;
[[nodiscard]] std::optional<std::filesystem::path> shared_dir();

inline constexpr const char* kNoSharedDir =
    "no reference data: set AGENTNET_SHARED_DIR, or put it beside the source tree";

// tests/golden of the source tree, which holds some of the golden cases.
[[nodiscard]] std::filesystem::path committed_golden_dir();

// All *.safetensors files of a folder by name. Throws Error (kUsage) if there is no such folder, or no such file in it:
// a test that compares nothing must not pass.
[[nodiscard]] std::vector<std::filesystem::path> recorded_cases(const std::filesystem::path& folder);

}  // namespace agentnet
