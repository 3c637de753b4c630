#include "view/pictures/line_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace agentnet {
namespace {

using testing::HasSubstr;
using testing::Not;

LineChart chart() {
  return {"ladders",
          "nodes",
          "accuracy (%)",
          /*log_x=*/true,
          {{"common", {{16, 100, 0}, {64, 99.5, 0.5}, {256, 98, 1}}}, {"<rare>", {{16, 90, 5}, {64, 60, 2}}}}};
}

TEST(LineChart, NamesItsSeriesAndItsAxes) {
  const std::vector<LineChart> charts = {chart()};
  const std::string svg = line_charts_svg(charts, "figure");
  for (const char* text : {"ladders", "nodes", "accuracy (%)", "common", "&lt;rare&gt;", ">16<", ">64<", ">256<"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_THAT(svg, Not(HasSubstr("<rare>")));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(LineChart, LeavesOutWhatIsNoNumber) {
  LineChart broken = chart();
  broken.series[0].points[1].mean = std::numeric_limits<double>::quiet_NaN();
  broken.series[0].points[2].x = 0;  // has no logarithm
  const std::vector<LineChart> charts = {broken, LineChart{"empty", "x", "y", false, {{"none", {}}}}};
  const std::string svg = line_charts_svg(charts, "figure");
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THAT(svg, HasSubstr("nothing was run"));
}

}  // namespace
}  // namespace agentnet
