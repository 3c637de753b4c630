#include "view/pictures/tuning_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "view/pictures/svg.h"

namespace agentnet {
namespace {

constexpr double kWidth = 720, kLeft = 70, kRight = 30, kTop = 46, kCurves = 240, kGap = 70;
constexpr std::size_t kMostPanels = 6, kPanelsInRow = 3;
constexpr double kPanelHeight = 130, kPanelGap = 56, kPanelSide = 24;

// Values to places, from the bottom to the top of a panel.
struct ScoreAxis {
  double least = std::numeric_limits<double>::infinity(), most = -least;

  void include(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  [[nodiscard]] double place(double value, double top, double height) const {
    const double spread = most > least ? most - least : 1;
    return top + height - (value - least) / spread * height;
  }
};

ScoreAxis axis_of(const SearchResult& search) {
  ScoreAxis axis;
  for (const TrialResult& trial : search.trials) {
    for (const double score : trial.scores) axis.include(score);
  }
  return axis;
}

// The rung at which a trial's scores begin: what is fitted as a whole is seen at the last one alone.
std::size_t first_rung(const TrialResult& trial, std::size_t rungs) {
  return trial.scores.size() == 1 && trial.epochs == 1 && rungs > 1 ? rungs - 1 : 0;
}

std::string curves_svg(const TuneResult& result, const SearchResult& search, const ScoreAxis& axis) {
  const std::size_t rungs = result.rungs.size();
  const auto x_of = [&](std::size_t rung) {
    return kLeft + (kWidth - kLeft - kRight) * (static_cast<double>(rung) + 0.5) / static_cast<double>(rungs);
  };
  std::string out;
  for (std::size_t rank = search.ranking.size(); rank-- > 0;) {  // the best on top
    const TrialResult& trial = search.trials[search.ranking[rank]];
    const char* colour = rank == 0 ? "#228833" : "#4477aa";
    const double opacity = rank == 0 ? 1 : 0.45;
    std::string points;
    const std::size_t first = first_rung(trial, rungs);
    for (std::size_t i = 0; i < trial.scores.size() && first + i < rungs; ++i) {
      if (!std::isfinite(trial.scores[i])) continue;
      const double x = x_of(first + i), y = axis.place(trial.scores[i], kTop, kCurves);
      points += fmt::format("{:.1f},{:.1f} ", x, y);
      out += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\" fill-opacity=\"{}\"><title>trial {}: {}</title>"
          "</circle>\n",
          x, y, colour, opacity, trial.number, short_number(trial.scores[i]));
    }
    out += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-opacity=\"{}\"/>\n", points, colour,
                       opacity);
  }
  for (std::size_t rung = 0; rung < rungs; ++rung) {
    const std::uint64_t epochs = result.rungs[rung];
    out += svg_text(x_of(rung), kTop + kCurves + 22, fmt::format("{} epoch{}", epochs, epochs == 1 ? "" : "s"),
                    {.anchor = "middle"});
  }
  if (axis.most >= axis.least) {
    out += svg_text(kLeft - 10, kTop + 4, short_number(axis.most), {.anchor = "end"});
    out += svg_text(kLeft - 10, kTop + kCurves + 4, short_number(axis.least), {.anchor = "end"});
  }
  return out;
}

// The scores of the first rung over the values of a setting, in the groups of its importance.
std::string panel_svg(const SearchResult& search, const SettingImportance& one, double left, double top, double width,
                      const ScoreAxis& axis) {
  std::string out = svg_text(left, top - 12, cut_to_width(one.key, 12, width), {.bold = true});
  const double height = kPanelHeight;
  out += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#ccc\"/>\n", left, top,
      width, height);
  const double column = width / static_cast<double>(std::max<std::size_t>(1, one.levels.size()));
  for (std::size_t g = 0; g < one.levels.size(); ++g) {
    const SettingLevel& level = one.levels[g];
    const double mean = level.mean;
    const double x = left + column * (static_cast<double>(g) + 0.5);
    if (std::isfinite(mean)) {
      out += fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#222\"/>\n",
                         x - column / 3, x + column / 3, axis.place(mean, top, height), axis.place(mean, top, height));
    }
    out += svg_text(x, top + height + 14, cut_to_width(level.value, 10, column - 4), {.size = 10, .anchor = "middle"});
    for (const std::size_t number : level.trials) {
      const TrialResult& trial = search.trials[number];
      if (trial.scores.empty() || !std::isfinite(trial.scores.front())) continue;
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"#4477aa\" fill-opacity=\"0.45\"/>\n", x,
                         axis.place(trial.scores.front(), top, height));
    }
  }
  return out + svg_text(left, top + height + 30, fmt::format("share {:.2f}, p {:.3f}", one.share, one.p), {.size = 10});
}

}  // namespace

std::string tuning_svg(const TuneResult& result, std::size_t number) {
  const SearchResult& search = result.searches.at(number);
  const ScoreAxis axis = axis_of(search);
  const std::size_t panels = std::min(kMostPanels, search.importance.size());
  const std::size_t rows = (panels + kPanelsInRow - 1) / kPanelsInRow;
  const double panels_top = kTop + kCurves + kGap;
  const double height = panels_top + static_cast<double>(rows) * (kPanelHeight + kPanelGap);
  std::string out = svg_begin(kWidth, height, "trials of a search by " + result.metric);
  out +=
      svg_text(kLeft, 20,
               fmt::format("{} of {} trials on the validation part, rung by rung", result.metric, search.trials.size()),
               {.bold = true});
  out += svg_text(kLeft, 36, "green: the best; below: scores at the first rung by setting, with their means",
                  {.size = 10});
  out += curves_svg(result, search, axis);
  const double room = (kWidth - kLeft - kRight) / static_cast<double>(kPanelsInRow);
  for (std::size_t p = 0; p < panels; ++p) {
    const double left = kLeft + room * static_cast<double>(p % kPanelsInRow);
    const double top = panels_top + (kPanelHeight + kPanelGap) * static_cast<double>(p / kPanelsInRow);
    out += panel_svg(search, search.importance[p], left, top, room - kPanelSide, axis);
  }
  return out + "</svg>\n";
}

}  // namespace agentnet
