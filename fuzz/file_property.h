// What must hold of any bytes that lie in a file: an archive, a packed file, a split.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/io/input.h"
#include "data/splits/splits.h"

namespace agentnet {

// The bytes as a file that needs no disk.
class FileInMemory {
 public:
  explicit FileInMemory(std::span<const std::byte> bytes) : fd_(::memfd_create("input", MFD_CLOEXEC)) {
    if (fd_ < 0 || ::write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      throw std::logic_error("no memory for a file");
    }
  }
  ~FileInMemory() { ::close(fd_); }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;
  [[nodiscard]] std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

// Calls f(path); returns whether it threw no Error. An Error must be of kind kData, name the file, be printable and
// have a hint.
template <class F>
bool check_file(std::span<const std::byte> bytes, const F& f) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
  };
  const FileInMemory file(bytes);
  try {
    f(file.path());
    return true;
  } catch (const Error& error) {
    const std::string message = error.what();
    require(error.kind() == ErrorKind::kData, "refused with the wrong kind of error");
    require(message.find(file.path().string()) != message.npos, "the message does not name the file");
    require(printable(message) == message && !error.hint().empty(), "message or hint cannot be shown");
    return false;
  }
}

// Whether all members can be listed and read; of members that unpack to very much, the beginning.
inline bool check_archive(std::span<const std::byte> bytes) {
  return check_file(bytes, [](const std::filesystem::path& path) {
    const Input input = Input::open(path);
    std::array<char, 4096> block{};
    for (const std::string& member : input.members()) {
      const auto stream = input.stream(member);
      for (int i = 0; i < 256 && stream->read(block.data(), block.size()) > 0; ++i) continue;
    }
  });
}

inline bool check_split_file(std::span<const std::byte> bytes) {
  return check_file(bytes, [](const std::filesystem::path& path) {
    constexpr std::size_t kGraphs = 5;
    const auto splits = read_split_file(path, kGraphs);
    if (splits.empty()) throw std::logic_error("no split at all");
    for (const Split& split : splits) {
      for (const auto* part : {&split.train, &split.valid, &split.test}) {
        for (const std::size_t graph : *part) {
          if (graph >= kGraphs) throw std::logic_error("a graph that is not there");
        }
      }
    }
  });
}

}  // namespace agentnet
