// A file system whose calls are counted, and one of which can be made to fail.
#pragma once

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include "core/files/atomic_file.h"

namespace agentnet {

inline constexpr int kNoFailure = -1;

// Logs every call, and fails one of them.
class FaultyFiles : public FileSystem {
 public:
  explicit FaultyFiles(int failing_call = kNoFailure, int error = EIO) : failing_(failing_call), error_(error) {}

  int open(const char* path, int flags, mode_t mode) override {
    const int fd = failing("open") ? -1 : FileSystem::open(path, flags, mode);
    if (fd >= 0) ++descriptors;
    return fd;
  }
  ssize_t write(int fd, const void* data, std::size_t size) override {
    return failing("write") ? -1 : FileSystem::write(fd, data, std::min(size, most_per_write));
  }
  ssize_t pwrite(int fd, const void* data, std::size_t size, off_t offset) override {
    return failing("pwrite") ? -1 : FileSystem::pwrite(fd, data, std::min(size, most_per_write), offset);
  }
  ssize_t pread(int fd, void* data, std::size_t size, off_t offset) override {
    return failing("pread") ? -1 : FileSystem::pread(fd, data, std::min(size, most_per_write), offset);
  }
  int fsync(int fd) override { return failing("fsync") ? -1 : FileSystem::fsync(fd); }
  int close(int fd) override {
    // As on Linux, the descriptor is gone even if close reports an error.
    const bool fails = failing("close");
    FileSystem::close(fd);
    --descriptors;
    return fails ? fail() : 0;
  }
  int rename(const char* from, const char* to) override {
    return failing("rename") ? -1 : FileSystem::rename(from, to);
  }

  std::vector<std::string> calls;
  std::function<void(int)> on_call = {};  // before each call, with its number
  int descriptors = 0;                    // open ones
  std::size_t most_per_write = 1 << 20;

 private:
  bool failing(const char* call) {
    calls.emplace_back(call);
    if (on_call) on_call(static_cast<int>(calls.size()) - 1);
    const bool fails = static_cast<int>(calls.size()) - 1 == failing_;
    if (fails) fail();
    return fails;
  }
  int fail() const {
    errno = error_;
    return -1;
  }
  int failing_, error_;
};

}  // namespace agentnet
