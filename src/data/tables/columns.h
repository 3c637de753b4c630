// Feature columns whose type shows only when all of a file was read.
//
// Until then every value travels as a float through GraphParts: a number as itself, and a word (or any other text) as
// kFirstWord + its number among the words of its column. Whole numbers up to kFirstWord and as many words again fit a
// float exactly. At the end finish() turns the columns that are categories into categories.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agentnet/data.h"
#include "core/text.h"
#include "data/io/lines.h"
#include "graph/set_arrays.h"

namespace agentnet {

// "", "nan", "null", "NA", "?", ...: no value is given.
[[nodiscard]] bool is_blank(std::string_view text);
// "inf", "-Infinity", ... in any case.
[[nodiscard]] bool is_infinite(std::string_view text);

// Which feature columns the user wants: all, none, or those named. A name also stands for the numbered columns of that
// name: "label" for label0, label1, ...
class ColumnChoice {
 public:
  explicit ColumnChoice(const std::vector<std::string>& names);
  [[nodiscard]] bool all() const { return names_.empty(); }
  [[nodiscard]] bool wants(std::string_view column) const;
  // Throws Error (kUsage) if one of the names stands for none of the columns. `owner` is "node" or "edge".
  void require(const std::vector<std::string>& columns, const std::string& source, const char* owner) const;

 private:
  [[nodiscard]] bool none() const { return names_.size() == 1 && names_[0] == "none"; }
  std::vector<std::string> names_;
};

class FeatureColumns {
 public:
  explicit FeatureColumns(const std::vector<std::string>& wanted = {}) : choice_(wanted) {}

  // Appends columns; kDense accepts numbers only, kCategories makes categories of whatever stands there.
  void add(const std::vector<std::string>& names, FeatureKind kind);
  // The last column goes if all its values are the same: it says nothing (GIN text has tags even where there are none).
  void drop_if_constant() { columns_.back().drop_if_constant = true; }
  // Columns "NAME0", "NAME1", ...; a single one is "NAME".
  void add_numbered(const std::string& name, std::size_t count, FeatureKind kind);
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  // Throws Error (kUsage) if the user wants a column that there is not.
  void require_wanted(const std::string& source, const char* owner) const;
  // The columns stay, what is known of their values goes: the next part of a file begins.
  void forget_values();

  // The float that stands for `text` in column c. Calls fail(message, hint), which must throw, if it cannot stand
  // there.
  template <class Fail>
  [[nodiscard]] float value(std::size_t c, std::string_view text, const Fail& fail) {
    Column& column = columns_[c];
    if (column.left_out) return 0;
    if (column.kind != FeatureKind::kDense) {
      const bool digit = text.size() == 1 && text[0] >= '0' && text[0] <= '9';  // as most labels are
      if (digit) return static_cast<float>(text[0] - '0');
      const auto whole = to_integer(text);
      if (whole && *whole > -kFirstWord && *whole < kFirstWord) return static_cast<float>(*whole);
    }
    if (is_blank(text)) fail("a feature is missing: " + in_quotes(text), "replace missing values");
    if (is_infinite(text)) fail("a feature is infinite: " + in_quotes(text), "replace infinite values");
    const auto number = to_number(text);
    const bool words = column.kind == FeatureKind::kCategories || !column.words.empty();
    if (number && !words) {
      const auto narrow = static_cast<float>(*number);
      if (!std::isfinite(narrow))
        fail("the feature " + in_quotes(text) + " is too large for a float", "scale the column");
      column.fractions = true;
      return narrow;
    }
    return word(c, text, fail);
  }

  // The same for text that the file marks as text: "7" in quotes is a word.
  template <class Fail>
  [[nodiscard]] float word(std::size_t c, std::string_view text, const Fail& fail) {
    Column& column = columns_[c];
    if (column.left_out) return 0;
    if (column.kind == FeatureKind::kDense || column.fractions) {
      fail("the feature should be a finite number, but is " + in_quotes(text), "replace missing and infinite values");
    }
    if (valid_utf8_prefix(text) != text.size()) {
      fail("the feature " + in_quotes(text) + " is not UTF-8", "save the file as UTF-8");
    }
    const float number = number_of_word(column, text);
    if (number < 0) fail("column " + in_quotes(column.name) + " has too many different values", "leave the column out");
    return number;
  }

  // Turns the columns of `dense` ([rows, size()]) that are categories into categories, and describes all of them.
  void finish(Array<float>& dense, int& dense_width, Array<std::int32_t>& categories, int& category_width,
              FeatureSchema& schema) const;

 private:
  static constexpr std::int64_t kFirstWord = std::int64_t{1} << 23;
  struct Column {
    std::string name;
    FeatureKind kind = FeatureKind::kAuto;
    bool fractions = false;  // a number that is not whole, or too large to be a category
    bool drop_if_constant = false;
    bool left_out = false;  // by the user's choice: whatever stands there is all right
    std::unordered_map<std::string, std::int32_t> words;
  };
  [[nodiscard]] static float number_of_word(Column& column, std::string_view text);

  std::vector<Column> columns_;
  ColumnChoice choice_;
};

}  // namespace agentnet
