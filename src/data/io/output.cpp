#include "data/io/output.h"

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

TextOutput::TextOutput(const std::filesystem::path& path) : file_(path) {
  const std::string ending = path.extension().string();
  if (ending == ".gz" || ending == ".xz" || ending == ".zst") packer_ = pack(file_, path);
}

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
