// Predictions as text, one line per row of the input.
//
//   task            CSV columns (docs/predict.md)
//   classification  id, prediction, p_CLASS ..., walk_spread, status
//   one target      id, prediction, NAME, walk_spread_NAME, status
//   several         id, NAME ..., walk_spread_NAME ..., status
//
// NAME holds the probability of yes, or the number; prediction is the answer where there is one: the class, 0 or 1, or
// the number. walk_spread is the standard deviation over rollouts, that of the predicted class. A row without a
// prediction has empty fields and says why in its status, which is "ok" elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/data.h"
#include "data/syntax/csv.h"

namespace agentnet {

class PredictionTable {
 public:
  enum class Form { kCsv, kJsonLines };

  // `names` of the outputs: classes or targets. `with_rollouts` adds how many there were, and whether they settled it.
  // `reader` is who is going to read CSV.
  PredictionTable(Task task, std::vector<std::string> names, Form form, bool with_rollouts = false,
                  CsvFor reader = CsvFor::kPrograms);

  // What is said of a graph; both rows have an entry per output.
  struct Row {
    std::span<const double> mean, walk_spread;
    int rollouts = 0;
    bool settled = false;
  };

  // Lines end in a newline; JSON has no header.
  [[nodiscard]] std::string header() const;
  // `id` empty: the row's number stands for it.
  [[nodiscard]] std::string row(std::uint64_t number, std::string_view id, const Row& row) const;
  [[nodiscard]] std::string bad_row(std::uint64_t number, std::string_view id, std::string_view reason) const;

 private:
  [[nodiscard]] std::string csv_row(std::string_view id, const Row& row) const;
  [[nodiscard]] std::string json_row(std::uint64_t number, std::string_view id, const Row& row) const;
  [[nodiscard]] std::string field(std::string_view text) const;
  [[nodiscard]] bool has_answer() const { return task_ == Task::kClassification || names_.size() == 1; }

  Task task_;
  std::vector<std::string> names_;
  Form form_;
  bool with_rollouts_;
  CsvFor reader_;
};

}  // namespace agentnet
