// The target columns of a set: what was written there, and at the end what kind of task it makes.
#pragma once

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
  // Appends a value to column c: a number, any other text, or a blank.
  void add(std::size_t c, std::string_view text);

  // Of several columns those with text go, as long as one is left: names and remarks are no targets.
  void drop_text_columns();

  // Decides on the task (`wanted` if given) and describes it in `schema`; returns the targets [rows, columns]: class
  // numbers, numbers, NaN for blanks. Throws Error (kUsage) if the columns cannot make the wanted task, or make none.
  [[nodiscard]] std::vector<double> finish(std::optional<Task> wanted, Schema& schema) const;

 private:
  struct Column {
    std::string name;
    std::vector<double> values;                          // a number, kFirstWord + number of a word, or NaN
    bool fractions = false;                              // a number that is not whole
    std::unordered_map<std::string, std::size_t> words;  // what is neither a number nor blank
  };
  [[nodiscard]] Task natural_task() const;
  [[nodiscard]] std::vector<double> classes(Schema& schema) const;

  std::vector<Column> columns_;
};

// The numbers of the wanted names among the available ones; a name that is not there throws Error (kUsage) with a
// suggestion. `place` is where they are not.
[[nodiscard]] std::vector<std::size_t> choose_targets(const std::vector<std::string>& available,
                                                      const std::vector<std::string>& wanted, const std::string& place);

}  // namespace agentnet
