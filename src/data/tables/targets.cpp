#include "data/tables/targets.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"
#include "data/io/lines.h"
#include "data/io/name_index.h"
#include "data/tables/columns.h"

namespace agentnet {
namespace {

// Words are numbers that no measurement reaches.
constexpr double kFirstWord = 0x1p1000;
// Up to this many different whole numbers are classes if they look like numbers of classes; of more than kFewClasses,
// there must also be several rows of each.
constexpr std::size_t kFewClasses = 10, kMostClasses = 20, kRowsPerClass = 5;

double number_of_word(std::size_t word) { return kFirstWord * (1 + 0x1p-50 * static_cast<double>(word)); }
bool is_word(double value) { return value >= kFirstWord; }

// Whether whole numbers that a file does not call classes look like the numbers of some: from -1, 0 or 1 on, and with
// few gaps. Concentrations and counts have gaps, or begin elsewhere.
bool number_classes(const std::set<double>& values, std::size_t rows) {
  if (values.size() <= 2) return true;
  const auto count = static_cast<double>(values.size());
  const double lowest = *values.begin(), span = *values.rbegin() - lowest + 1;
  if (lowest < -1 || lowest > 1 || span >= 2 * count) return false;
  return values.size() <= kFewClasses || rows >= kRowsPerClass * values.size();
}

}  // namespace

void Targets::set_names(std::vector<std::string> names) {
  columns_.clear();
  for (std::string& name : names) columns_.emplace_back().name = std::move(name);
}

void Targets::forget_values() {
  for (Column& column : columns_) {
    std::string name = std::move(column.name);
    column = {};
    column.name = std::move(name);
  }
}

bool Targets::is_text(std::string_view value) {
  if (is_blank(value)) return false;
  const auto number = to_number(value);
  return !number || std::abs(*number) >= kFirstWord;
}

std::optional<double> bounded_value(std::string_view text) {
  constexpr std::array<std::string_view, 8> kSigns = {"<=", ">=", "<", ">", "~", "=", "\xE2\x89\xA4", "\xE2\x89\xA5"};
  const auto sign = std::find_if(kSigns.begin(), kSigns.end(), [&](std::string_view s) { return text.starts_with(s); });
  if (sign == kSigns.end()) return std::nullopt;
  text.remove_prefix(sign->size());
  if (text.starts_with('=')) text.remove_prefix(1);  // ">=" is above; "~=" is not
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const auto number = to_number(text);
  return number && std::abs(*number) < kFirstWord ? number : std::nullopt;
}

bool Targets::Column::mostly_numbers() const {
  const auto blanks = std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  return 2 * texts <= values.size() - static_cast<std::size_t>(blanks);
}

void Targets::add(std::size_t c, std::string_view text, const std::function<std::string()>& where) {
  Column& column = columns_.at(c);
  if (is_blank(text)) {
    column.values.push_back(std::numeric_limits<double>::quiet_NaN());
  } else if (const auto number = to_number(text); number && std::abs(*number) < kFirstWord) {
    column.fractions = column.fractions || *number != std::floor(*number);
    column.values.push_back(*number + 0.0);  // -0 is 0
  } else {
    if (const auto bound = bounded_value(text)) {
      if (column.bounded++ == 0) column.first_bounded = std::string(text);
      if (bounds_ != Bounds::kRefuse) {
        const bool value = bounds_ == Bounds::kValue;
        column.fractions = column.fractions || (value && *bound != std::floor(*bound));
        column.values.push_back(value ? *bound + 0.0 : std::numeric_limits<double>::quiet_NaN());
        return;
      }
    }
    if (column.words.empty()) {
      column.first_word = std::string(text);
      if (where) column.first_word_at = where();
    }
    const std::size_t word = column.words.try_emplace(std::string(text), column.words.size()).first->second;
    column.values.push_back(number_of_word(word));
    if (is_infinite(text)) {
      column.fractions = true;
    } else if (!bounded_value(text)) {
      ++column.texts;
    }
  }
}

void Targets::refuse_text(const Column& column, const std::string& source, const std::string& hint) {
  if (column.bounded > 0 && column.texts == 0 && bounded_value(column.first_word)) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: target column {} holds bounded values, {} of {}, such as {}",
                            column.first_word_at.empty() ? source : column.first_word_at, in_quotes(column.name),
                            column.bounded, column.values.size(), in_quotes(column.first_word)),
                "--bounds blank leaves them out, --bounds value takes their numbers");
  }
  throw Error(ErrorKind::kData,
              fmt::format("{}: target column {} holds numbers, but also {}",
                          column.first_word_at.empty() ? source : column.first_word_at, in_quotes(column.name),
                          in_quotes(column.first_word)),
              hint);
}

std::vector<std::string> Targets::drop_text_columns(const std::string& source) {
  if (columns_.size() < 2) return {};
  std::vector<std::string> dropped;
  for (const Column& column : columns_) {
    if (column.words.empty()) continue;
    if (column.mostly_numbers()) {
      refuse_text(column, source, "correct the value or leave it blank, or name the columns to learn with --target");
    }
    dropped.push_back(column.name);
  }
  if (dropped.size() == columns_.size()) return {};
  std::erase_if(columns_, [](const Column& column) { return !column.words.empty(); });
  return dropped;
}

