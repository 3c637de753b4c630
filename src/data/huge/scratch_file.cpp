#include "data/huge/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include "core/files/file_error.h"

namespace agentnet {
namespace {

constexpr std::size_t kMostPerCall = std::size_t{1} << 30;

}  // namespace

ScratchFile::ScratchFile(std::filesystem::path beside, FileSystem& fs) : beside_(std::move(beside)), fs_(fs) {
  static std::atomic<unsigned> counter{0};
  std::filesystem::path name = beside_;
  name += ".scratch" + std::string(kTemporarySuffix) + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  do {
    fd_ = fs_.open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  } while (fd_ < 0 && errno == EINTR);
  if (fd_ < 0) throw_write_error(beside_, "create a temporary file beside it", errno);
  fs_.unlink(name.c_str());
}

ScratchFile::~ScratchFile() { fs_.close(fd_); }

void ScratchFile::append(const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = fs_.pwrite(fd_, next, std::min(size, kMostPerCall), static_cast<off_t>(size_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw_write_error(beside_, "write a temporary file beside it", written < 0 ? errno : ENOSPC);
    }
    next += written;
    size_ += static_cast<std::size_t>(written);
    size -= static_cast<std::size_t>(written);
  }
}

void ScratchFile::read(std::uint64_t offset, void* data, std::size_t size) {
  char* next = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = fs_.pread(fd_, next, std::min(size, kMostPerCall), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw_write_error(beside_, "read back a temporary file beside it", got < 0 ? errno : EIO);
    next += got;
    offset += static_cast<std::size_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

}  // namespace agentnet
