// Folders that results go to.
#pragma once

#include <filesystem>

namespace agentnet {

// Makes it, and the folders that it lies in; one that is there stays as it is. Throws Error (kFailure).
void make_folder(const std::filesystem::path& folder);

}  // namespace agentnet
