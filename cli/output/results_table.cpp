#include "output/results_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <ostream>

#include "core/counted.h"
#include "core/print.h"
#include "core/text.h"

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

void print_targets(std::ostream& out, const std::vector<TargetScores>& by_target, const std::string& heading,
                   const std::string& where_the_rest_is) {
  constexpr std::size_t kMost = 30;
  if (by_target.empty()) return;
  std::vector<std::pair<std::string, Scores>> rows;
  for (std::size_t t = 0; t < std::min(by_target.size(), kMost); ++t) {
    rows.emplace_back("  " + printable(by_target[t].target), by_target[t].scores);
  }
  print_to(out, "\n{}\n", heading);
  print_scores(out, rows);
  if (by_target.size() > kMost) {
    print_to(out, "  and {} more: {}\n", by_target.size() - kMost, where_the_rest_is);
  }
}

void print_intervals(std::ostream& out, const Bootstrap& bootstrap) {
  if (bootstrap.intervals.empty()) return;
  print_to(out, "\n{:g} % intervals ({} of the tested graphs)\n", 100 * bootstrap.coverage,
           counted(bootstrap.samples, "bootstrap sample"));
  std::size_t width = 0;
  for (const Interval& interval : bootstrap.intervals) width = std::max(width, interval.name.size());
  for (const Interval& interval : bootstrap.intervals) {
    print_to(out, "  {:<{}}  {:.4g} to {:.4g}\n", interval.name, width, interval.low, interval.high);
  }
}

void print_results(std::ostream& out, const RunResult& result, const std::vector<Rival>& rivals) {
  std::vector<std::pair<std::string, Scores>> rows;
  for (const PartScores& part : result.parts) {
    rows.emplace_back(fmt::format("{} ({})", part.name, counted(part.graphs, "graph")), part.model);
  }
  const PartScores& last = result.parts.back();
  rows.emplace_back(fmt::format("  {}", result.constant_name), last.constant);
  rows.emplace_back("  without edges", last.structure_blind);
  for (const Rival& rival : rivals)
    rows.emplace_back(fmt::format("  {} ({:.1f} s)", rival.name, rival.seconds), rival.scores);
  print_scores(out, rows);
  print_intervals(out, last.bootstrap);
  print_targets(out, last.by_target, fmt::format("each target of the {} part", last.name), "summary.json has them all");
}

}  // namespace agentnet
