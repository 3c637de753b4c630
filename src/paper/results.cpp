#include "paper/results.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>

#include "agentnet/error.h"
#include "agentnet/metrics.h"
#include "core/files/whole_file.h"
#include "core/json.h"
#include "core/number.h"
#include "data/syntax/csv.h"
#include "paper/aligned_table.h"
#include "paper/tables.h"

namespace agentnet {
namespace {

using Path = std::filesystem::path;

constexpr const char* kResult = "result.json";
constexpr const char* kTable = "results.csv";
constexpr const char* kMarkdown = "results.md";
constexpr double kUndefinedFigure = std::numeric_limits<double>::quiet_NaN();

Json values_json(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(std::isfinite(value) ? Json(value) : Json());
  return list;
}

std::vector<double> values_of(const Json& list) {
  std::vector<double> values;
  for (const Json& value : list) values.push_back(value.is_null() ? kUndefinedFigure : value.get<double>());
  return values;
}

ExperimentResult::Figure figure_of(const std::vector<SeedResult>& seeds, std::vector<double> SeedResult::*field) {
  std::vector<double> values;
  for (const SeedResult& seed : seeds) {
    for (const double value : seed.*field) {
      if (std::isfinite(value)) values.push_back(value);
    }
  }
  ExperimentResult::Figure figure{values.size(), kUndefinedFigure, kUndefinedFigure};
  if (values.empty()) return figure;
  const auto count = static_cast<double>(values.size());
  figure.mean = 0;
  for (const double value : values) figure.mean += value / count;
  if (values.size() == 1) return figure;
  double squares = 0;
  for (const double value : values) squares += (value - figure.mean) * (value - figure.mean);
  figure.deviation = std::sqrt(squares / (count - 1));
  return figure;
}

// Numbers of runs in an experiment's folder, ascending.
std::vector<std::uint64_t> seeds_in(const Path& folder) {
  constexpr std::string_view kPrefix = "seed-";
  std::vector<std::uint64_t> seeds;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    if (const auto seed = parse_count(name.substr(kPrefix.size()))) seeds.push_back(*seed);
  }
  std::ranges::sort(seeds);
  return seeds;
}

// Method and point of the grid.
using Way = std::pair<std::string, std::string>;

// The ways an experiment was run in this folder, by method ("" for AgentNet, first) and point.
std::vector<Way> ways_in(const std::vector<std::string>& folders, const Experiment& experiment) {
  std::vector<Way> found;
  for (const std::string& name : folders) {
    const std::size_t at = name.find('@');
    const std::string stem = name.substr(0, at), point = at == std::string::npos ? "" : name.substr(at + 1);
    const std::string rivals = experiment.name + "--";
    if (stem == experiment.name) found.emplace_back("", point);
    if (stem.starts_with(rivals)) found.emplace_back(stem.substr(rivals.size()), point);
  }
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> folders_in(const Path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) names.push_back(entry.path().filename().string());
  }
  return names;
}

Json curve_json(const SeedResult& result) {
  Json curve = Json::array();
  for (const auto& [steps, value] : result.curve) curve.push_back({steps, value});
  return curve;
}

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; }

}  // namespace

void write_seed_result(const Path& run, const SeedResult& result) {
  Json j;
  j["experiment"] = result.experiment;
  if (!result.method.empty()) j["method"] = result.method;
  if (!result.point.empty()) j["point"] = result.point;
  j["scale"] = result.scale;
  j["seed"] = result.seed;
  j["metric"] = result.metric;
  j["tested_on"] = result.tested_on;
  j["one_rollout"] = values_json(result.one_rollout);
  j["averaged"] = values_json(result.averaged);
  j["valid"] = values_json(result.valid);
  if (!result.curve.empty()) j["curve"] = curve_json(result);
  j["rollouts"] = result.rollouts;
  j["epoch"] = result.epoch;
  j["parameters"] = result.parameters;
  j["seconds"] = result.seconds;
  j["settings"] = result.settings;
  write_whole_file(run / kResult, j.dump(2) + "\n");
}

