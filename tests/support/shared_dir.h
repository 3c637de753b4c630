// Where the reference data (golden cases, performance workloads) is, if it is there at all.
#pragma once

#include <filesystem>
#include <optional>

namespace agentnet {

// The folder that AGENTNET_SHARED_DIR names, else `shared` beside the source tree; nothing when there
// is no such folder. A test that needs it says so and skips:
//
//   const auto shared = shared_dir();
//   if (!shared) GTEST_SKIP() << kNoSharedDir;
[[nodiscard]] std::optional<std::filesystem::path> shared_dir();

inline constexpr const char* kNoSharedDir =
    "no reference data: set AGENTNET_SHARED_DIR, or put it beside the source tree";

}  // namespace agentnet
