#include "core/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "agentnet/error.h"
#include "core/checked.h"
#include "core/text.h"

namespace agentnet {
namespace {

[[noreturn]] void fail(ErrorKind kind, const std::filesystem::path& path, const std::string& reason,
                       const std::string& hint) {
  throw Error(kind, "cannot read " + printable(path.native()) + ": " + reason, hint);
}

std::string reason_of(int error) { return std::system_category().message(error); }

// Closes the descriptor on every way out; a mapping outlives it.
struct Descriptor {
  int fd;
  ~Descriptor() { ::close(fd); }
};

}  // namespace

MappedFile MappedFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: without it, opening a named pipe would wait for a writer instead of reaching the check below.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int error = errno;
    const bool missing = error == ENOENT || error == ENOTDIR;
    fail(ErrorKind::kData, path, reason_of(error), missing ? "check the path" : "check that you may read the file");
  }
  const Descriptor descriptor{fd};
  struct stat status = {};
  if (::fstat(fd, &status) != 0) fail(ErrorKind::kFailure, path, reason_of(errno), "");
  if (!S_ISREG(status.st_mode)) fail(ErrorKind::kData, path, "it is not a regular file", "give the path of a file");

  MappedFile file;
  const auto size = checked_cast<std::size_t>(status.st_size);
  if (!size) fail(ErrorKind::kFailure, path, "it is larger than this machine can map", "");
  if (*size == 0) return file;  // there is no mapping of length zero
  void* address = ::mmap(nullptr, *size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED)
    fail(ErrorKind::kFailure, path, reason_of(errno), "close other programs, or check ulimit -v");
  file.data_ = static_cast<const std::byte*>(address);
  file.size_ = *size;
  return file;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace agentnet