std::optional<SeedResult> read_seed_result(const Path& run) {
  std::ifstream file(run / kResult, std::ios::binary);
  if (!file) return std::nullopt;
  try {
    const Json j = parse_json(std::string{std::istreambuf_iterator<char>(file), {}}, "result");
    SeedResult result;
    read_member(j, "experiment", result.experiment);
    read_member(j, "scale", result.scale);
    read_member(j, "seed", result.seed);
    read_member(j, "metric", result.metric);
    read_member(j, "tested_on", result.tested_on);
    result.one_rollout = values_of(j.at("one_rollout"));
    result.averaged = values_of(j.at("averaged"));
    if (j.contains("method")) read_member(j, "method", result.method);  // results of before have neither
    if (j.contains("point")) read_member(j, "point", result.point);
    for (const Json& at : j.value("curve", Json::array())) {
      result.curve.emplace_back(at.at(0).get<std::uint64_t>(), at.at(1).get<double>());
    }
    if (j.contains("valid")) result.valid = values_of(j.at("valid"));
    read_member(j, "rollouts", result.rollouts);
    read_member(j, "epoch", result.epoch);
    read_member(j, "parameters", result.parameters);
    read_member(j, "seconds", result.seconds);
    read_member(j, "settings", result.settings);
    return result;
  } catch (const std::exception& e) {  // of parse_json, read_member or nlohmann
    throw Error(ErrorKind::kData, fmt::format("{} is damaged: {}", (run / kResult).string(), e.what()),
                "remove the file; the run is then tested again");
  }
}

ExperimentResult::Figure ExperimentResult::one_rollout() const { return figure_of(seeds, &SeedResult::one_rollout); }
ExperimentResult::Figure ExperimentResult::averaged() const { return figure_of(seeds, &SeedResult::averaged); }
ExperimentResult::Figure ExperimentResult::valid() const { return figure_of(seeds, &SeedResult::valid); }

std::string ExperimentResult::name() const {
  std::string name = method.empty() ? experiment->name : fmt::format("{} --model {}", experiment->name, method);
  return point.empty() ? name : fmt::format("{} ({})", name, point);
}

std::string ExperimentResult::paper() const {
  return method.empty() ? experiment->paper : paper_figure(experiment->name, method);
}

double ExperimentResult::seconds() const {
  double sum = 0;
  for (const SeedResult& seed : seeds) sum += seed.seconds;
  return sum;
}

std::string ExperimentResult::over() const {
  if (experiment->test_on != TestOn::kFolds) {
    return fmt::format("{} seed{}", seeds.size(), seeds.size() == 1 ? "" : "s");
  }
  const std::size_t folds = seeds.empty() ? 0 : seeds.front().one_rollout.size();
  return seeds.size() == 1 ? fmt::format("{} folds", folds) : fmt::format("{} x {} folds", seeds.size(), folds);
}

std::string ExperimentResult::text(const Figure& figure) const {
  if (!std::isfinite(figure.mean)) return "-";
  std::string text = fmt::format("{:.{}f}", figure.mean / experiment->unit, experiment->digits);
  if (std::isfinite(figure.deviation)) {
    text += fmt::format(" ± {:.{}f}", figure.deviation / experiment->unit, experiment->digits);
  }
  return text;
}

std::vector<ExperimentResult> collect_results(const Path& folder) {
  std::vector<ExperimentResult> all;
  const std::vector<std::string> folders = folders_in(folder);
  for (const Experiment& experiment : experiments()) {
    for (const auto& [method, point] : ways_in(folders, experiment)) {
      ExperimentResult result;
      result.experiment = &experiment;
      result.method = method;
      result.point = point;
      for (const std::uint64_t seed : seeds_in(experiment_folder(folder, experiment, method, point))) {
        if (auto found = read_seed_result(seed_folder(folder, experiment, method, point, seed))) {
          result.seeds.push_back(std::move(*found));
        }
      }
      if (!result.seeds.empty()) all.push_back(std::move(result));
    }
  }
  return all;
}

BestResult best_result(const std::vector<ExperimentResult>& results, std::string_view experiment,
                       std::string_view method) {
  BestResult best;
  double best_mean = kUndefinedFigure;
  for (const ExperimentResult& result : results) {
    if (result.experiment->name != experiment || result.method != method) continue;
    if (!result.point.empty()) ++best.points;
    const bool by_valid = std::isfinite(result.valid().mean);
    const double mean = by_valid ? result.valid().mean : result.one_rollout().mean;
    if (best.result == nullptr || is_better(metric_from_name(result.experiment->metric), mean, best_mean)) {
      best.result = &result;
      best_mean = mean;
    }
  }
  return best;
}

