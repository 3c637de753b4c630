#include "data/tables/columns.h"

#include <algorithm>
#include <array>
#include <map>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "data/io/name_index.h"

namespace agentnet {
namespace {

// A column of whole numbers is a column of categories if it has no more different values than this.
constexpr std::size_t kMostCategories = 256;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return result;
}

// Different values of a strided column, in ascending order; stops beyond `limit`.
std::vector<float> distinct(std::span<const float> values, std::size_t first, std::size_t stride, std::size_t limit) {
  std::vector<float> found;
  std::array<bool, kMostCategories> seen{};  // small whole numbers, which most labels are
  for (std::size_t i = first; i < values.size(); i += stride) {
    const float value = values[i];
    if (value >= 0 && value < static_cast<float>(seen.size()) && value == std::floor(value)) {
      bool& known = seen[static_cast<std::size_t>(value)];
      if (known) continue;
      known = true;
    }
    const auto place = std::lower_bound(found.begin(), found.end(), value);
    if (place != found.end() && *place == value) continue;
    found.insert(place, value);
    if (found.size() > std::min(limit, kMostCategories)) break;
  }
  if (found.size() <= kMostCategories || found.size() > limit) return found;
  // So many that inserting takes too long.
  found.clear();
  for (std::size_t i = first; i < values.size(); i += stride) found.push_back(values[i]);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

bool is_blank(std::string_view text) {
  // As tools write them. Other cases are words: Na is sodium.
  constexpr std::array<std::string_view, 12> kBlanks = {"",     "nan",  "NaN", "NAN", "+nan", "-nan",
                                                        "null", "NULL", "NA",  "N/A", "n/a",  "?"};
  return text.size() <= 4 && std::find(kBlanks.begin(), kBlanks.end(), text) != kBlanks.end();
}

bool is_infinite(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.size() != 3 && text.size() != 8) return false;
  return lower(text) == "inf" || lower(text) == "infinity";
}

ColumnChoice::ColumnChoice(const std::vector<std::string>& names) : names_(names) {}

namespace {

// Whether `name` stands for `column`: it is called that, or that and a number. A node's label is its tag in GIN's text.
bool stands_for(std::string_view name, std::string_view column) {
  if (name == "label" && column == "tag") return true;
  if (!column.starts_with(name)) return false;
  column.remove_prefix(name.size());
  return column.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool ColumnChoice::wants(std::string_view column) const {
  return all() || (!none() && std::any_of(names_.begin(), names_.end(),
                                          [&](const std::string& name) { return stands_for(name, column); }));
}

void ColumnChoice::require(const std::vector<std::string>& columns, const std::string& source,
                           const char* owner) const {
  if (none()) return;
  for (const std::string& name : names_) {
    if (std::any_of(columns.begin(), columns.end(), [&](const std::string& c) { return stands_for(name, c); }))
      continue;
    const auto meant = closest_match(name, columns);
    throw Error(ErrorKind::kUsage, source + " has no " + owner + " column " + in_quotes(name),
                meant             ? "did you mean " + printable(*meant) + "?"
                : columns.empty() ? std::string("it has none at all")
                                  : "its columns are " + list_some(columns) + "; none alone leaves all of them out");
  }
}

void FeatureColumns::require_wanted(const std::string& source, const char* owner) const {
  if (choice_.all()) return;
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  choice_.require(names, source, owner);
}

void FeatureColumns::add(const std::vector<std::string>& names, FeatureKind kind) {
  for (const std::string& name : names) columns_.push_back({name, kind, false, false, !choice_.wants(name), {}});
}

void FeatureColumns::add_numbered(const std::string& name, std::size_t count, FeatureKind kind) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(count == 1 ? name : name + std::to_string(i));
  add(names, kind);
}

void FeatureColumns::forget_values() {
  for (Column& column : columns_) {
    column.fractions = false;
    column.words.clear();
  }
}

// -1: there are too many.
float FeatureColumns::number_of_word(Column& column, std::string_view text) {
  const auto next = static_cast<std::int32_t>(column.words.size());
  if (next >= kFirstWord) return -1;
  const auto [entry, is_new] = column.words.try_emplace(std::string(text), next);
  return static_cast<float>(kFirstWord + entry->second);
}

void FeatureColumns::finish(Array<float>& dense, int& dense_width, Array<std::int32_t>& categories, int& category_width,
                            FeatureSchema& schema) const {
  const std::size_t width = columns_.size();
  if (width == 0) return;
  struct Place {
    std::size_t column;                    // of the raw array
    std::map<float, std::int32_t> number;  // of categories: raw value -> category
  };
  std::vector<Place> to_category;
  std::vector<std::size_t> to_dense;
  bool drops = false;
  for (std::size_t c = 0; c < width; ++c) {
    const Column& column = columns_[c];
    if (column.left_out) {
      drops = true;
      continue;
    }
    bool as_category = column.kind == FeatureKind::kCategories || !column.words.empty();
    std::vector<float> values;
    if (column.kind != FeatureKind::kDense && !column.fractions) {
      const std::size_t limit = as_category ? static_cast<std::size_t>(2 * kFirstWord) : kMostCategories;
      values = distinct(dense.all(), c, width, limit);
      as_category = as_category || values.size() <= kMostCategories;
    }
    if (column.drop_if_constant && values.size() == 1) {
      drops = true;
      continue;
    }
    if (!as_category) {
      to_dense.push_back(c);
      schema.dense.push_back(column.name);
      continue;
    }
    // Numbers in ascending order, then words in alphabetical order.
    CategoryColumn described{column.name, {}};
    std::map<float, std::int32_t> number;
    for (const float value : values) {
      if (value >= static_cast<float>(kFirstWord)) continue;
      number[value] = static_cast<std::int32_t>(number.size());
      described.values.push_back(std::to_string(static_cast<std::int64_t>(value)));
    }
    std::map<std::string, std::int32_t> words(column.words.begin(), column.words.end());
    for (const auto& [word, id] : words) {
      number[static_cast<float>(kFirstWord + id)] = static_cast<std::int32_t>(number.size());
      described.values.push_back(word);
    }
    schema.categories.push_back(std::move(described));
    to_category.push_back({c, std::move(number)});
  }
  if (to_category.empty() && !drops) return;

  const std::span<const float> raw = dense.all();
  const std::size_t rows = raw.size() / width;
  std::vector<std::int32_t> numbers(rows * to_category.size());
  std::vector<float> rest(rows * to_dense.size());
  for (std::size_t i = 0; i < to_category.size(); ++i) {
    const auto& [column, number] = to_category[i];
    // Small whole numbers, which most labels are, by a table.
    constexpr std::size_t kTable = 1024;
    std::vector<std::int32_t> table(kTable, -1);
    for (const auto& [value, category] : number) {
      if (value >= 0 && value < static_cast<float>(kTable)) table[static_cast<std::size_t>(value)] = category;
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const float value = raw[r * width + column];
      const bool small = value >= 0 && value < static_cast<float>(kTable);
      numbers[r * to_category.size() + i] = small ? table[static_cast<std::size_t>(value)] : number.at(value);
    }
  }
  for (std::size_t i = 0; i < to_dense.size(); ++i) {
    for (std::size_t r = 0; r < rows; ++r) rest[r * to_dense.size() + i] = raw[r * width + to_dense[i]];
  }
  category_width = static_cast<int>(to_category.size());
  dense_width = static_cast<int>(to_dense.size());
  categories = Array<std::int32_t>(std::move(numbers));
  dense = Array<float>(std::move(rest));
}

}  // namespace agentnet
