// Compressed files and archives, made in memory.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agentnet {

// The text packed as a file of this ending: ".gz", ".xz", ".zst" or ".bz2".
[[nodiscard]] std::string packed(std::string_view text, std::string_view ending);

using ArchiveMembers = std::vector<std::pair<std::string, std::string>>;  // name, content

// An archive of this ending: ".zip", ".tar", ".tar.gz", ".tar.xz", ".tar.zst".
[[nodiscard]] std::string archive_of(const ArchiveMembers& members, std::string_view ending);

}  // namespace agentnet
