#include "core/files/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "agentnet/error.h"
#include "core/files/file_error.h"
#include "core/text.h"

namespace agentnet {
namespace {

constexpr std::size_t kMostPerCall = std::size_t{1} << 30;  // Linux never writes more than 2 GiB at once

// Where the content shall go in the end, with links followed: the rename would otherwise replace the
// link, and on a device (/dev/null, say) it would replace the device.
std::filesystem::path resolve_target(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(ErrorKind::kFailure,
                "cannot write " + printable(path.native()) + ": it exists and is not a regular file",
                "choose another name");
  }
  if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) return path;
  std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error) {
    throw Error(ErrorKind::kFailure, "cannot write " + printable(path.native()) + ": it is a link that leads nowhere",
                "remove the link, or create what it points to");
  }
  return target;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

// A number as std::to_string writes it, at the beginning of the text, which is then without it.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (problem != std::errc() || text.substr(0, length) != std::to_string(value)) return std::nullopt;
  text.remove_prefix(length);
  return value;
}

// The process that writes a temporary file of this name; nothing if it is no such name.
std::optional<pid_t> writer_of(std::string_view name) {
  const std::size_t at = name.rfind(kTemporarySuffix);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  name.remove_prefix(at + std::string_view(kTemporarySuffix).size());
  const auto process = take_number(name);
  if (!process || *process == 0 || *process > std::numeric_limits<pid_t>::max() || !name.starts_with('-')) {
    return std::nullopt;
  }
  name.remove_prefix(1);
  if (!take_number(name) || !name.empty()) return std::nullopt;
  return static_cast<pid_t>(*process);
}

// Once for each folder that this process writes to: a folder may hold very many files.
void sweep_once(const std::filesystem::path& folder) {
  static std::mutex mutex;
  static std::set<std::filesystem::path> swept;
  std::error_code error;
  const std::filesystem::path place = std::filesystem::absolute(folder, error);
  {
    const std::lock_guard lock(mutex);
    if (error || !swept.insert(place).second) return;
  }
  remove_abandoned_files(folder);
}

}  // namespace

int FileSystem::open(const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); }
ssize_t FileSystem::write(int fd, const void* data, std::size_t size) { return ::write(fd, data, size); }
ssize_t FileSystem::pwrite(int fd, const void* data, std::size_t size, off_t offset) {
  return ::pwrite(fd, data, size, offset);
}
ssize_t FileSystem::pread(int fd, void* data, std::size_t size, off_t offset) {
  return ::pread(fd, data, size, offset);
}
int FileSystem::fsync(int fd) { return ::fsync(fd); }
int FileSystem::close(int fd) { return ::close(fd); }
int FileSystem::rename(const char* from, const char* to) { return ::rename(from, to); }
int FileSystem::unlink(const char* path) { return ::unlink(path); }

FileSystem& FileSystem::real() {
  static FileSystem real;
  return real;
}

AtomicFile::AtomicFile(const std::filesystem::path& path, FileSystem& fs) : fs_(fs), target_(resolve_target(path)) {
  sweep_once(folder_of(target_));
  open_temporary();
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::open_temporary() {
  // Process and counter make the name ours; O_EXCL guards against what a dead process left behind.
  static std::atomic<unsigned> counter{0};
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::filesystem::path name = target_;
    name += kTemporarySuffix + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    fd_ = fs_.open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0) {
      static_cast<void>(::flock(fd_, LOCK_EX | LOCK_NB));  // for is_abandoned(); where there are no locks, without
      temporary_ = std::move(name);
      return;
    }
    if (errno != EEXIST && errno != EINTR) fail("create a temporary file beside it", errno);
  }
  fail("create a temporary file beside it", EEXIST);
}

void AtomicFile::write(const void* data, std::size_t size) {
  if (fd_ < 0) throw std::logic_error("AtomicFile: write after commit or failure");
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = fs_.write(fd_, next, std::min(size, kMostPerCall));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write its new content", errno);
    if (written == 0) fail("write its new content", ENOSPC);
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::write_at(std::uint64_t offset, const void* data, std::size_t size) {
  if (fd_ < 0) throw std::logic_error("AtomicFile: write after commit or failure");
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = fs_.pwrite(fd_, next, std::min(size, kMostPerCall), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write its new content", errno);
    if (written == 0) fail("write its new content", ENOSPC);
    next += written;
    offset += static_cast<std::size_t>(written);
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::read_at(std::uint64_t offset, void* data, std::size_t size) {
  if (fd_ < 0) throw std::logic_error("AtomicFile: read after commit or failure");
  char* next = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = fs_.pread(fd_, next, std::min(size, kMostPerCall), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("read back its new content", got < 0 ? errno : EIO);
    next += got;
    offset += static_cast<std::size_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

void AtomicFile::commit() {
  if (fd_ < 0) throw std::logic_error("AtomicFile: commit after commit or failure");
  if (fs_.fsync(fd_) != 0) fail("bring its new content to the disk", errno);
  // The descriptor is gone even when close fails, so it must not be closed again.
  const int closing = std::exchange(fd_, -1);
  if (fs_.close(closing) != 0 && errno != EINTR) fail("close its temporary file", errno);
  if (fs_.rename(temporary_.c_str(), target_.c_str()) != 0) fail("put its new content in place", errno);
  temporary_.clear();
  sync_folder();
}

void AtomicFile::sync_folder() {
  const std::filesystem::path folder = folder_of(target_);
  const int fd = fs_.open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0) fail("open its folder", errno);
  const int synced = fs_.fsync(fd);
  const int error = errno;
  fs_.close(fd);
  // Some network and FUSE file systems cannot sync a folder; there, the rename is as durable as it gets.
  if (synced != 0 && error != EINVAL && error != ENOTSUP) fail("bring its folder to the disk", error);
}

void AtomicFile::discard() noexcept {
  if (fd_ >= 0) fs_.close(fd_);
  fd_ = -1;
  if (!temporary_.empty()) fs_.unlink(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::fail(const char* action, int error) {
  discard();
  throw_write_error(target_, action, error);
}

bool is_temporary_name(const std::string& name) { return writer_of(name).has_value(); }

bool is_abandoned(const std::filesystem::path& path, pid_t process) {
  if (::kill(process, 0) == 0 || errno != ESRCH) return false;
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return !locked;
}

void remove_abandoned_files(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    const auto process = writer_of(entry->path().filename().string());
    std::error_code ignored;
    if (!process || !std::filesystem::is_regular_file(entry->symlink_status(ignored))) continue;
    if (is_abandoned(entry->path(), *process)) std::filesystem::remove(entry->path(), ignored);
  }
}

}  // namespace agentnet
