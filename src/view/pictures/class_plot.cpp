// class_table_svg(): per class, bars of how much more or less often than by chance agents visit a substructure.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "view/pictures/svg.h"
#include "view/tables/class_table.h"

namespace agentnet {
namespace {

constexpr double kMargin = 16, kName = 150, kBars = 240, kNumbers = 120, kRow = 20;
constexpr double kPanel = kName + kBars + kNumbers;
constexpr std::size_t kMostRows = 14, kPanelsAcross = 2;
constexpr const char *kMore = "#e87314", *kLess = "#3176b8";

// The rows of a group that stand out most, in the order of their ratios.
std::vector<ClassTableRow> shown_rows(const ClassTable& table, std::size_t group) {
  std::vector<ClassTableRow> rows;
  for (const ClassTableRow& row : table.rows) {
    if (row.group == group && !std::isnan(row.z)) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.z) > std::abs(b.z); });
  rows.resize(std::min(rows.size(), kMostRows));
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.ratio > b.ratio; });
  return rows;
}

class ClassPlot {
 public:
  explicit ClassPlot(const ClassTable& table) : table_(table) {
    double furthest = 1;
    for (std::size_t g = 0; g < table.groups.size(); ++g) {
      if (table.graphs[g] == 0) continue;  // a class that is never predicted
      groups_.push_back(g);
      rows_.push_back(shown_rows(table, g));
      tallest_ = std::max(tallest_, rows_.back().size());
      for (const ClassTableRow& row : rows_.back()) {
        if (row.ratio > 0) furthest = std::max(furthest, std::abs(std::log2(row.ratio)));
      }
    }
    reach_ = std::clamp(std::ceil(2 * furthest) / 2, 1.0, 4.0);
  }

  [[nodiscard]] std::string draw() {
    const std::size_t across = std::clamp<std::size_t>(groups_.size(), 1, kPanelsAcross);
    const std::size_t down = std::max<std::size_t>(1, (groups_.size() + across - 1) / across);
    const double panel_height = 66 + kRow * static_cast<double>(std::max<std::size_t>(tallest_, 1));
    const double width = kMargin + static_cast<double>(across) * (kPanel + kMargin);
    const double height = 90 + static_cast<double>(down) * panel_height + 12;
    const std::string title = "Where agents go, compared with a random walk";
    out_ = svg_begin(width, height, title);
    out_ += svg_text(kMargin, 26, title, {.size = 16, .bold = true});
    const TextStyle small{.size = 12, .fill = "#444"};
    out_ += svg_text(kMargin, 46, "visits by agents over those expected of a walker that chooses uniformly;", small);
    out_ += svg_text(kMargin, 62, "thin lines: two standard errors over graphs", small);
    for (std::size_t p = 0; p < groups_.size(); ++p) {
      const std::size_t row = p / across, column = p % across;
      draw_panel(p, kMargin + static_cast<double>(column) * (kPanel + kMargin),
                 76 + static_cast<double>(row) * panel_height);
    }
    if (groups_.empty()) out_ += svg_text(kMargin, 86, "no graphs", {.fill = "#444"});
    return std::move(out_) + "</svg>\n";
  }

 private:
  void draw_panel(std::size_t p, double x, double y) {
    const std::size_t graphs = table_.graphs[groups_[p]];
    const std::string heading =
        fmt::format("{} ({} {})", table_.groups[groups_[p]], graphs, graphs == 1 ? "graph" : "graphs");
    out_ += svg_text(x, y + 18, cut_to_width(heading, 14, kPanel), {.size = 14, .bold = true});
    const double top = y + 44, bottom = top + kRow * static_cast<double>(rows_[p].size());
    left_ = x + kName + 8;
    const int furthest = static_cast<int>(std::floor(reach_));
    for (int log = -furthest; log <= furthest; ++log) {
      const std::string tick = log < 0 ? fmt::format("1/{}", 1 << -log) : fmt::format("{}", 1 << log);
      out_ += fmt::format(
          "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" stroke-width=\"1\"/>\n",
          place(log), top - 4, bottom, log == 0 ? "#4a4f57" : "#e3e6ea");
      out_ += svg_text(place(log), top - 8, tick, {.size = 10, .anchor = "middle", .fill = "#555"});
    }
    if (rows_[p].empty()) {
      out_ += svg_text(x, top + 12, fmt::format("nothing occurs in at least {} graphs", kFewestGraphs),
                       {.size = 11, .fill = "#444"});
    }
    for (std::size_t r = 0; r < rows_[p].size(); ++r) {
      draw_row(rows_[p][r], x, top + kRow * static_cast<double>(r));
    }
  }

  void draw_row(const ClassTableRow& row, double x, double y) {
    const std::string name = row.kind == "substructure" ? row.value : fmt::format("{} {}", row.kind, row.value);
    const double at = place(std::log2(std::max(row.ratio, 1e-9))), zero = place(0);
    out_ += fmt::format("<g><title>{}</title>\n",
                        xml_text(fmt::format("{}: {} places in {} graphs, {:.3g} visits, {:.3g} expected, z = {:.1f}",
                                             name, row.occurrences, row.graphs, row.visits, row.expected, row.z)));
    out_ += svg_text(x + kName, y + 13, cut_to_width(name, 11, kName), {.size = 11, .anchor = "end"});
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n",
                        std::min(at, zero), y + 3, std::abs(at - zero), kRow - 7, row.ratio >= 1 ? kMore : kLess);
    const double low = place(std::log2(std::max(row.ratio - 2 * row.error, 1e-9)));
    const double high = place(std::log2(std::max(row.ratio + 2 * row.error, 1e-9)));
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#222\" stroke-width=\"1\"/>\n", low,
        y + kRow / 2 - 0.5, high, y + kRow / 2 - 0.5);
    out_ += svg_text(left_ + kBars + 4, y + 13, fmt::format("{:.2f}x in {} graphs", row.ratio, row.graphs),
                     {.size = 10.5, .fill = "#444"});
    out_ += "</g>\n";
  }

  // Where a ratio of 2^log is drawn.
  [[nodiscard]] double place(double log) const { return left_ + kBars * (std::clamp(log / reach_, -1.0, 1.0) + 1) / 2; }

  const ClassTable& table_;
  std::vector<std::size_t> groups_;
  std::vector<std::vector<ClassTableRow>> rows_;  // [groups_]
  std::size_t tallest_ = 0;
  double reach_ = 1, left_ = 0;
  std::string out_;
};

}  // namespace

std::string class_table_svg(const ClassTable& table) { return ClassPlot(table).draw(); }

}  // namespace agentnet
