// A file's bytes, mapped read-only: opening costs the same for any size, reading touches only the
// pages that are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace agentnet {

// Owns the mapping; a move keeps the address. Reading is safe from any thread.
//
// A file that somebody cuts short while it is open would end the program on access (SIGBUS). While files are mapped
// here, such an access reads zeros instead and is remembered: check() then throws. Whoever reads checks indices before
// using them, and calls check() before handing on what came of them.
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
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Throws Error (kData) if the file was cut or written to since it was opened.
  void check() const;

  // Copies bytes of the mapping without touching it: a page of a huge file that is used once costs less to read than to
  // map, and does not stay in the program's memory. `first` points into bytes().
  //
  // read_now() does it only if the system has the bytes in its cache; else ask_for() them, and read() them later, which
  // waits. What is not there any more reads as zeros, and check() throws.
  [[nodiscard]] bool read_now(const void* first, std::size_t bytes, void* out) const;
  void ask_for(const void* first, std::size_t bytes) const;
  void read(const void* first, std::size_t bytes, void* out) const;

 private:
  [[nodiscard]] std::int64_t offset_of(const void* first) const { return static_cast<const std::byte*>(first) - data_; }

  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t watch_ = 0;  // which of the watched mappings this is
  int descriptor_ = -1;
  std::int64_t changed_s_ = 0, changed_ns_ = 0;  // when the file was last written to, as it was opened
  std::filesystem::path path_;
};

}  // namespace agentnet
