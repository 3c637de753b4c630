#include "output/results_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <ostream>

#include "core/print.h"

namespace agentnet {
namespace {

// Every metric that some row has, in the order that the row with most of them has: all have the same but for gaps.
std::vector<std::string> columns_of(const std::vector<std::pair<std::string, Scores>>& rows) {
  const auto fullest =
      std::ranges::max_element(rows, {}, [](const std::pair<std::string, Scores>& row) { return row.second.size(); });
  std::vector<std::string> columns;
  for (const Score& score : fullest->second) columns.push_back(score.name);
  for (const auto& [name, scores] : rows) {
    for (const Score& score : scores) {
      if (std::ranges::find(columns, score.name) == columns.end()) columns.push_back(score.name);
    }
  }
  return columns;
}

}  // namespace

void print_scores(std::ostream& out, const std::vector<std::pair<std::string, Scores>>& rows) {
  if (rows.empty()) return;
  std::size_t names = 0;
  for (const auto& [name, scores] : rows) names = std::max(names, name.size());
  std::vector<std::string> lines = {std::string(names, ' ')};
  for (const auto& [name, scores] : rows) lines.push_back(fmt::format("{:<{}}", name, names));
  for (const std::string& column : columns_of(rows)) {
    std::vector<std::string> cells = {column};
    for (const auto& [name, scores] : rows) {
      const auto at = std::ranges::find(scores, column, &Score::name);
      cells.push_back(at == scores.end() ? "-" : fmt::format("{:.4g}", at->value));
    }
    std::size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, cell.size());
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i] += fmt::format("  {:>{}}", cells[i], width);
  }
  for (const std::string& line : lines) print_to(out, "{}\n", line);
}

void print_results(std::ostream& out, const RunResult& result, const std::vector<Rival>& rivals) {
  std::vector<std::pair<std::string, Scores>> rows;
  for (const PartScores& part : result.parts) {
    rows.emplace_back(fmt::format("{} ({} graphs)", part.name, part.graphs), part.model);
  }
  const PartScores& last = result.parts.back();
  rows.emplace_back(fmt::format("  {}", result.constant_name), last.constant);
  rows.emplace_back("  without edges", last.structure_blind);
  for (const Rival& rival : rivals)
    rows.emplace_back(fmt::format("  {} ({:.1f} s)", rival.name, rival.seconds), rival.scores);
  print_scores(out, rows);
}

}  // namespace agentnet
