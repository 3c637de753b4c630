#include "view/pictures/comparison_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "view/pictures/svg.h"

namespace agentnet {
namespace {

constexpr double kWidth = 720, kLeft = 150, kRight = 110, kTop = 46, kLine = 30, kBottom = 44;

// Values to places on the horizontal axis.
struct Axis {
  double least = std::numeric_limits<double>::infinity(), most = -least;

  void include(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  [[nodiscard]] double place(double value) const {
    const double spread = most > least ? most - least : 1;
    return kLeft + (value - least) / spread * (kWidth - kLeft - kRight);
  }
};

std::string row_svg(const ComparisonRow& row, bool best, double y, const Axis& axis) {
  const double mean = row.statistics.mean, error = row.statistics.error;
  std::string out = svg_text(kLeft - 14, y + 4, row.name, {.anchor = "end", .bold = best});
  for (const double value : row.values) {
    if (!std::isfinite(value)) continue;
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"#4477aa\" fill-opacity=\"0.35\"/>\n",
                       axis.place(value), y);
  }
  if (!std::isfinite(mean)) return out + svg_text(kWidth - kRight + 12, y + 4, "-");
  if (std::isfinite(error)) {
    out += fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#222\"/>\n",
                       axis.place(mean - 2 * error), axis.place(mean + 2 * error), y, y);
  }
  const char* colour = best ? "#228833" : row.p < kSignificant ? "#cc3311" : "#222";
  out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\" fill=\"{}\"/>\n", axis.place(mean) - 4,
                     y - 4, colour);
  return out + svg_text(kWidth - kRight + 12, y + 4, fmt::format("{:.4f}", mean), {.bold = best});
}

}  // namespace

std::string comparison_svg(const Comparison& comparison) {
  Axis axis;
  for (const ComparisonRow& row : comparison.rows) {
    for (const double value : row.values) axis.include(value);
    axis.include(row.statistics.mean - 2 * row.statistics.error);
    axis.include(row.statistics.mean + 2 * row.statistics.error);
  }
  const double height = kTop + kLine * static_cast<double>(comparison.rows.size()) + kBottom;
  std::string out = svg_begin(kWidth, height, comparison.metric + " of models on the same folds");
  out += svg_text(kLeft, 20, comparison.metric + ": folds, mean and two standard errors", {.bold = true});
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    out += row_svg(comparison.rows[r], r == comparison.best, kTop + kLine * static_cast<double>(r), axis);
  }
  if (axis.most >= axis.least) {
    const double y = height - kBottom + 10;
    out += svg_text(kLeft, y, short_number(axis.least), {.anchor = "middle"});
    out += svg_text(kWidth - kRight, y, short_number(axis.most), {.anchor = "middle"});
  }
  out += svg_text(kLeft, height - 10, "green: best mean; red: worse by the corrected resampled t-test", {.size = 10});
  return out + "</svg>\n";
}

}  // namespace agentnet
