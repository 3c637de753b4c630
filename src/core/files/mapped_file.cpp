#include "core/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
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

// Closes the descriptor on every way out but the good one.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

std::uintptr_t page_size() {
  static const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

// Mappings that the handler of SIGBUS knows. It may run at any moment in any thread, so there are no locks and no
// memory to allocate; a slot is free while `last` is 0.
struct Watched {
  std::atomic<std::uintptr_t> first{0}, last{0};
  std::atomic<bool> failed{false};
};
constexpr std::size_t kMostWatched = 4096;
constinit std::array<Watched, kMostWatched> watched;
struct sigaction previous_action;

// Puts a page of zeros where the file has none any more.
void on_bus_error(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Watched& mapping : watched) {
    if (at < mapping.first.load() || at >= mapping.last.load()) continue;
    void* page = reinterpret_cast<void*>(at & ~(page_size() - 1));  // NOLINT: an address is what the system gives us
    if (::mmap(page, page_size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
    mapping.failed = true;
    return;
  }
  // Not ours: it happens again, and ends as it would have.
  ::sigaction(SIGBUS, &previous_action, nullptr);
  if (info->si_code <= 0) ::raise(SIGBUS);  // somebody sent it, so it does not happen again by itself
}

// Returns the slot, or kMostWatched if there is none left.
std::size_t watch(std::uintptr_t first, std::uintptr_t last) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  static const bool installed = [] {
    static_cast<void>(page_size());
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    return ::sigaction(SIGBUS, &action, &previous_action) == 0;
  }();
  for (std::size_t slot = 0; installed && slot < watched.size(); ++slot) {
    if (watched[slot].last != 0) continue;
    watched[slot].failed = false;
    watched[slot].first = first;
    watched[slot].last = last;
    return slot;
  }
  return kMostWatched;
}

void forget(std::size_t slot) {
  if (slot < watched.size()) watched[slot].last = 0;
}

}  // namespace

MappedFile MappedFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: without it, opening a named pipe would wait for a writer instead of reaching the check below.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int error = errno;
    const bool missing = error == ENOENT || error == ENOTDIR;
    fail(ErrorKind::kData, path, reason_of(error), missing ? "check the path" : "check that you may read the file");
  }
  Descriptor descriptor{fd};
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
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  file.watch_ = watch(first, first + *size);
  if (file.watch_ == kMostWatched) fail(ErrorKind::kFailure, path, "too many files are open", "open fewer at once");
  file.descriptor_ = std::exchange(descriptor.fd, -1);
  file.changed_s_ = status.st_mtim.tv_sec;
  file.changed_ns_ = status.st_mtim.tv_nsec;
  file.path_ = path;
  return file;
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  forget(watch_);
  ::munmap(const_cast<std::byte*>(data_), size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(watch_, other.watch_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(changed_s_, other.changed_s_);
  std::swap(changed_ns_, other.changed_ns_);
  std::swap(path_, other.path_);
  return *this;
}

void MappedFile::check() const {
  if (data_ == nullptr) return;
  struct stat status = {};
  const bool known = ::fstat(descriptor_, &status) == 0;
  const bool same = known && std::cmp_equal(status.st_size, size_) && status.st_mtim.tv_sec == changed_s_ &&
                    status.st_mtim.tv_nsec == changed_ns_;
  if (same && !watched[watch_].failed) return;
  fail(ErrorKind::kData, path_, same ? "a part of it could not be read" : "it was changed while it was being read",
       "leave files alone while they are in use; then start again");
}

bool MappedFile::read_now(const void* first, std::size_t bytes, void* out) const {
  struct iovec to = {out, bytes};
  return std::cmp_equal(::preadv2(descriptor_, &to, 1, offset_of(first), RWF_NOWAIT), bytes);
}

void MappedFile::ask_for(const void* first, std::size_t bytes) const {
  // Only a hint: what it does not fetch, read() does.
  static_cast<void>(
      ::posix_fadvise(descriptor_, offset_of(first), static_cast<std::int64_t>(bytes), POSIX_FADV_WILLNEED));
}

void MappedFile::read(const void* first, std::size_t bytes, void* out) const {
  std::size_t done = 0;
  while (done < bytes) {
    const auto got = ::pread(descriptor_, static_cast<std::byte*>(out) + done, bytes - done,
                             offset_of(first) + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      std::memset(static_cast<std::byte*>(out) + done, 0, bytes - done);
      watched[watch_].failed = true;
      return;
    }
    done += static_cast<std::size_t>(got);
  }
}

}  // namespace agentnet
