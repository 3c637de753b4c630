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

// The number behind the sign of a bounded value: "> 10", "<=0.5", "≥3", "~7"; nothing if the text is none.
[[nodiscard]] std::optional<double> bounded_value(std::string_view text);

class Targets {
 public:
  explicit Targets(Bounds bounds = Bounds::kRefuse) : bounds_(bounds) {}
  void set_names(std::vector<std::string> names);
  // The format says that its column is one of classes: whole numbers are that, however many there are.
  void set_classes() { meaning_ = Meaning::kClasses; }
  void set_numbers() { meaning_ = Meaning::kNumbers; }  // the other way round
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

  // The same for a table whose columns may be anything. Columns of text go, and columns that count rows or are named
  // like ids, years and errors where others are left. Of several others, yes/no questions are targets together;
  // else one that is named as targets usually are. Where that leaves several, throws Error (kUsage), which lists them,
  // or, if `ask` is false, takes none. What went is told.
  struct Left {
    std::vector<std::string> text;   // names of columns
    std::vector<std::string> notes;  // sentences
  };
  [[nodiscard]] Left keep_likely(const std::string& source, bool ask);

  // What finish() did with bounded values, a sentence per column.
  [[nodiscard]] std::vector<std::string> notes() const;

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
    std::size_t texts = 0;      // values that are words, and neither an infinite number nor a bounded one
    std::size_t bounded = 0;    // values such as >10
    std::string first_bounded;  // one of them

    [[nodiscard]] bool mostly_numbers() const;  // half or more of what is not blank
    [[nodiscard]] bool yes_or_no() const;       // 0, 1 and blanks
    [[nodiscard]] bool counts_rows() const;     // whole numbers that ascend from row to row
  };
  [[noreturn]] static void refuse_text(const Column& column, const std::string& source, const std::string& hint);
  [[noreturn]] void refuse_words(const Column& column, const std::string& source) const;
  [[nodiscard]] Task natural_task() const;
  [[nodiscard]] std::vector<double> classes(const std::string& source, Schema& schema) const;

  std::vector<Column> columns_;
  Bounds bounds_;
  enum class Meaning { kUnknown, kClasses, kNumbers } meaning_ = Meaning::kUnknown;
};

// The numbers of the wanted names among the available ones; a name that is not there throws Error (kUsage) with a
// suggestion. `place` is where they are not.
[[nodiscard]] std::vector<std::size_t> choose_targets(const std::vector<std::string>& available,
                                                      const std::vector<std::string>& wanted, const std::string& place);

}  // namespace agentnet
