// Curves with bands, as SVG: means over runs and one standard deviation to both sides.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace agentnet {

struct ChartPoint {
  double x = 0, mean = 0;
  double deviation = std::numeric_limits<double>::quiet_NaN();  // NaN: of a single run
};

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;  // x ascending; those that are not finite are left out
};

struct LineChart {
  std::string title, x_label, y_label;
  bool log_x = false;  // x is above 0
  std::vector<ChartSeries> series;
};

// One picture with the charts side by side. Series of the same name have the same colour in all of them.
[[nodiscard]] std::string line_charts_svg(std::span<const LineChart> charts, const std::string& title);

}  // namespace agentnet
