// Text files and folders that appear complete or not at all.
#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/files/atomic_file.h"
#include "core/files/folder.h"
#include "data/io/archives/pack.h"

namespace agentnet {

// A file, packed if its name ends in .gz, .xz or .zst. Throws Error (kFailure).
class TextOutput {
 public:
  explicit TextOutput(const std::filesystem::path& path);
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;

  void write(std::string_view text);
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    // Not format_to(): clang calls what it needs by another name than the library, which g++ compiled, has it.
    buffer_ += fmt::format(format, std::forward<Args>(args)...);
    if (buffer_.size() >= kBlock) flush();
  }
  // Once, at the end.
  void commit();

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 18;
  void flush();

  AtomicFile file_;
  std::string buffer_;
  std::unique_ptr<Packer> packer_;  // null: plain
};

// A folder under another name until commit(). What killed writers of the same folder left is removed.
class OutputFolder {
 public:
  // Throws Error: kFailure if it cannot be made. A folder that is there already is replaced by commit(), unless it
  // holds anything but .txt and .csv files: kUsage.
  explicit OutputFolder(const std::filesystem::path& path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return temporary_ / name; }
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  std::unique_ptr<FolderLock> lock_;  // tells others that somebody is at work
  bool done_ = false;
};

}  // namespace agentnet
