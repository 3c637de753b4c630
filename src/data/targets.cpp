#include "data/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"
#include "data/columns.h"
#include "data/lines.h"

namespace agentnet {
namespace {

// Words are numbers that no measurement reaches.
constexpr double kFirstWord = 0x1p1000;
// One column of whole numbers is a column of classes if it has no more different values than this.
constexpr std::size_t kMostClasses = 50;

double number_of_word(std::size_t word) { return kFirstWord * (1 + 0x1p-50 * static_cast<double>(word)); }
bool is_word(double value) { return value >= kFirstWord; }

}  // namespace

void Targets::set_names(std::vector<std::string> names) {
  columns_.clear();
  for (std::string& name : names) columns_.push_back({std::move(name), {}, false, {}});
}

void Targets::forget_values() {
  for (Column& column : columns_) column = {std::move(column.name), {}, false, {}};
}

void Targets::add(std::size_t c, std::string_view text) {
  Column& column = columns_.at(c);
  if (is_blank(text)) {
    column.values.push_back(std::numeric_limits<double>::quiet_NaN());
  } else if (const auto number = to_number(text); number && std::abs(*number) < kFirstWord) {
    column.fractions = column.fractions || *number != std::floor(*number);
    column.values.push_back(*number + 0.0);  // -0 is 0
  } else {
    const std::size_t word = column.words.try_emplace(std::string(text), column.words.size()).first->second;
    column.values.push_back(number_of_word(word));
    column.fractions = column.fractions || is_infinite(text);
  }
}

void Targets::drop_text_columns() {
  const auto is_text = [](const Column& column) { return !column.words.empty(); };
  if (columns_.size() > 1 && !std::all_of(columns_.begin(), columns_.end(), is_text)) std::erase_if(columns_, is_text);
}

std::vector<std::size_t> choose_targets(const std::vector<std::string>& available,
                                        const std::vector<std::string>& wanted, const std::string& place) {
  std::vector<std::size_t> chosen;
  for (const std::string& name : wanted) {
    const auto found = std::find(available.begin(), available.end(), name);
    if (found == available.end()) {
      const auto meant = closest_match(name, available);
      throw Error(ErrorKind::kUsage, fmt::format("{} has no target {}", place, in_quotes(name)),
                  meant               ? fmt::format("did you mean {}?", *meant)
                  : available.empty() ? std::string("it has no targets at all")
                                      : fmt::format("its targets are {}", fmt::join(available, ", ")));
    }
    chosen.push_back(static_cast<std::size_t>(found - available.begin()));
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
  // Text among fractions is a value that went wrong: finish() names it.
  if (only.fractions) return Task::kRegression;
  if (words || binary) return Task::kClassification;
  std::set<double> distinct;
  for (const double value : only.values) {
    if (!std::isnan(value)) distinct.insert(value);
    if (distinct.size() > kMostClasses) return Task::kRegression;
  }
  return Task::kClassification;
}

// Numbers in ascending order, then words in alphabetical order.
std::vector<double> Targets::classes(Schema& schema) const {
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
      throw Error(ErrorKind::kData, fmt::format("the class {} is not UTF-8", in_quotes(word)),
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

std::vector<double> Targets::finish(std::optional<Task> wanted, Schema& schema) const {
  schema.task = wanted.value_or(natural_task());
  if (schema.task == Task::kNone) return {};
  if (columns_.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("the data has no targets, as {} needs", task_name(schema.task)),
                "leave the task out, or name the target column");
  }
  for (const Column& column : columns_) schema.targets.push_back(column.name);
  if (schema.task == Task::kClassification) {
    if (columns_.size() > 1) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("classification has one target, but {} columns are given: {}", columns_.size(),
                              fmt::join(schema.targets, ", ")),
                  "choose one of them with --target, or --task multilabel");
    }
    return classes(schema);
  }
  const std::size_t rows = columns_[0].values.size();
  std::vector<double> values(rows * columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    if (!column.words.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("target column {} holds text, such as {}, which is no number", in_quotes(column.name),
                              in_quotes(column.words.begin()->first)),
                  "choose the target columns with --target");
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const double value = column.values[r];
      if (schema.task == Task::kMultilabel && !std::isnan(value) && value != 0 && value != 1) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("target column {} holds {}; yes/no questions have 0, 1 or blanks",
                                in_quotes(column.name), value),
                    "use --task regression, or choose the target columns with --target");
      }
      values[r * columns_.size() + c] = value;
    }
  }
  return values;
}

}  // namespace agentnet