std::vector<std::size_t> choose_targets(const std::vector<std::string>& available,
                                        const std::vector<std::string>& wanted, const std::string& place) {
  std::vector<std::size_t> chosen;
  if (wanted.empty()) return chosen;
  const NameIndex places(available);
  if (wanted == std::vector<std::string>{"*"} && !available.empty() && !places.contains("*")) {
    for (std::size_t c = 0; c < available.size(); ++c) chosen.push_back(c);
    return chosen;
  }
  for (const std::string& name : wanted) {
    const auto found = places.find(name);
    if (!found) {
      const auto meant = closest_match(name, available);
      throw Error(ErrorKind::kUsage, fmt::format("{} has no target {}", place, in_quotes(name)),
                  meant               ? fmt::format("did you mean {}?", *meant)
                  : available.empty() ? std::string("it has no targets at all")
                                      : fmt::format("its targets are {}", list_some(available)));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

Task Targets::natural_task() const {
  bool any = false, binary = true, words = false;
  for (const Column& column : columns_) {
    words = words || !column.words.empty();
    for (const double value : column.values) {
      any = any || !std::isnan(value);
      binary = binary && (std::isnan(value) || value == 0 || value == 1);
    }
  }
  if (!any) return Task::kNone;
  if (columns_.size() > 1) return binary ? Task::kMultilabel : Task::kRegression;
  const Column& only = columns_[0];
  if (meaning_ == Meaning::kClasses && !only.fractions) return Task::kClassification;
  if (meaning_ == Meaning::kNumbers && !words) return Task::kRegression;
  // Text among fractions, or among more whole numbers than there are classes, is a value that went wrong: finish()
  // names it.
  if (only.fractions) return Task::kRegression;
  if (binary || (words && !only.mostly_numbers())) return Task::kClassification;
  std::set<double> distinct;
  std::size_t rows = 0;
  for (const double value : only.values) {
    if (std::isnan(value)) continue;
    ++rows;
    if (!is_word(value)) distinct.insert(value);
    if (distinct.size() > kMostClasses) return Task::kRegression;
  }
  return number_classes(distinct, rows) ? Task::kClassification : Task::kRegression;
}

// Numbers in ascending order, then words in alphabetical order.
std::vector<double> Targets::classes(const std::string& source, Schema& schema) const {
  const Column& column = columns_[0];
  std::map<double, double> number;
  for (const double value : column.values) {
    if (!std::isnan(value) && !is_word(value)) number[value] = 0;
  }
  for (auto& [value, index] : number) {
    index = static_cast<double>(schema.classes.size());
    schema.classes.push_back(fmt::format("{}", value));
  }
  const std::map<std::string, std::size_t> words(column.words.begin(), column.words.end());
  for (const auto& [word, id] : words) {
    if (valid_utf8_prefix(word) != word.size()) {
      throw Error(ErrorKind::kData, fmt::format("{}: the class {} is not UTF-8", source, in_quotes(word)),
                  "save the file as UTF-8");
    }
    number[number_of_word(id)] = static_cast<double>(schema.classes.size());
    schema.classes.push_back(word);
  }
  std::vector<double> indices;
  indices.reserve(column.values.size());
  for (const double value : column.values) indices.push_back(std::isnan(value) ? value : number.at(value));
  return indices;
}

// Words where the task needs numbers: a mistake among numbers, or a column that is no target of this task.
void Targets::refuse_words(const Column& column, const std::string& source) const {
  const bool alone = columns_.size() == 1;
  if (column.mostly_numbers()) {
    refuse_text(column, source,
                alone && !column.fractions ? "correct the value or leave it blank, or use --task classification"
                                           : "correct the value or leave it blank");
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: target column {} holds text, such as {}, which is no number", source,
                          in_quotes(column.name), in_quotes(column.first_word)),
              alone ? "use --task classification, or choose the target columns with --target"
                    : "choose the target columns with --target");
}

std::vector<double> Targets::finish(std::optional<Task> wanted, const std::string& source, Schema& schema) const {
  schema.task = wanted.value_or(natural_task());
  if (schema.task == Task::kNone) return {};
  if (columns_.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: the data has no targets, as {} needs", source, task_name(schema.task)),
                "leave the task out, or name the target column");
  }
  for (const Column& column : columns_) schema.targets.push_back(column.name);
  if (schema.task == Task::kClassification) {
    if (columns_.size() > 1) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: classification has one target, but {} columns are given: {}", source,
                              columns_.size(), list_some(schema.targets)),
                  "choose one of them with --target, or --task multilabel");
    }
    return classes(source, schema);
  }
  const std::size_t rows = columns_[0].values.size();
  std::vector<double> values(rows * columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    if (!column.words.empty()) refuse_words(column, source);
    for (std::size_t r = 0; r < rows; ++r) {
      const double value = column.values[r];
      if (schema.task == Task::kMultilabel && !std::isnan(value) && value != 0 && value != 1) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("{}: target column {} holds {}; yes/no questions have 0, 1 or blanks", source,
                                in_quotes(column.name), value),
                    "use --task regression, or choose the target columns with --target");
      }
      values[r * columns_.size() + c] = value;
    }
  }
  return values;
}

}  // namespace agentnet