std::string results_csv(const std::vector<ExperimentResult>& results) {
  std::string text =
      "experiment,method,point,scale,seed,fold,metric,one_rollout,averaged,rollouts,epoch,parameters,seconds\n";
  for (const ExperimentResult& result : results) {
    const bool folds = result.experiment->test_on == TestOn::kFolds;
    for (const SeedResult& seed : result.seeds) {
      for (std::size_t v = 0; v < seed.one_rollout.size(); ++v) {
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{:.1f}\n", seed.experiment,
                            result.method.empty() ? "agentnet" : result.method, csv_field(result.point), seed.scale,
                            seed.seed, folds ? std::to_string(v) : "", seed.metric, cell(seed.one_rollout[v]),
                            v < seed.averaged.size() ? cell(seed.averaged[v]) : "", seed.rollouts, seed.epoch,
                            seed.parameters, seed.seconds);
      }
    }
  }
  return text;
}

std::string results_markdown(const std::vector<ExperimentResult>& results) {
  std::vector<std::vector<std::string>> rows = {{"experiment", "metric", "paper", "ours, one rollout", "ours, averaged",
                                                 "mean ± sd over", "scale", "training", "in the paper",
                                                 "other methods in the paper"}};
  for (const ExperimentResult& result : results) {
    const Experiment& e = *result.experiment;
    std::string averaged = result.text(result.averaged());
    if (averaged != "-") averaged += fmt::format(" ({})", result.seeds.front().rollouts);
    const std::string paper = result.paper();
    rows.push_back({result.name(), e.unit == 0.01 ? e.metric + " %" : e.metric, paper.empty() ? "-" : paper,
                    result.text(result.one_rollout()), averaged, result.over(), result.seeds.front().scale,
                    training_time(result.seconds()), e.place, result.method.empty() ? e.others : ""});
  }
  return aligned_markdown(rows);
}

std::string results_json(const std::vector<ExperimentResult>& results) {
  const auto figure = [](const ExperimentResult::Figure& f) {
    Json j;
    j["values"] = f.values;
    j["mean"] = std::isfinite(f.mean) ? Json(f.mean) : Json();
    j["deviation"] = std::isfinite(f.deviation) ? Json(f.deviation) : Json();
    return j;
  };
  Json all = Json::array();
  for (const ExperimentResult& result : results) {
    Json j;
    j["experiment"] = result.experiment->name;
    j["method"] = result.method.empty() ? "agentnet" : result.method;
    if (!result.point.empty()) j["point"] = result.point;
    j["place"] = result.experiment->place;
    j["scale"] = result.seeds.front().scale;
    j["metric"] = result.seeds.front().metric;
    j["paper"] = result.paper();
    j["others"] = result.experiment->others;
    j["over"] = result.over();
    j["one_rollout"] = figure(result.one_rollout());
    j["averaged"] = figure(result.averaged());
    j["valid"] = figure(result.valid());
    j["rollouts"] = result.seeds.front().rollouts;
    for (const SeedResult& seed : result.seeds) {
      j["seeds"].push_back({{"seed", seed.seed},
                            {"one_rollout", values_json(seed.one_rollout)},
                            {"averaged", values_json(seed.averaged)},
                            {"epoch", seed.epoch},
                            {"tested_on", seed.tested_on},
                            {"curve", curve_json(seed)},
                            {"seconds", seed.seconds}});
    }
    all.push_back(std::move(j));
  }
  return all.dump(2) + "\n";
}

void check_results_folder(const Path& folder) {
  const auto begins_otherwise = [&](const char* name, std::string_view ours) {
    std::ifstream file(folder / name, std::ios::binary);
    std::string line;
    return std::getline(file, line) && !line.starts_with(ours);
  };
  std::error_code ignored;
  const bool is_file = std::filesystem::exists(folder, ignored) && !std::filesystem::is_directory(folder, ignored);
  const bool is_run =
      std::filesystem::exists(folder / "config.toml", ignored) || std::filesystem::exists(folder / "cv.toml", ignored);
  if (!is_file && !is_run && !begins_otherwise(kTable, "experiment,") &&
      !begins_otherwise(kMarkdown, "| experiment ")) {
    return;
  }
  throw Error(ErrorKind::kUsage, fmt::format("{} exists and holds something else", folder.string()),
              "name another folder with -o");
}

void write_results(const Path& folder, const std::vector<ExperimentResult>& results) {
  write_whole_file(folder / kTable, results_csv(results));
  write_whole_file(folder / kMarkdown, results_markdown(results));
}

}  // namespace agentnet
