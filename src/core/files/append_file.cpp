#include "core/files/append_file.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "core/files/file_error.h"

namespace agentnet {

AppendFile::AppendFile(const std::filesystem::path& path, FileSystem& fs) : fs_(&fs), path_(path) {
  fd_ = fs.open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) throw_write_error(path_, "open it", errno);
}

AppendFile::~AppendFile() {
  if (fd_ >= 0) fs_->close(fd_);
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : fs_(other.fs_), path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(fs_, other.fs_);
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

void AppendFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = fs_->write(fd_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_write_error(path_, "add to it", errno);
    if (written == 0) throw_write_error(path_, "add to it", ENOSPC);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AppendFile::sync() {
  if (fs_->fsync(fd_) != 0) throw_write_error(path_, "bring it to the disk", errno);
}

}  // namespace agentnet
