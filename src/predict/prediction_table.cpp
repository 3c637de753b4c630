#include "predict/prediction_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/number.h"
#include "data/syntax/csv.h"
#include "predict/not_finite.h"

namespace agentnet {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kOk = "ok";

// Outputs come from floats: nine digits are all they have.
std::string number_text(double value) { return fmt::format("{:.9g}", value); }
double rounded(double value) { return rounded_to_digits(value, 9); }

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

std::size_t likeliest(std::span<const double> probabilities) {
  return static_cast<std::size_t>(std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin());
}

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string id_of(std::uint64_t number, std::string_view id) {
  return id.empty() ? std::to_string(number) : std::string(id);
}

}  // namespace

PredictionTable::PredictionTable(Task task, std::vector<std::string> names, Form form, bool with_rollouts,
                                 CsvFor reader)
    : task_(task), names_(std::move(names)), form_(form), with_rollouts_(with_rollouts), reader_(reader) {}

std::string PredictionTable::field(std::string_view text) const { return csv_field(text, reader_); }

std::string PredictionTable::header() const {
  if (form_ == Form::kJsonLines) return {};
  const bool classes = task_ == Task::kClassification;
  std::string line = "id";
  if (has_answer()) line += ",prediction";
  for (const std::string& name : names_) line += "," + field((classes ? "p_" : "") + name);
  if (classes) line += ",walk_spread";
  for (std::size_t c = 0; !classes && c < names_.size(); ++c) line += "," + field("walk_spread_" + names_[c]);
  if (with_rollouts_) line += ",rollouts,settled";
  return line + ",status\n";
}

std::string PredictionTable::row(std::uint64_t number, std::string_view id, const Row& row) const {
  if (!all_finite(row.mean) || !all_finite(row.walk_spread)) return bad_row(number, id, kNotFinite);
  return form_ == Form::kCsv ? csv_row(id_of(number, id), row) : json_row(number, id, row);
}

std::string PredictionTable::csv_row(std::string_view id, const Row& row) const {
  const auto& [mean, walk_spread, rollouts, settled] = row;
  std::string line = field(id);
  if (task_ == Task::kClassification) {
    line += "," + field(names_[likeliest(mean)]);
  } else if (has_answer()) {
    line += "," + (task_ == Task::kMultilabel ? std::string(mean[0] > 0.5 ? "1" : "0") : number_text(mean[0]));
  }
  for (const double value : mean) line += "," + number_text(value);
  const auto spread = [known = rollouts != 1](double value) { return known ? number_text(value) : std::string(); };
  if (task_ == Task::kClassification) {
    line += "," + spread(walk_spread[likeliest(mean)]);
  } else {
    for (const double value : walk_spread) line += "," + spread(value);
  }
  if (with_rollouts_) line += fmt::format(",{},{}", rollouts, settled ? "yes" : "no");
  return fmt::format("{},{}\n", line, kOk);
}

std::string PredictionTable::json_row(std::uint64_t number, std::string_view id, const Row& row) const {
  const auto& [mean, walk_spread, rollouts, settled] = row;
  Json json = {{"row", number}, {"id", id_of(number, id)}};
  Json values = Json::object(), spreads = Json::object();
  for (std::size_t c = 0; c < names_.size(); ++c) {
    values[names_[c]] = rounded(mean[c]);
    spreads[names_[c]] = rollouts == 1 ? Json() : Json(rounded(walk_spread[c]));
  }
  if (task_ == Task::kClassification) {
    json["prediction"] = names_[likeliest(mean)];
  } else if (has_answer()) {
    json["prediction"] = task_ == Task::kMultilabel ? Json(mean[0] > 0.5 ? 1 : 0) : Json(rounded(mean[0]));
  }
  json[task_ == Task::kRegression ? "values" : "probabilities"] = std::move(values);
  json["walk_spread"] = std::move(spreads);
  if (with_rollouts_) {
    json["rollouts"] = rollouts;
    json["settled"] = settled;
  }
  json["status"] = kOk;
  return line_of(json);
}

std::string PredictionTable::bad_row(std::uint64_t number, std::string_view id, std::string_view reason) const {
  if (form_ == Form::kJsonLines) return line_of({{"row", number}, {"id", id_of(number, id)}, {"status", reason}});
  std::size_t columns = task_ == Task::kClassification ? names_.size() + 1 : 2 * names_.size();
  if (has_answer()) ++columns;
  if (with_rollouts_) columns += 2;
  return fmt::format("{}{},{}\n", field(id_of(number, id)), std::string(columns, ','), field(reason));
}

}  // namespace agentnet
