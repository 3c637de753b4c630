// Which columns of a table that somebody made for another purpose are to be learned.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/io/name_index.h"
#include "data/tables/targets.h"

namespace agentnet {
namespace {

constexpr std::array<std::string_view, 18> kUsualNames = {
    "y",           "target",         "targets",      "label",    "labels", "class",        "activity",
    "active",      "value",          "outcome",      "response", "exp",    "experimental", "expt",
    "measurement", "measured_value", "y_regression", "property"};

// Words of a name that say what belongs to a measurement and is not measured.
constexpr std::array<std::string_view, 21> kBeside = {
    "id",     "ids",   "index", "idx", "chemblid", "cid",         "year",    "date", "error",       "err",    "std",
    "stddev", "stdev", "sd",    "sem", "fold",     "uncertainty", "version", "temp", "temperature", "unnamed"};

// Parts of a name that make it the one to show in an example.
constexpr std::array<std::string_view, 6> kPromising = {"measured", "exp", "ic50", "ki", "activity", "log"};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return result;
}

bool is_usual(const std::string& name) {
  return std::find(kUsualNames.begin(), kUsualNames.end(), lower(name)) != kUsualNames.end();
}

bool is_beside(const std::string& name) {
  const std::string text = lower(name);
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  for (std::size_t at = 0; (at = text.find_first_of(kLetters, at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_not_of(kLetters, at), text.size());
    const std::string_view word = std::string_view(text).substr(at, end - at);
    if (std::find(kBeside.begin(), kBeside.end(), word) != kBeside.end()) return true;
    at = end;
  }
  return false;
}

// As a shell takes it.
std::string argument(const std::string& name) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+";
  const std::string shown = printable(name);
  if (!shown.empty() && shown.find_first_not_of(kPlain) == std::string::npos) return shown;
  return shown.find('\'') == std::string::npos ? "'" + shown + "'" : "\"" + shown + "\"";
}

std::string example(const std::vector<std::string>& names) {
  for (const std::string_view part : kPromising) {
    const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      return lower(name).find(part) != std::string::npos;
    });
    if (found != names.end()) return argument(*found);
  }
  return argument(names.front());
}

std::string columns_text(const std::vector<std::string>& names, const char* why) {
  return fmt::format("{} {} {} not learned ({})", names.size() == 1 ? "column" : "columns", list_some(names),
                     names.size() == 1 ? "is" : "are", why);
}

}  // namespace

bool Targets::Column::yes_or_no() const {
  return words.empty() &&
         std::all_of(values.begin(), values.end(), [](double v) { return std::isnan(v) || v == 0 || v == 1; });
}

bool Targets::Column::counts_rows() const {
  constexpr std::size_t kFewest = 10;  // rows: fewer may ascend by chance
  if (fractions || !words.empty() || values.size() < kFewest) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i]) || (i > 0 && values[i] <= values[i - 1])) return false;
  }
  return true;
}

Targets::Left Targets::keep_likely(const std::string& source, bool ask) {
  Left left;
  // Takes the columns for which `f` holds away; `all` says whether that may be all of them. Returns their names.
  const auto take_away = [this](bool all, const auto& f) {
    std::vector<std::string> names;
    for (const Column& column : columns_) {
      if (f(column)) names.push_back(column.name);
    }
    if (names.size() == columns_.size() && !all) return std::vector<std::string>{};
    std::erase_if(columns_, f);
    return names;
  };
  left.text = take_away(false, [](const Column& column) { return !column.words.empty() && !column.mostly_numbers(); });
  const auto told = [&](const std::vector<std::string>& names, const char* why) {
    if (!names.empty()) left.notes.push_back(columns_text(names, why));
  };
  told(take_away(true, [](const Column& column) { return column.counts_rows(); }),
       "its numbers ascend from row to row; --target takes it anyway");
  told(take_away(false, [](const Column& column) { return is_beside(column.name); }),
       "named like what stands beside a measurement; --target takes it anyway");
  const auto yes_or_no = [](const Column& column) { return column.yes_or_no(); };
  if (columns_.size() < 2 || std::all_of(columns_.begin(), columns_.end(), yes_or_no)) return left;

  const auto usual = std::count_if(columns_.begin(), columns_.end(), [](const Column& c) { return is_usual(c.name); });
  if (usual == 1) {
    told(take_away(false, [](const Column& column) { return !is_usual(column.name); }),
         "another one is named as targets usually are; --target chooses");
    return left;
  }
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  const std::string found =
      fmt::format("{} columns hold numbers that could be learned: {}", names.size(), list_some(names));
  const std::string hint =
      fmt::format("name the one you mean, or several with commas between them: --target {}; --target '*' takes all",
                  example(names));
  if (ask) throw Error(ErrorKind::kUsage, fmt::format("{}: {}", source, found), hint);
  columns_.clear();
  left.notes.push_back(fmt::format("{}; {}", found, hint));
  return left;
}

std::vector<std::string> Targets::notes() const {
  std::vector<std::string> sentences;
  if (bounds_ == Bounds::kRefuse) return sentences;
  for (const Column& column : columns_) {
    if (column.bounded == 0) continue;
    sentences.push_back(fmt::format("{} of {} values of target {} are bounds, such as {}, and read as {}",
                                    column.bounded, column.values.size(), in_quotes(column.name),
                                    in_quotes(column.first_bounded),
                                    bounds_ == Bounds::kBlank ? "blanks" : "the numbers they name"));
  }
  return sentences;
}

}  // namespace agentnet
