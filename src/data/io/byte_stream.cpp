#include "data/io/byte_stream.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "agentnet/error.h"

namespace agentnet {

void Unpacking::unpack(std::uint64_t bytes) {
  unpacked_ += bytes;
  if (unpacked_ <= limit_.free || unpacked_ / limit_.ratio <= packed_) return;
  throw Error(ErrorKind::kData,
              fmt::format("{}: {} bytes of it unpack to more than {}, over {} times as many", place_, packed_,
                          limit_.free, limit_.ratio),
              "if you trust the file, allow for more with --max-unpack-ratio");
}

OpenFile::OpenFile(const std::filesystem::path& path) : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) fail("cannot open");
  struct stat status {};
  seekable_ = ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
  if (!seekable_) return;
  try {
    constexpr std::size_t kHead = 4096;
    head_.resize(kHead);
    head_.resize(read_on(0, head_.data(), kHead));
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

OpenFile::~OpenFile() { ::close(fd_); }

std::size_t OpenFile::read(std::uint64_t offset, char* out, std::size_t size) const {
  if (offset >= head_.size()) return read_on(offset, out, size);
  const std::size_t n = std::min(size, head_.size() - static_cast<std::size_t>(offset));
  std::copy_n(head_.data() + offset, n, out);
  return n;
}

std::size_t OpenFile::read_on(std::uint64_t offset, char* out, std::size_t size) const {
  for (;;) {
    const ssize_t got = seekable_ ? ::pread(fd_, out, size, static_cast<off_t>(offset)) : ::read(fd_, out, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail("cannot read");
  }
}

void OpenFile::fail(const char* action) const {
  const int error = errno;
  const bool users = error == ENOENT || error == EACCES || error == ENOTDIR || error == EISDIR;
  throw Error(users ? ErrorKind::kData : ErrorKind::kFailure,
              fmt::format("{} {}: {}", action, path_.string(), std::generic_category().message(error)),
              "check the path");
}

std::size_t FileStream::read(char* out, std::size_t size) {
  const std::size_t got = file_->read(offset_, out, size);
  offset_ += got;
  unpacking_->read(got);
  return got;
}

std::size_t KeptTextStream::read(char* out, std::size_t size) {
  const std::size_t n = std::min(size, text_->size() - used_);
  std::copy_n(text_->data() + used_, n, out);
  used_ += n;
  return n;
}

std::size_t TextStream::read(char* out, std::size_t size) {
  const std::size_t n = std::min(size, rest_.size());
  std::copy_n(rest_.data(), n, out);
  rest_.remove_prefix(n);
  return n;
}

PeekStream::PeekStream(std::unique_ptr<ByteStream> inner) : inner_(std::move(inner)) {
  while (size_ < head_.size()) {
    const std::size_t got = inner_->read(head_.data() + size_, head_.size() - size_);
    if (got == 0) break;
    size_ += got;
  }
}

std::size_t PeekStream::read(char* out, std::size_t size) {
  if (used_ == size_) return inner_->read(out, size);
  const std::size_t n = std::min(size, size_ - used_);
  std::copy_n(head_.data() + used_, n, out);
  used_ += n;
  return n;
}

std::string read_all(ByteStream& stream, const std::string& place, std::size_t limit) {
  constexpr std::size_t kStep = std::size_t{1} << 18;
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    if (before > limit) {
      throw Error(ErrorKind::kData, fmt::format("{} has more than {} bytes", place, limit), "split it");
    }
    text.resize(before + std::max(kStep, before / 2));
    const std::size_t got = stream.read(text.data() + before, text.size() - before);
    text.resize(before + got);
    if (got == 0) return text;
  }
}

}  // namespace agentnet
