#include "data/io/archives/unpack.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "data/io/archives/damaged.h"

namespace agentnet {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;
constexpr std::size_t kLongestName = 4096;  // of a member: the longest path that Linux has

struct ArchiveDeleter {
  void operator()(archive* a) const { archive_read_free(a); }
};
using ArchivePointer = std::unique_ptr<archive, ArchiveDeleter>;

// libarchive's reader over one of our streams. An exception of the stream must not cross C code: it waits in error_.
class ArchiveReader final : public Unpacker {
 public:
  ArchiveReader(std::unique_ptr<ByteStream> inner, std::string place, bool single, std::shared_ptr<Unpacking> unpacking)
      : inner_(std::move(inner)),
        place_(std::move(place)),
        unpacking_(std::move(unpacking)),
        archive_(archive_read_new()),
        buffer_(kBlock) {
    if (archive_ == nullptr) throw std::bad_alloc();
    archive* a = archive_.get();
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_filter_bzip2(a);
    if (single) {
      archive_read_support_format_raw(a);
      archive_read_support_format_empty(a);
    } else {
      archive_read_support_format_zip_streamable(a);
      archive_read_support_format_tar(a);
    }
    check(archive_read_open(a, this, nullptr, give, nullptr));
    // Too little of a header makes libarchive take the packed bytes for the content.
    if (single && archive_filter_code(a, 0) == ARCHIVE_FILTER_NONE) fail_damaged(place_, "its header is cut");
  }

  // The name of the next member that is a file; nothing at the end.
  std::optional<std::string> next() override {
    for (;;) {
      skip_rest();
      archive_entry* entry = nullptr;
      const int result = archive_read_next_header(archive_.get(), &entry);
      if (result == ARCHIVE_EOF) {
        rethrow();
        return std::nullopt;
      }
      check(result);
      count_unpacked();
      if (archive_entry_filetype(entry) == AE_IFDIR) continue;
      const char* name = archive_entry_pathname_utf8(entry);
      if (name == nullptr) name = archive_entry_pathname(entry);
      if (name == nullptr) fail_damaged(place_, "a member without a name");
      if (std::strlen(name) > kLongestName) fail_damaged(place_, "a member's name is longer than any path");
      return name;
    }
  }

  std::size_t read(char* out, std::size_t size) override {
    const la_ssize_t got = archive_read_data(archive_.get(), out, size);
    if (got < 0) check(ARCHIVE_FATAL);
    rethrow();
    read_ += static_cast<std::uint64_t>(got);
    count_unpacked();
    return static_cast<std::size_t>(got);
  }

 private:
  // Both what the packing around an archive gives and what its members do, holes of sparse files included.
  void count_unpacked() {
    const auto filtered = static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_filter_bytes(archive_.get(), 0)));
    const std::uint64_t now = std::max(read_, filtered);
    if (now <= counted_) return;
    const std::uint64_t more = now - std::exchange(counted_, now);
    unpacking_->unpack(more);
  }

  // libarchive unpacks all of a member that it leaves out before anybody could count.
  void skip_rest() {
    if (!begun_ || archive_filter_count(archive_.get()) < 2) {
      begun_ = true;
      return;
    }
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    for (;;) {
      const int result = archive_read_data_block(archive_.get(), &block, &size, &offset);
      if (result == ARCHIVE_EOF) break;
      check(result);
      count_unpacked();
    }
    rethrow();
  }

  static la_ssize_t give(archive* a, void* self, const void** data) {
    auto* reader = static_cast<ArchiveReader*>(self);
    try {
      *data = reader->buffer_.data();
      return static_cast<la_ssize_t>(reader->inner_->read(reader->buffer_.data(), reader->buffer_.size()));
    } catch (...) {
      reader->error_ = std::current_exception();
      archive_set_error(a, EIO, "the file cannot be read");
      return -1;
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }
  void check(int result) const {
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN) return;
    rethrow();
    fail_damaged(place_, archive_error_string(archive_.get()));
  }

  std::unique_ptr<ByteStream> inner_;
  std::string place_;
  std::shared_ptr<Unpacking> unpacking_;
  std::uint64_t read_ = 0, counted_ = 0;
  bool begun_ = false;
  std::exception_ptr error_;
  ArchivePointer archive_;
  std::vector<char> buffer_;
};

}  // namespace

bool can_unpack() { return true; }

std::unique_ptr<Unpacker> unpack(std::unique_ptr<ByteStream> packed, const std::string& place, Packing packing,
                                 std::shared_ptr<Unpacking> unpacking) {
  return std::make_unique<ArchiveReader>(std::move(packed), place, packing == Packing::kFile, std::move(unpacking));
}

}  // namespace agentnet
