#include "output/explain_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "core/counted.h"
#include "core/print.h"
#include "core/text.h"
#include "view/pictures/svg.h"

namespace agentnet {
namespace {

constexpr std::size_t kTopNodes = 3;
constexpr std::size_t kMostRows = 12;  // of a class

// Letters on a terminal, roughly: bytes that start a character.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void print_table(std::ostream& out, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], columns_of(row[c]));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += row[c];
      if (c + 1 < row.size()) line += std::string(widths[c] - columns_of(row[c]) + 2, ' ');
    }
    print_to(out, "{}\n", line);
  }
}

// "N 12 +0.21, O 13 +0.1"
std::string top_text(const ExplainedGraph& explained, Quantity quantity) {
  const Explanation& e = explained.explanation;
  std::vector<std::string> texts;
  for (const std::uint32_t i : top_nodes(e, quantity, kTopNodes)) {
    const std::string label = explained.set.spelling.node(explained.graph, e.nodes[i]);
    const double value = node_values(e, quantity)[i];
    texts.push_back(
        fmt::format("{}{} {}", label.empty() ? "" : printable(label) + ":", e.nodes[i],
                    quantity == Quantity::kVisits ? fmt::format("{:.2f}", value) : fmt::format("{:+.2g}", value)));
  }
  return texts.empty() ? "-" : join_text(texts, ", ");
}

// The share of the graph's nodes that a rollout needs.
double touched_share(const Explanation& e) {
  return e.nodes_touched / static_cast<double>(std::max<std::uint64_t>(e.num_nodes, 1));
}

std::string fidelity_text(const Fidelity& f) {
  if (f.nodes == 0) return "-";
  return fmt::format("{:.2f}: only top {} {:.2f} (random {:.2f}), without {:.2f} ({:.2f})", f.all, f.nodes, f.only_top,
                     f.only_random, f.without_top, f.without_random);
}

}  // namespace

void ExplainSummary::add(const ExplainedGraph& explained) {
  const Answer answer = answer_of(explained);
  const std::string prediction =
      !answer.is_finite       ? answer.text
      : answer.is_probability ? fmt::format("{} (p = {:.2f})", answer.text, answer.value)
                              : fmt::format("{} (walk spread {})", answer.text, short_number(answer.walk_spread));
  const std::string truth = truth_of(explained);
  const Explanation& e = explained.explanation;
  if (e.fidelity.nodes > 0) with_fidelity_ = true;
  rows_.push_back({printable(explained.id), printable(prediction), truth.empty() ? "-" : printable(truth),
                   top_text(explained, Quantity::kInfluence), top_text(explained, Quantity::kVisits),
                   fmt::format("{:.3g} %", 100 * touched_share(e)), fidelity_text(e.fidelity)});
}

void ExplainSummary::print(std::ostream& out) const {
  std::vector<std::vector<std::string>> rows = {
      {"graph", "predicted", "truth", "most influence", "most visits", "touched", "fidelity"}};
  rows.insert(rows.end(), rows_.begin(), rows_.end());
  if (!with_fidelity_) {
    for (auto& row : rows) row.pop_back();
  }
  constexpr std::size_t kMostGraphs = 40;
  const std::size_t more = rows_.size() - std::min(rows_.size(), kMostGraphs);
  rows.resize(rows.size() - more);
  print_table(out, rows);
  if (more > 0) print_to(out, "and {} more\n", more);
}

void print_class_table(std::ostream& out, const ClassTable& table) {
  for (std::size_t g = 0; g < table.groups.size(); ++g) {
    if (table.graphs[g] == 0) continue;  // a class that is never predicted
    std::vector<ClassTableRow> rows;
    for (const ClassTableRow& row : table.rows) {
      if (row.group == g && !std::isnan(row.z)) rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return std::abs(a.z) > std::abs(b.z); });
    const std::size_t all = rows.size();
    rows.resize(std::min(all, kMostRows));
    print_to(out, "\n{}: {}; where agents go, compared with a random walk", printable(table.groups[g]),
             counted(table.graphs[g], "graph"));
    print_to(out, "{}\n",
             all > kMostRows ? fmt::format(" (the {} of {} rows that stand out most)", kMostRows, all) : "");
    if (rows.empty()) continue;
    std::vector<std::vector<std::string>> texts = {
        {"kind", "value", "graphs", "places", "visits", "by chance", "ratio", "error", "z"}};
    for (const ClassTableRow& row : rows) {
      texts.push_back({printable(row.kind), printable(row.value), std::to_string(row.graphs),
                       std::to_string(row.occurrences), fmt::format("{:.3g}", row.visits),
                       fmt::format("{:.3g}", row.expected), fmt::format("{:.2f}", row.ratio),
                       fmt::format("{:.3f}", row.error), fmt::format("{:+.1f}", row.z)});
    }
    print_table(out, texts);
  }
  if (table.rare > 0) {
    print_to(out, "\n{} {} in fewer than {} graphs of a class and {} left out\n", table.rare,
             table.rare == 1 ? "substructure or label occurs" : "substructures and labels occur", kFewestGraphs,
             table.rare == 1 ? "is" : "are");
  }
  if (table.too_large > 0) {
    print_to(out, "{} {} left out: the random walk is computed for graphs that are listed in full, of up to {} nodes\n",
             table.too_large, table.too_large == 1 ? "graph is" : "graphs are", kMostWalkedNodes);
  }
}

}  // namespace agentnet
