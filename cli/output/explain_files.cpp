#include "output/explain_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet {
namespace {

const std::vector<std::pair<std::string, ExplainFormat>>& known_formats() {
  static const std::vector<std::pair<std::string, ExplainFormat>> kAll = {{"jsonl", ExplainFormat::kJsonLines},
                                                                          {"svg", ExplainFormat::kSvg},
                                                                          {"html", ExplainFormat::kHtml},
                                                                          {"graphml", ExplainFormat::kGraphml}};
  return kAll;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

std::vector<ExplainFormat> formats_from_names(const std::vector<std::string>& names) {
  std::vector<ExplainFormat> formats;
  std::vector<std::string> all;
  for (const auto& [name, format] : known_formats()) all.push_back(name);
  for (const std::string& name : names) {
    const auto found = std::find(all.begin(), all.end(), name);
    if (found == all.end()) {
      const auto meant = closest_match(name, all);
      throw Error(ErrorKind::kUsage, fmt::format("explanations are not written as {}", in_quotes(name)),
                  meant ? fmt::format("did you mean {}?", *meant)
                        : fmt::format("--format takes {}, separated by commas", join_text(all, ", ")));
    }
    const ExplainFormat format = known_formats()[static_cast<std::size_t>(found - all.begin())].second;
    if (!has(formats, format)) formats.push_back(format);
  }
  return formats;
}

bool has(const std::vector<ExplainFormat>& formats, ExplainFormat format) {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

FileNames::FileNames() : taken_({"classes", "explanations", "page"}) {}

std::string FileNames::name_for(std::string_view id) {
  constexpr std::size_t kLongest = 80;
  std::string name(id.substr(0, kLongest));
  for (char& c : name) {
    if (!is_plain(c)) c = '_';
  }
  if (name.empty()) name = "graph";
  if (name.front() == '.' || name.front() == '-') name.front() = '_';  // hidden files, options of other programs
  if (name.back() == '.') name.back() = '_';
  std::string free = name;
  for (int i = 2; !taken_.insert(lower(free)).second; ++i) free = fmt::format("{}-{}", name, i);
  return free;
}

void ExplainFolder::plan(const std::string& name) const {
  std::error_code ignored;
  if (force_ || !std::filesystem::exists(path(name), ignored)) return;
  throw Error(ErrorKind::kUsage, fmt::format("{} exists already", path(name).string()),
              "choose another folder, or replace its files with --force");
}

void ExplainFolder::make() const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (!error && std::filesystem::is_directory(folder_, error)) return;
  throw Error(ErrorKind::kFailure,
              fmt::format("cannot make the folder {}{}", folder_.string(), error ? ": " + error.message() : ""),
              "choose another one with -o");
}

}  // namespace agentnet
