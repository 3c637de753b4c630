#include "run/compare_results.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/json.h"

namespace agentnet {
namespace {

std::string seconds_text(double seconds) {
  if (seconds < 1) return "less than a second";
  return seconds < 120 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

// The least to train of those that the test does not tell from the best.
std::size_t cheapest_of(const Comparison& comparison, const std::vector<std::size_t>& rows) {
  return *std::min_element(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return comparison.rows[a].train_seconds < comparison.rows[b].train_seconds;
  });
}

std::string verdict_of(const Comparison& comparison) {
  const ComparisonRow& best = comparison.rows[comparison.best];
  if (best.statistics.folds < 2) return "Too few folds with a value: nothing can be said.";
  std::vector<std::size_t> equals = {comparison.best};
  std::vector<std::string> worse;
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    if (r == comparison.best) continue;
    if (comparison.rows[r].p < kSignificant) {
      worse.push_back(comparison.rows[r].name);
    } else {
      equals.push_back(r);
    }
  }
  const std::string how =
      fmt::format("(corrected resampled t-test over {} folds, level {}, Holm)", best.statistics.folds, kSignificant);
  std::string text;
  if (equals.size() == 1) {
    text = fmt::format("'{}' is better than all others here {}.", best.name, how);
  } else {
    const std::size_t cheapest = cheapest_of(comparison, equals);
    const ComparisonRow& cheap = comparison.rows[cheapest];
    text = fmt::format("No model is shown to be better than '{}' here, which takes {} a fold {}.", cheap.name,
                       seconds_text(cheap.train_seconds), how);
    if (cheapest != comparison.best) {
      text +=
          fmt::format(" '{}' has the best mean, but the difference may be chance (p = {:.2f}).", best.name, cheap.p);
    }
  }
  if (!worse.empty() && equals.size() > 1) {
    text += fmt::format(" Worse than '{}': {}.", best.name, names_text(worse));
  }
  return text;
}

// NaN has no place in JSON.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

}  // namespace

void judge(Comparison& comparison, Metric metric) {
  if (comparison.rows.empty()) return;
  comparison.best = 0;
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    ComparisonRow& row = comparison.rows[r];
    row.statistics = fold_statistics(row.values);
    if (is_better(metric, row.statistics.mean, comparison.rows[comparison.best].statistics.mean)) comparison.best = r;
  }
  std::vector<double> p;
  std::vector<std::size_t> others;
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    ComparisonRow& row = comparison.rows[r];
    row.to_best =
        corrected_resampled_t(row.values, comparison.rows[comparison.best].values, comparison.tested_to_learned);
    row.p = 1;
    if (r == comparison.best) continue;
    p.push_back(row.to_best.p);
    others.push_back(r);
  }
  const std::vector<double> corrected = holm(p);
  for (std::size_t i = 0; i < others.size(); ++i) comparison.rows[others[i]].p = corrected[i];
  comparison.verdict = verdict_of(comparison);
}

std::string comparison_json(const Comparison& comparison) {
  Json json;
  json["metric"] = comparison.metric;
  json["protocol"] = comparison.protocol;
  json["folds"] = comparison.folds_in_words;
  json["seeds"] = comparison.seeds;
  json["test"] = {{"name", "corrected resampled t, two-sided, Holm"},
                  {"tested_to_learned", comparison.tested_to_learned},
                  {"level", kSignificant}};
  json["best"] = comparison.rows.empty() ? Json(nullptr) : Json(comparison.rows[comparison.best].name);
  json["models"] = Json::array();
  for (const ComparisonRow& row : comparison.rows) {
    Json values = Json::array();
    for (const double value : row.values) values.push_back(number(value));
    json["models"].push_back({{"name", row.name},
                              {"description", row.description},
                              {"mean", number(row.statistics.mean)},
                              {"standard_error", number(row.statistics.error)},
                              {"difference_to_best", number(row.to_best.difference)},
                              {"error_of_difference", number(row.to_best.error)},
                              {"p", row.to_best.p},
                              {"p_corrected", row.p},
                              {"parameters", row.parameters},
                              {"train_seconds", row.train_seconds},
                              {"predict_seconds_per_graph", row.predict_seconds},
                              {"memory_bytes", row.memory},
                              {"note", row.note},
                              {"values", values}});
  }
  json["verdict"] = comparison.verdict;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string comparison_csv(const Comparison& comparison) {
  std::string text =
      "model,mean,standard_error,folds,difference_to_best,error_of_difference,p,p_corrected,parameters,train_seconds,"
      "predict_seconds_per_graph,memory_bytes\n";
  for (const ComparisonRow& row : comparison.rows) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", row.name, cell(row.statistics.mean),
                        cell(row.statistics.error), row.statistics.folds, cell(row.to_best.difference),
                        cell(row.to_best.error), row.to_best.p, row.p, row.parameters, row.train_seconds,
                        row.predict_seconds, row.memory);
  }
  return text;
}

}  // namespace agentnet
