// Bytes in order: of a file, of memory, or of either unpacked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace agentnet {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Up to `size` bytes into `out`; 0 at the end. Throws Error: kData for a damaged archive, kFailure for a disk that
  // cannot be read.
  [[nodiscard]] virtual std::size_t read(char* out, std::size_t size) = 0;
};

// How far a file may unpack: beyond `free` bytes, at most `ratio` times what was read of the file. Packings inside of
// packings count against the file itself.
struct UnpackLimit {
  std::uint64_t ratio = 200;
  std::uint64_t free = std::uint64_t{1} << 28;
};

// What one way through a file has read of it, and what that unpacked to, packings inside of packings included.
class Unpacking {
 public:
  Unpacking(UnpackLimit limit, std::string place) : limit_(limit), place_(std::move(place)) {}

  void read(std::uint64_t bytes) { packed_ += bytes; }
  // Throws Error (kData) beyond the limit.
  void unpack(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t packed() const { return packed_; }
  [[nodiscard]] std::uint64_t unpacked() const { return unpacked_; }

 private:
  UnpackLimit limit_;
  std::string place_;
  std::uint64_t packed_ = 0, unpacked_ = 0;
};

// A file that is opened once for all who read it, each from its beginning. Its first bytes are read once, too: they
// tell the format, the columns and the like to one reader after another.
class OpenFile {
 public:
  // Throws Error (kData) if the file cannot be opened.
  explicit OpenFile(const std::filesystem::path& path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  // Up to `size` bytes from `offset` on; 0 at the end.
  [[nodiscard]] std::size_t read(std::uint64_t offset, char* out, std::size_t size) const;

 private:
  [[nodiscard]] std::size_t read_on(std::uint64_t offset, char* out, std::size_t size) const;
  [[noreturn]] void fail(const char* action) const;
  std::filesystem::path path_;
  int fd_;
  bool seekable_ = false;  // else read in order, by one reader
  std::string head_;
};

class FileStream final : public ByteStream {
 public:
  FileStream(std::shared_ptr<const OpenFile> file, std::shared_ptr<Unpacking> unpacking)
      : file_(std::move(file)), unpacking_(std::move(unpacking)) {}
  [[nodiscard]] std::size_t read(char* out, std::size_t size) override;

 private:
  std::shared_ptr<const OpenFile> file_;
  std::shared_ptr<Unpacking> unpacking_;
  std::uint64_t offset_ = 0;
};

// Of text that is kept as long as somebody reads it.
class KeptTextStream final : public ByteStream {
 public:
  explicit KeptTextStream(std::shared_ptr<const std::string> text) : text_(std::move(text)) {}
  [[nodiscard]] std::size_t read(char* out, std::size_t size) override;

 private:
  std::shared_ptr<const std::string> text_;
  std::size_t used_ = 0;
};

// Of text that somebody else keeps.
class TextStream final : public ByteStream {
 public:
  explicit TextStream(std::string_view text) : rest_(text) {}
  [[nodiscard]] std::size_t read(char* out, std::size_t size) override;

 private:
  std::string_view rest_;
};

// Another stream whose first bytes can be looked at before they are read.
class PeekStream final : public ByteStream {
 public:
  explicit PeekStream(std::unique_ptr<ByteStream> inner);
  [[nodiscard]] std::string_view head() const { return {head_.data(), size_}; }
  [[nodiscard]] std::size_t read(char* out, std::size_t size) override;

 private:
  std::unique_ptr<ByteStream> inner_;
  std::array<char, 4096> head_{};
  std::size_t size_ = 0, used_ = 0;
};

// All of it, for formats that are not read line by line. Throws Error (kData) above `limit` bytes.
[[nodiscard]] std::string read_all(ByteStream& stream, const std::string& place,
                                   std::size_t limit = std::size_t{1} << 32);

}  // namespace agentnet
