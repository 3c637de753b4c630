#include "data/io/output.h"

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <limits>
#include <system_error>

#include "agentnet/error.h"
#include "core/number.h"

namespace agentnet {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw Error(ErrorKind::kFailure, fmt::format("cannot write {}: {}", path.string(), reason),
              "check the folder's permissions and free space");
}

// A folder is replaced with all it holds: only where that is what we would write ourselves.
void require_set_or_nothing(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::filesystem::path file = entry->path();
    if (entry->is_regular_file(error) && (file.extension() == ".txt" || file.extension() == ".csv")) continue;
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{} holds {}, which is no part of a set of graphs", folder.string(), file.filename().string()),
        "choose another folder");
  }
}

constexpr const char* kUnfinished = ".agentnet-unfinished-";

// Folders of the same target whose writers were killed: exactly our name with the number of a process that is gone.
// What commit() has put aside is called otherwise, and stays.
void remove_unfinished(const std::filesystem::path& target) {
  std::error_code error;
  const std::string beginning = target.filename().string() + kUnfinished;
  const std::filesystem::path place = target.has_parent_path() ? target.parent_path() : ".";
  for (std::filesystem::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(beginning)) continue;
    const auto process = parse_count(name.substr(beginning.size()));
    std::error_code ignored;
    if (!process || *process == 0 || *process > std::numeric_limits<pid_t>::max() ||
        !std::filesystem::is_directory(entry->symlink_status(ignored))) {
      continue;
    }
    if (is_abandoned(entry->path(), static_cast<pid_t>(*process))) std::filesystem::remove_all(entry->path(), ignored);
  }
}

}  // namespace

// libarchive's writer: a "raw" archive is just the packed bytes. It hands them to `file`, whose exceptions must not
// cross C code.
struct TextOutput::Packer {
  Packer(AtomicFile& target, const std::filesystem::path& where)
      : file(target), path(where), writer(archive_write_new()) {
    if (writer == nullptr) throw std::bad_alloc();
    archive_write_set_format_raw(writer);
    archive_write_set_bytes_in_last_block(writer, 1);  // no padding
    const std::string ending = path.extension().string();
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
  ~Packer() { archive_write_free(writer); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const la_ssize_t written = archive_write_data(writer, text.data(), text.size());
      if (written <= 0) check(ARCHIVE_FATAL);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void close() { check(archive_write_close(writer)); }

  static la_ssize_t take(archive*, void* self, const void* data, std::size_t size) {
    auto* packer = static_cast<Packer*>(self);
    if (packer->error) return -1;
    try {
      packer->file.write(data, size);
      return static_cast<la_ssize_t>(size);
    } catch (...) {
      packer->error = std::current_exception();
      return -1;
    }
  }
  void check(int result) const {
    if (error) std::rethrow_exception(error);
    if (result != ARCHIVE_OK) fail(path, archive_error_string(writer) != nullptr ? archive_error_string(writer) : "?");
  }

  AtomicFile& file;
  std::filesystem::path path;
  archive* writer;
  std::exception_ptr error;
};

TextOutput::TextOutput(const std::filesystem::path& path) : file_(path) {
  const std::string ending = path.extension().string();
  if (ending == ".gz" || ending == ".xz" || ending == ".zst") packer_ = std::make_unique<Packer>(file_, path);
}
TextOutput::~TextOutput() = default;

void TextOutput::write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kBlock) flush();
}

void TextOutput::flush() {
  if (packer_ != nullptr) {
    packer_->write(buffer_);
  } else {
    file_.write(buffer_.data(), buffer_.size());
  }
  buffer_.clear();
}

void TextOutput::commit() {
  flush();
  if (packer_ != nullptr) packer_->close();
  file_.commit();
}

OutputFolder::OutputFolder(const std::filesystem::path& path)
    : target_(path.has_filename() ? path : path.parent_path()),
      temporary_(target_.string() + kUnfinished + std::to_string(::getpid())) {
  require_set_or_nothing(target_);
  remove_unfinished(target_);
  std::error_code error;
  std::filesystem::create_directories(temporary_, error);
  if (error) fail(target_, error.message());
  lock_ = std::make_unique<FolderLock>(temporary_);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!done_) std::filesystem::remove_all(temporary_, ignored);
}

void OutputFolder::commit() {
  std::error_code error;
  const std::filesystem::path old = temporary_.string() + "-old";
  const bool replaces = std::filesystem::exists(target_, error);
  if (replaces) std::filesystem::rename(target_, old, error);
  if (error) fail(target_, error.message());
  std::filesystem::rename(temporary_, target_, error);
  if (error) {
    std::error_code ignored;
    if (replaces) std::filesystem::rename(old, target_, ignored);
    fail(target_, error.message());
  }
  done_ = true;
  if (replaces) std::filesystem::remove_all(old, error);
}

}  // namespace agentnet
