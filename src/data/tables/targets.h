// The target columns of a set: what was written there, and at the end what kind of task it makes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

class Targets {
 public:
  void set_names(std::vector<std::string> names);
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  // The columns stay, their values go.
  void forget_values();
  // Appends a value to column c: a number, any other text, or a blank. `where` gives its file:line:column for messages;
  // only the first text of a column is asked for it.
  void add(std::size_t c, std::string_view text, const std::function<std::string()>& where = {});
  // Whether a value is neither a number nor blank, and whether column c has had one.
  [[nodiscard]] static bool is_text(std::string_view value);
  [[nodiscard]] bool has_text(std::size_t c) const { return !columns_.at(c).words.empty(); }

  // Of several columns those with text go, as long as one is left: names and remarks are no targets. Returns the names
  // of those that went. A column of numbers with text among them is no remark but a mistake: throws Error (kData).
  [[nodiscard]] std::vector<std::string> drop_text_columns(const std::string& source);

  // Decides on the task (`wanted` if given) and describes it in `schema`; returns the targets [rows, columns]: class
  // numbers, numbers, NaN for blanks. Throws Error: kUsage if the columns cannot make the wanted task, or make none;
  // kData if a value among numbers is none. `source` is the place of what has no other.
  [[nodiscard]] std::vector<double> finish(std::optional<Task> wanted, const std::string& source, Schema& schema) const;

 private:
  struct Column {
    std::string name;
    std::vector<double> values;                          // a number, kFirstWord + number of a word, or NaN
    bool fractions = false;                              // a number that is not whole, or infinite
    std::unordered_map<std::string, std::size_t> words;  // what is neither a number nor blank
    std::string first_word, first_word_at;
    std::size_t texts = 0;  // values that are words and not an infinite number

    [[nodiscard]] bool mostly_numbers() const;  // half or more of what is not blank
  };
  [[noreturn]] static void refuse_text(const Column& column, const std::string& source, const std::string& hint);
  [[noreturn]] void refuse_words(const Column& column, const std::string& source) const;
  [[nodiscard]] Task natural_task() const;
  [[nodiscard]] std::vector<double> classes(const std::string& source, Schema& schema) const;

  std::vector<Column> columns_;
};

// The numbers of the wanted names among the available ones; a name that is not there throws Error (kUsage) with a
// suggestion. `place` is where they are not.
[[nodiscard]] std::vector<std::size_t> choose_targets(const std::vector<std::string>& available,
                                                      const std::vector<std::string>& wanted, const std::string& place);

}  // namespace agentnet
