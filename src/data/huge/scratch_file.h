// Room on disk for what does not fit into memory: a file without a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "core/files/atomic_file.h"

namespace agentnet {

// In the folder of `beside`. It is unlinked as soon as it is open, so that the system takes the room back when the
// process ends, whether it returns, throws or is killed. Throws Error (kFailure) that names `beside`.
class ScratchFile {
 public:
  explicit ScratchFile(std::filesystem::path beside, FileSystem& fs = FileSystem::real());
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void append(const void* data, std::size_t size);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  void read(std::uint64_t offset, void* data, std::size_t size);
  [[nodiscard]] int descriptor() const { return fd_; }

 private:
  std::filesystem::path beside_;
  FileSystem& fs_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace agentnet
