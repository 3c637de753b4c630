#include "output/paper_figure.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "agentnet/error.h"
#include "core/number.h"
#include "core/text.h"
#include "paper/methods.h"
#include "view/pictures/line_chart.h"

namespace agentnet {
namespace {

// The number behind a mark: 71 of "dd-k71-t4" behind "-k".
std::optional<double> number_after(const std::string& name, std::string_view mark) {
  const std::size_t at = name.find(mark);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + mark.size();
  const auto number = parse_count(name.substr(begin, name.find('-', begin) - begin));
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

// A point of the chart: the figure of one rollout, as the paper gives it, in its units.
ChartPoint point_of(double x, const ExperimentResult& result) {
  const ExperimentResult::Figure figure = result.one_rollout();
  return {x, figure.mean / result.experiment->unit, figure.deviation / result.experiment->unit};
}

bool of_agentnet(const ExperimentResult& result, std::string_view group) {
  return result.method.empty() && result.point.empty() && result.experiment->group.starts_with(group);
}

LineChart ladders(const std::vector<ExperimentResult>& results) {
  LineChart chart{"ladders", "nodes", "accuracy (%)", /*log_x=*/true, {}};
  for (const auto& [group, name] :
       {std::pair{"ladder", "half of the cells crossed"}, {"ladder-cells", "two crossed"}}) {
    ChartSeries series{name, {}};
    for (const ExperimentResult& result : results) {
      if (!result.method.empty() || result.experiment->group != group) continue;
      if (const auto nodes = number_after(result.experiment->name, std::string(group) + "-")) {
        series.points.push_back(point_of(*nodes, result));
      }
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

LineChart dd_grid(const std::vector<ExperimentResult>& results) {
  LineChart chart{"DD", "agents", "accuracy (%)", /*log_x=*/true, {}};
  std::map<double, std::map<double, ChartPoint>> by_steps;  // steps -> agents -> figure
  for (const ExperimentResult& result : results) {
    if (!of_agentnet(result, "dd-grid")) continue;
    const auto agents = number_after(result.experiment->name, "-k"),
               steps = number_after(result.experiment->name, "-t");
    if (agents && steps) by_steps[*steps][*agents] = point_of(*agents, result);
  }
  for (const auto& [steps, points] : by_steps) {
    ChartSeries series{fmt::format("{:g} step{}", steps, steps == 1 ? "" : "s"), {}};
    for (const auto& [agents, point] : points) series.points.push_back(point);
    chart.series.push_back(std::move(series));
  }
  return chart;
}

LineChart molhiv_agents(const std::vector<ExperimentResult>& results) {
  LineChart chart{"ogbg-molhiv", "agents", "ROC-AUC (%)", /*log_x=*/true, {}};
  ChartSeries series{"AgentNet", {}};
  for (const ExperimentResult& result : results) {
    if (!of_agentnet(result, "ogb-agents")) continue;
    if (const auto agents = number_after(result.experiment->name, "-k")) {
      series.points.push_back(point_of(*agents, result));
    }
  }
  if (!series.points.empty()) chart.series.push_back(std::move(series));
  return chart;
}

// Mean and deviation over the seeds at every step that all of them have.
ChartSeries convergence(const ExperimentResult& result) {
  ChartSeries series{result.method.empty() ? "AgentNet" : method_named(result.method).in_paper, {}};
  if (!result.point.empty()) series.name += ", " + result.point;
  std::map<std::uint64_t, std::vector<double>> values;
  for (const SeedResult& seed : result.seeds) {
    for (const auto& [steps, value] : seed.curve) values[steps].push_back(value / result.experiment->unit);
  }
  for (const auto& [steps, of_seeds] : values) {
    if (of_seeds.size() != result.seeds.size()) continue;
    double mean = 0, squares = 0;
    for (const double value : of_seeds) mean += value / static_cast<double>(of_seeds.size());
    for (const double value : of_seeds) squares += (value - mean) * (value - mean);
    ChartPoint point{static_cast<double>(steps), mean};
    if (of_seeds.size() > 1) point.deviation = std::sqrt(squares / static_cast<double>(of_seeds.size() - 1));
    series.points.push_back(point);
  }
  return series;
}

std::vector<LineChart> convergence_charts(const std::vector<ExperimentResult>& results) {
  std::vector<LineChart> charts;
  for (const Experiment* experiment : experiments_named("convergence")) {
    LineChart chart{experiment->data.substr(experiment->data.find(':') + 1), "steps", "accuracy (%)", false, {}};
    for (const ExperimentResult& result : results) {
      if (result.experiment == experiment) chart.series.push_back(convergence(result));
    }
    if (!chart.series.empty()) charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace

std::string paper_figure_svg(std::string_view name, const std::vector<ExperimentResult>& results) {
  std::vector<LineChart> charts;
  if (name == "2a") {
    charts = {ladders(results)};
  } else if (name == "2d") {
    charts = {dd_grid(results)};
  } else if (name == "4") {
    charts = convergence_charts(results);
  } else if (name == "5") {
    charts = {molhiv_agents(results)};
  } else {
    throw Error(ErrorKind::kUsage, fmt::format("{} is no figure that is drawn here", in_quotes(name)),
                "there are 2a (ladders), 2d (agents and steps on DD), 4 (convergence) and 5 (agents on ogbg-molhiv)");
  }
  std::erase_if(charts, [](const LineChart& chart) { return chart.series.empty(); });
  if (charts.empty()) {
    throw Error(ErrorKind::kData, fmt::format("nothing of figure {} was run in this folder", name),
                "agentnet paper run ladder ladder-cells (2a), dd-grid (2d), convergence (4) or ogb-agents (5)");
  }
  return line_charts_svg(charts, fmt::format("Figure {} of the paper, from our runs", name));
}

}  // namespace agentnet
