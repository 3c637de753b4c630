// One packed file: the only place that knows libarchive's writing side.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "core/files/atomic_file.h"

namespace agentnet {

class Packer {
 public:
  virtual ~Packer() = default;
  virtual void write(std::string_view text) = 0;
  virtual void close() = 0;  // once, at the end
};

// Packs into `file`, as the ending of `path` says: .gz, .xz or .zst. Throws Error (kFailure) if it cannot be written,
// here and in the functions above, and kUsage in a build that cannot pack.
[[nodiscard]] std::unique_ptr<Packer> pack(AtomicFile& file, const std::filesystem::path& path);

}  // namespace agentnet
