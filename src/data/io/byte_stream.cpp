#include "data/io/byte_stream.h"

#include <fcntl.h>
#include <fmt/core.h>
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

FileStream::FileStream(const std::filesystem::path& path, std::shared_ptr<Unpacking> unpacking)
    : path_(path), unpacking_(std::move(unpacking)), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) fail("cannot open");
}

FileStream::~FileStream() { ::close(fd_); }

std::size_t FileStream::read(char* out, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(fd_, out, size);
    if (got >= 0) {
      unpacking_->read(static_cast<std::uint64_t>(got));
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) fail("cannot read");
  }
}

void FileStream::fail(const char* action) const {
  const int error = errno;
  const bool users = error == ENOENT || error == EACCES || error == ENOTDIR || error == EISDIR;
  throw Error(users ? ErrorKind::kData : ErrorKind::kFailure,
              fmt::format("{} {}: {}", action, path_.string(), std::generic_category().message(error)),
              "check the path");
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
