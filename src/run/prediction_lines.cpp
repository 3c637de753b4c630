#include "run/prediction_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "data/syntax/csv.h"

namespace agentnet {
namespace {

std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

std::string class_fields(const Schema& schema, double target, std::span<const double> mean,
                         std::span<const double> walk_spread, CsvFor reader) {
  const auto likeliest = static_cast<std::size_t>(std::max_element(mean.begin(), mean.end()) - mean.begin());
  const auto spelled = [&](std::size_t c) {
    return c < schema.classes.size() ? csv_field(schema.classes[c], reader) : "";
  };
  const bool finite = std::all_of(mean.begin(), mean.end(), [](double p) { return std::isfinite(p); });
  std::string text = "," + (std::isnan(target) ? "" : spelled(static_cast<std::size_t>(target))) + "," +
                     (finite ? spelled(likeliest) : "") + "," + number(walk_spread[likeliest]);
  for (std::size_t c = 0; c < schema.classes.size(); ++c) text += "," + number(mean[c]);
  return text;
}

}  // namespace

std::string prediction_header(const Schema& schema, CsvFor reader) {
  std::string text = "row,id,part";
  if (schema.task == Task::kClassification) {
    text += ",target,prediction,walk_spread";
    for (const std::string& name : schema.classes) text += "," + csv_field("p_" + name, reader);
  } else {
    for (const std::string& name : schema.targets) {
      text += "," + csv_field("target_" + name, reader) + "," + csv_field(name, reader) + "," +
              csv_field("walk_spread_" + name, reader);
    }
  }
  return text + "\n";
}

std::string prediction_lines(const Dataset& data, std::span<const std::size_t> graphs, std::string_view part,
                             const Predictions& predictions, CsvFor reader) {
  const auto width = static_cast<std::size_t>(predictions.outputs);
  std::string text;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::size_t g = graphs[i];
    const auto mean = std::span(predictions.mean).subspan(i * width, width);
    std::vector<double> walk_spread(width, std::nan(""));  // of one rollout nothing is known
    if (predictions.rollouts[i] > 1) std::copy_n(predictions.walk_spread.data() + i * width, width, walk_spread.data());
    const auto targets = data.graphs.targets(g);
    text += fmt::format("{},{},{}", data.rows.empty() ? g : data.rows[g], csv_field(data.graphs.id(g), reader), part);
    if (data.schema.task == Task::kClassification) {
      text += class_fields(data.schema, targets[0], mean, walk_spread, reader);
    } else {
      for (std::size_t c = 0; c < width; ++c) {
        text += "," + number(targets[c]) + "," + number(mean[c]) + "," + number(walk_spread[c]);
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace agentnet
