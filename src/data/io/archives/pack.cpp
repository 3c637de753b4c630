#include "data/io/archives/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/core.h>

#include <exception>
#include <new>
#include <string>

#include "agentnet/error.h"

namespace agentnet {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* reason) {
  throw Error(
      ErrorKind::kFailure,
      fmt::format("cannot write {}: {}", path.string(), reason != nullptr ? reason : "libarchive does not say why"),
      "check the folder's permissions and free space");
}

struct ArchiveDeleter {
  void operator()(archive* a) const { archive_write_free(a); }
};

// libarchive's writer: a "raw" archive is just the packed bytes. It hands them to `file_`, whose exceptions must not
// cross C code.
class ArchiveWriter final : public Packer {
 public:
  ArchiveWriter(AtomicFile& target, const std::filesystem::path& where)
      : file_(target), path_(where), writer_(archive_write_new()) {
    if (writer_ == nullptr) throw std::bad_alloc();
    archive* const writer = writer_.get();
    archive_write_set_format_raw(writer);
    archive_write_set_bytes_in_last_block(writer, 1);  // no padding
    const std::string ending = path_.extension().string();
    int result = ARCHIVE_OK;
    if (ending == ".gz") {
      result = archive_write_add_filter_gzip(writer);
      archive_write_set_filter_option(writer, "gzip", "timestamp", nullptr);  // the same bytes every time
    } else if (ending == ".xz") {
      result = archive_write_add_filter_xz(writer);
    } else {
      result = archive_write_add_filter_zstd(writer);
    }
    if (result == ARCHIVE_OK) result = archive_write_open(writer, this, nullptr, take, nullptr);
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, "data");
    archive_entry_set_filetype(entry, AE_IFREG);
    if (result == ARCHIVE_OK) result = archive_write_header(writer, entry);
    archive_entry_free(entry);
    check(result);
  }

  void write(std::string_view text) override {
    while (!text.empty()) {
      const la_ssize_t written = archive_write_data(writer_.get(), text.data(), text.size());
      if (written <= 0) check(ARCHIVE_FATAL);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void close() override { check(archive_write_close(writer_.get())); }

 private:
  static la_ssize_t take(archive*, void* self, const void* data, std::size_t size) {
    auto* packer = static_cast<ArchiveWriter*>(self);
    if (packer->error_) return -1;
    try {
      packer->file_.write(data, size);
      return static_cast<la_ssize_t>(size);
    } catch (...) {
      packer->error_ = std::current_exception();
      return -1;
    }
  }
  void check(int result) const {
    if (error_) std::rethrow_exception(error_);
    if (result != ARCHIVE_OK) fail(path_, archive_error_string(writer_.get()));
  }

  AtomicFile& file_;
  std::filesystem::path path_;
  std::exception_ptr error_;
  std::unique_ptr<archive, ArchiveDeleter> writer_;  // last: goes first, while what take() uses is there
};

}  // namespace

std::unique_ptr<Packer> pack(AtomicFile& file, const std::filesystem::path& path) {
  return std::make_unique<ArchiveWriter>(file, path);
}

}  // namespace agentnet
