// Where explanations go: standard output, or files of a folder under names that no id can lead astray.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace agentnet {

enum class ExplainFormat { kJsonLines, kSvg, kHtml, kGraphml };

// "jsonl", "svg", "html", "graphml"; each once. Throws Error (kUsage) for another name.
[[nodiscard]] std::vector<ExplainFormat> formats_from_names(const std::vector<std::string>& names);
[[nodiscard]] bool has(const std::vector<ExplainFormat>& formats, ExplainFormat format);

// Names of files for graphs: letters, digits, '-', '_' and inner dots of an id stay, all else becomes '_'. No name is
// given twice, not even in another case, and none of the program's own.
class FileNames {
 public:
  FileNames();
  [[nodiscard]] std::string name_for(std::string_view id);

 private:
  std::set<std::string> taken_;  // in lower case
};

// The files of a run in their folder.
class ExplainFolder {
 public:
  static constexpr const char* kJsonLines = "explanations.jsonl";
  static constexpr const char* kPage = "page.html";
  static constexpr const char* kClassesCsv = "classes.csv";
  static constexpr const char* kClassesSvg = "classes.svg";

  ExplainFolder(std::filesystem::path folder, bool force) : folder_(std::move(folder)), force_(force) {}

  // A file that the run is going to write. Throws Error (kUsage) if it exists and must not be replaced: before any
  // work is done.
  void plan(const std::string& name) const;
  // Makes the folder. Throws Error (kFailure).
  void make() const;
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
  bool force_;
};

}  // namespace agentnet
