// A whole file at once, through AtomicFile: complete and durable, or as it was.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/files/atomic_file.h"

namespace agentnet {

inline void write_whole_file(const std::filesystem::path& path, std::string_view content,
                             FileSystem& fs = FileSystem::real()) {
  AtomicFile file(path, fs);
  file.write(content.data(), content.size());
  file.commit();
}

}  // namespace agentnet
