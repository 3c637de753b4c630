// The paper's tables in full: its figure in every cell, and the experiment and method that give ours.
//
//   fmt::print("{}", table_markdown(paper_table(2), collect_results("paper")));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paper/results.h"

namespace agentnet {

struct PaperCell {
  std::string paper;       // "93.6 ± 8.6", "OOM" where the authors ran out of memory
  std::string experiment;  // empty: no run gives this figure
  std::string method = {};
  bool valid = false;     // the figure of the validation part
  std::string ours = {};  // what was counted here, where no run is behind it
};

struct PaperTable {
  struct Row {
    std::string name;
    std::vector<PaperCell> cells;
  };
  int number = 0;
  std::string title;
  std::string head;  // of the column of names
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

[[nodiscard]] const std::vector<PaperTable>& paper_tables();
// Throws Error (kUsage) if the paper has no such table, or one that is not of results (table 4: set_sizes.h).
[[nodiscard]] const PaperTable& paper_table(int number);

// The paper's figure for a method in an experiment; empty: it has none.
[[nodiscard]] std::string paper_figure(std::string_view experiment, std::string_view method);

// Two lines per row: the paper's figures, and ours under them with how many runs they come from; what was not run is
// left blank.
[[nodiscard]] std::string table_markdown(const PaperTable& table, const std::vector<ExperimentResult>& results);
// A line per cell: table, row, column, paper, ours (one rollout), ours (averaged), over, scale, seconds, and the point
// of the paper's grid that it is the best of.
[[nodiscard]] std::string table_csv(const PaperTable& table, const std::vector<ExperimentResult>& results);
[[nodiscard]] std::string table_json(const PaperTable& table, const std::vector<ExperimentResult>& results);
// A page for a browser, complete in itself.
[[nodiscard]] std::string table_html(const PaperTable& table, const std::vector<ExperimentResult>& results);

}  // namespace agentnet
