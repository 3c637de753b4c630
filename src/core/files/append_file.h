// A file that grows at its end: logs and curves. What was written when the process dies stays; sync() brings it to the
// disk.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/files/atomic_file.h"

namespace agentnet {

// Every failure throws Error (kFailure) that names the file and the system's reason. Not for two threads at once.
class AppendFile {
 public:
  // Makes the file if it is not there.
  explicit AppendFile(const std::filesystem::path& path, FileSystem& fs = FileSystem::real());
  ~AppendFile();
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;

  void write(std::string_view text);
  void sync();

 private:
  FileSystem* fs_;
  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace agentnet
