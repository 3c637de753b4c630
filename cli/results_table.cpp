#include "results_table.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

namespace agentnet {

void print_scores(std::ostream& out, const std::vector<std::pair<std::string, Scores>>& rows) {
  if (rows.empty()) return;
  std::size_t width = 0;
  for (const auto& [name, scores] : rows) width = std::max(width, name.size());
  fmt::print(out, "{:<{}}", "", width);
  for (const Score& score : rows.front().second) fmt::print(out, "  {}", score.name);
  fmt::print(out, "\n");
  for (const auto& [name, scores] : rows) {
    fmt::print(out, "{:<{}}", name, width);
    for (const Score& column : rows.front().second) {
      const auto at = std::find_if(scores.begin(), scores.end(), [&](const Score& s) { return s.name == column.name; });
      const std::size_t size = std::max<std::size_t>(column.name.size(), 6);
      fmt::print(out, "  {:>{}}", at == scores.end() ? "-" : fmt::format("{:.4g}", at->value), size);
    }
    fmt::print(out, "\n");
  }
}

void print_results(std::ostream& out, const RunResult& result) {
  std::vector<std::pair<std::string, Scores>> rows;
  for (const PartScores& part : result.parts) {
    rows.emplace_back(fmt::format("{} ({} graphs)", part.name, part.graphs), part.model);
  }
  const PartScores& last = result.parts.back();
  rows.emplace_back(fmt::format("  {}", result.constant_name), last.constant);
  rows.emplace_back("  without edges", last.structure_blind);
  print_scores(out, rows);
}

}  // namespace agentnet
