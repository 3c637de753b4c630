#include "view/pictures/line_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "view/pictures/svg.h"

namespace agentnet {
namespace {

constexpr double kPanel = 360, kHeight = 320, kLeft = 56, kRight = 18, kTop = 44, kBottom = 52, kLegendLine = 20;
// Told apart by people who see few colours, and in grey.
constexpr std::array kColours = {"#0077bb", "#cc3311", "#228833", "#aa3377",
                                 "#ee7733", "#33bbee", "#555555", "#bbaa22"};

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -least;

  void include(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  // From 0 to 1.
  [[nodiscard]] double share(double value) const { return most > least ? (value - least) / (most - least) : 0.5; }
};

bool is_drawn(const ChartPoint& point, bool log_x) {
  return std::isfinite(point.x) && std::isfinite(point.mean) && (!log_x || point.x > 0);
}

double half_band(const ChartPoint& point) { return std::isfinite(point.deviation) ? point.deviation : 0; }

class Panel {
 public:
  Panel(const LineChart& chart, double left, const std::vector<std::string>& names)
      : chart_(chart), left_(left), names_(names) {
    for (const ChartSeries& series : chart.series) {
      for (const ChartPoint& point : series.points) {
        if (!is_drawn(point, chart.log_x)) continue;
        x_.include(along(point.x));
        y_.include(point.mean - half_band(point));
        y_.include(point.mean + half_band(point));
      }
    }
  }

  [[nodiscard]] std::string svg() const {
    std::string out = svg_text(left_ + kPanel / 2, 24, chart_.title, {.size = 13, .anchor = "middle", .bold = true});
    if (!std::isfinite(x_.least)) {
      return out + svg_text(left_ + kPanel / 2, kHeight / 2, "nothing was run", {.anchor = "middle", .fill = "#777"});
    }
    out += axes();
    for (const ChartSeries& series : chart_.series) out += curve(series);
    return out;
  }

 private:
  [[nodiscard]] double along(double x) const { return chart_.log_x ? std::log2(x) : x; }
  [[nodiscard]] double px(double x) const { return left_ + kLeft + x_.share(along(x)) * (kPanel - kLeft - kRight); }
  [[nodiscard]] double py(double y) const { return kHeight - kBottom - y_.share(y) * (kHeight - kTop - kBottom); }

  [[nodiscard]] std::string axes() const {
    const double x0 = left_ + kLeft, x1 = left_ + kPanel - kRight, y0 = kHeight - kBottom;
    std::string out =
        fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"#777\"/>\n", x0, kTop, y0, x1);
    constexpr int kTicks = 4;
    for (int t = 0; t <= kTicks; ++t) {
      const double share = static_cast<double>(t) / kTicks;
      const double y = y_.least + share * (y_.most - y_.least), place = py(y);
      out += fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#e4e4e4\"/>\n", x0, x1,
                         place, place);
      out += svg_text(x0 - 6, place + 4, short_number(y), {.size = 11, .anchor = "end"});
    }
    for (const double x : x_ticks()) {
      out += svg_text(px(x), y0 + 16, fmt::format("{:g}", x), {.size = 11, .anchor = "middle"});
    }
    out += svg_text((x0 + x1) / 2, y0 + 38, chart_.x_label, {.size = 12, .anchor = "middle"});
    return out + svg_text(x0, kTop - 6, chart_.y_label, {.size = 11, .fill = "#555"});
  }

  // The values themselves where they are powers of two or thereabouts; else five that divide the axis.
  [[nodiscard]] std::vector<double> x_ticks() const {
    std::vector<double> ticks;
    if (chart_.log_x) {
      for (const ChartSeries& series : chart_.series) {
        for (const ChartPoint& point : series.points) {
          if (is_drawn(point, true)) ticks.push_back(point.x);
        }
      }
      std::ranges::sort(ticks);
      ticks.erase(std::unique(ticks.begin(), ticks.end()), ticks.end());
      return ticks;
    }
    for (int t = 0; t <= 4; ++t) ticks.push_back(x_.least + t * (x_.most - x_.least) / 4);
    return ticks;
  }

  [[nodiscard]] std::string curve(const ChartSeries& series) const {
    const auto at = static_cast<std::size_t>(std::ranges::find(names_, series.name) - names_.begin());
    const char* const colour = kColours.at(at % kColours.size());
    std::string line, upper, lower, dots;
    for (const ChartPoint& point : series.points) {
      if (!is_drawn(point, chart_.log_x)) continue;
      const double x = px(point.x), half = half_band(point);
      line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x, py(point.mean));
      upper += fmt::format("{}{:.1f} {:.1f}", upper.empty() ? "M" : "L", x, py(point.mean + half));
      lower = fmt::format("L{:.1f} {:.1f}", x, py(point.mean - half)) + lower;
      if (series.points.size() <= 20) {
        dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, py(point.mean), colour);
      }
    }
    if (line.empty()) return "";
    return fmt::format("<path d=\"{}{}Z\" fill=\"{}\" fill-opacity=\"0.15\"/>\n", upper, lower, colour) +
           fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"/>\n", line, colour) + dots;
  }

  const LineChart& chart_;
  const double left_;
  const std::vector<std::string>& names_;
  Range x_, y_;
};

}  // namespace

std::string line_charts_svg(std::span<const LineChart> charts, const std::string& title) {
  std::vector<std::string> names;  // of all series, in the order in which they come up
  for (const LineChart& chart : charts) {
    for (const ChartSeries& series : chart.series) {
      if (std::ranges::find(names, series.name) == names.end()) names.push_back(series.name);
    }
  }
  const double width = kPanel * static_cast<double>(std::max<std::size_t>(1, charts.size()));
  const double height = kHeight + kLegendLine * static_cast<double>(names.size()) + 10;
  std::string out = svg_begin(width, height, title);
  for (std::size_t c = 0; c < charts.size(); ++c) {
    out += Panel(charts[c], kPanel * static_cast<double>(c), names).svg();
  }
  for (std::size_t n = 0; n < names.size(); ++n) {
    const double y = kHeight + kLegendLine * static_cast<double>(n);
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n", kLeft, y,
                       kColours.at(n % kColours.size()));
    out += svg_text(kLeft + 22, y + 6, names[n]);
  }
  return out + "</svg>\n";
}

}  // namespace agentnet
