// A file's bytes, mapped read-only: opening costs the same for any size, reading touches only the
// pages that are used.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace agentnet {

// Owns the mapping; a move keeps the address. Reading is safe from any thread. As with every mapping,
// a file that somebody cuts short while it is open ends the program on access: agentnet's own writers
// replace files instead of overwriting them (core/atomic_file.h).
class MappedFile {
 public:
  MappedFile() = default;
  // Throws Error: kData if the file is missing, unreadable or not a regular file, kFailure if the
  // system cannot map it.
  [[nodiscard]] static MappedFile open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace agentnet
