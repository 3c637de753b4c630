#include "run/cv_results.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>

#include "agentnet/error.h"
#include "classic/baselines.h"
#include "core/json.h"
#include "core/suggest.h"
#include "core/text.h"
#include "run/metrics_log.h"
#include "run/run.h"

namespace agentnet {
namespace {

constexpr std::array kProtocols = {Protocol::kGin, Protocol::kAgentnet, Protocol::kFair};
constexpr const char* kStructureBlind = "structure-blind";

Error damaged(const std::filesystem::path& file, const std::string& what) {
  return {ErrorKind::kData, fmt::format("{}: {}", file.string(), what),
          fmt::format("remove the folder {}, then --resume: that fold is run again", file.parent_path().string())};
}

Json read_summary(const std::filesystem::path& run) {
  const std::filesystem::path path = run / "summary.json";
  std::ifstream file(path, std::ios::binary);
  if (!file) throw damaged(path, "there is no such file");
  std::optional<Json> json = parse_json_if_valid(std::string{std::istreambuf_iterator<char>(file), {}});
  if (!json || !json->is_object()) throw damaged(path, "not the summary of a run");
  return std::move(*json);
}

Scores scores_of(const Json& json) {
  Scores scores;
  for (const auto& [name, value] : json.items()) scores.push_back({name, value.get<double>()});
  return scores;
}

std::vector<EpochRecord> read_history(const std::filesystem::path& run, std::uint64_t epochs) {
  std::vector<EpochRecord> history = read_metrics(run / "metrics.jsonl", epochs);
  if (history.size() != epochs || epochs == 0 || history.back().epoch != epochs) {
    throw damaged(run / "metrics.jsonl", fmt::format("{} epochs of {} can be read", history.size(), epochs));
  }
  return history;
}

// What a summary tells of the part that the fold was tested on: its baselines, and for the fair protocol its result.
FoldResult read_fold(const std::filesystem::path& run, std::size_t number, Protocol protocol, Metric metric, Task task,
                     std::vector<EpochRecord>& history) {
  const Json summary = read_summary(run);
  const bool fair = protocol == Protocol::kFair;
  const char* const part = fair ? "test" : "valid";
  FoldResult fold;
  fold.fold = number;
  std::uint64_t epochs = 0;
  try {
    const Json& graphs = summary.at("graphs");
    read_member(graphs, "train", fold.train);
    read_member(graphs, part, fold.tested);
    read_member(summary, "parameters", fold.parameters);
    read_member(summary, "seconds", fold.seconds);
    if (fair) read_member(graphs, "valid", fold.chosen_by);
    const Json& baselines = summary.at("baselines").at(part);
    fold.constant = scores_of(baselines.at(std::string(constant_baseline_name(task))));
    fold.structure_blind = scores_of(baselines.at(kStructureBlind));
    read_member(summary, "epochs", epochs);
    if (fair) {
      read_member(summary, "best_epoch", fold.epoch);
      fold.scores = scores_of(summary.at(part));
      fold.value = score_named(fold.scores, metric_name(metric));
    }
  } catch (const std::exception& e) {  // of read_member or nlohmann
    throw damaged(run / "summary.json", fmt::format("not the summary of a run ({})", e.what()));
  }
  history = read_history(run, epochs);
  return fold;
}

const EpochRecord& record_of(const std::vector<EpochRecord>& history, std::uint64_t epoch) {
  const auto at =
      std::find_if(history.begin(), history.end(), [&](const EpochRecord& record) { return record.epoch == epoch; });
  return at == history.end() ? history.back() : *at;
}

bool never_defined(const std::vector<EpochRecord>& history) {
  return std::none_of(history.begin(), history.end(),
                      [](const EpochRecord& record) { return record.metric && !std::isnan(*record.metric); });
}

Json statistics_json(const FoldStatistics& statistics) {
  return {{"mean", statistics.mean},
          {"standard_deviation", statistics.deviation},
          {"standard_error", statistics.error},
          {"folds", statistics.folds}};
}

Json fold_json(const FoldResult& fold, const std::string& constant_name, bool fair) {
  Json json;
  json["fold"] = fold.fold;
  json["graphs"] = {{"train", fold.train}, {"test", fold.tested}};
  if (fair) json["graphs"]["valid"] = fold.chosen_by;
  json["epoch"] = fold.epoch;
  json["value"] = fold.value;
  if (!fair) json["last_epoch"] = fold.last_epoch;
  json["scores"] = scores_json(fold.scores);
  json["baselines"] = {{constant_name, scores_json(fold.constant)},
                       {kStructureBlind, scores_json(fold.structure_blind)}};
  return json;
}

Json protocol_json(const ProtocolResult& result, const std::string& constant_name) {
  const bool fair = result.protocol == Protocol::kFair;
  Json json;
  json["protocol"] = protocol_name(result.protocol);
  json["description"] = result.description;
  json["split"] = result.folds_from;
  json["rollouts"] = result.rollouts;
  json["model"] = statistics_json(result.model);
  if (!fair) {
    json["epoch"] = result.epoch;
    json["last_epoch"] = statistics_json(result.last_epoch);
  }
  json["baselines"] = {{constant_name, statistics_json(result.constant)},
                       {kStructureBlind, statistics_json(result.structure_blind)}};
  json["metrics"] = Json::object();
  for (const MetricResult& each : result.metrics) {
    if (each.model.folds == 0) continue;
    json["metrics"][each.metric] = statistics_json(each.model);
  }
  json["of_folds"] = result.of;
  json["folds"] = Json::array();
  for (const FoldResult& fold : result.folds) json["folds"].push_back(fold_json(fold, constant_name, fair));
  if (fair) return json;
  json["curve"] = Json::array();
  for (const CurvePoint& point : result.curve) {
    json["curve"].push_back(Json{{"epoch", point.epoch}, {"mean", point.mean}});
  }
  return json;
}

std::string csv_number(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace

std::string_view protocol_name(Protocol protocol) {
  switch (protocol) {
    case Protocol::kGin:
      return "gin";
    case Protocol::kAgentnet:
      return "agentnet";
    case Protocol::kFair:
      break;
  }
  return "fair";
}

std::vector<Protocol> protocols_named(std::string_view name) {
  if (name == "all") return {kProtocols.begin(), kProtocols.end()};
  std::vector<std::string> names = {"all"};
  for (const Protocol protocol : kProtocols) {
    if (protocol_name(protocol) == name) return {protocol};
    names.emplace_back(protocol_name(protocol));
  }
  const auto meant = closest_match(name, names);
  throw Error(ErrorKind::kUsage, fmt::format("there is no protocol {}", in_quotes(name)),
              meant ? fmt::format("did you mean {}?", *meant) : "protocols are gin, agentnet, fair, and all of them");
}

FoldStatistics fold_statistics(std::span<const double> values) {
  FoldStatistics result;
  double sum = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++result.folds;
  }
  if (result.folds == 0) return result;
  const auto n = static_cast<double>(result.folds);
  result.mean = sum / n;
  if (result.folds == 1) return result;
  double squares = 0;
  for (const double value : values) {
    if (!std::isnan(value)) squares += (value - result.mean) * (value - result.mean);
  }
  result.deviation = std::sqrt(squares / (n - 1));
  result.error = result.deviation / std::sqrt(n);
  return result;
}

std::vector<CurvePoint> mean_curve(std::span<const std::vector<EpochRecord>> histories) {
  struct Sum {
    std::size_t evaluated = 0;  // folds
    double sum = 0, count = 0;
  };
  std::map<std::uint64_t, Sum> by_epoch;
  for (const std::vector<EpochRecord>& history : histories) {
    const bool counts = !never_defined(history);
    for (const EpochRecord& record : history) {
      if (!record.metric) continue;
      Sum& sum = by_epoch[record.epoch];
      ++sum.evaluated;
      if (!counts) continue;
      sum.sum += *record.metric;
      ++sum.count;
    }
  }
  std::vector<CurvePoint> curve;
  for (const auto& [epoch, sum] : by_epoch) {
    if (sum.evaluated != histories.size()) continue;
    curve.push_back({epoch, sum.count > 0 ? sum.sum / sum.count : kUndefined});
  }
  return curve;
}

CurvePoint best_point(std::span<const CurvePoint> curve, Metric metric) {
  CurvePoint best;
  for (const CurvePoint& point : curve) {
    if (is_better(metric, point.mean, best.mean)) best = point;
  }
  return best;
}

std::filesystem::path fold_folder(const std::filesystem::path& folder, Protocol protocol, std::size_t fold) {
  return folder / protocol_name(protocol) / fmt::format("fold-{}", fold);
}

bool run_is_complete(const std::filesystem::path& run) {
  if (!std::filesystem::exists(run / "summary.json")) return false;
  const Json summary = read_summary(run);
  const Json ending = summary.value("ending", Json());
  return ending == ending_name(Ending::kFinished) || ending == ending_name(Ending::kOutOfPatience);
}

void read_folds(const std::filesystem::path& folder, std::span<const std::size_t> folds, Metric metric, Task task,
                ProtocolResult& result) {
  std::vector<std::vector<EpochRecord>> histories(folds.size());
  for (std::size_t i = 0; i < folds.size(); ++i) {
    result.folds.push_back(read_fold(fold_folder(folder, result.protocol, folds[i]), folds[i], result.protocol, metric,
                                     task, histories[i]));
  }
  if (result.protocol != Protocol::kFair) {
    result.curve = mean_curve(histories);
    result.epoch = best_point(result.curve, metric).epoch;
    for (std::size_t i = 0; i < result.folds.size(); ++i) {
      FoldResult& fold = result.folds[i];
      const std::vector<EpochRecord>& history = histories[i];
      const EpochRecord& record = record_of(history, result.epoch);
      fold.epoch = record.epoch;
      fold.value = record.metric.value_or(kUndefined);
      fold.scores = record.valid;
      fold.last_epoch = history.back().metric.value_or(kUndefined);
    }
  }
  const auto over_folds = [&](const auto& value) {
    std::vector<double> values;
    for (const FoldResult& fold : result.folds) values.push_back(value(fold));
    return fold_statistics(values);
  };
  result.model = over_folds([](const FoldResult& fold) { return fold.value; });
  result.last_epoch = over_folds([](const FoldResult& fold) { return fold.last_epoch; });
  const auto named = [&](Scores FoldResult::*scores, std::string_view name) {
    return over_folds([&](const FoldResult& fold) { return score_named(fold.*scores, name); });
  };
  for (const Metric each : metrics_for(task)) {
    const std::string_view name = metric_name(each);
    result.metrics.push_back({std::string(name), named(&FoldResult::scores, name), named(&FoldResult::constant, name),
                              named(&FoldResult::structure_blind, name)});
  }
  result.constant = named(&FoldResult::constant, metric_name(metric));
  result.structure_blind = named(&FoldResult::structure_blind, metric_name(metric));
}

std::string results_json(const CvResult& result, const Settings& settings, const Dataset& data) {
  Json json;
  json["data"] = settings.source;
  json["graphs"] = data.graphs.size();
  json["task"] = task_name(data.schema.task);
  json["metric"] = result.metric;
  json["higher_is_better"] = higher_is_better(metric_from_name(result.metric));
  json["seed"] = settings.train.seed;
  json["split_seed"] = settings.split_seed;
  json["protocols"] = Json::array();
  for (const ProtocolResult& protocol : result.protocols) {
    json["protocols"].push_back(protocol_json(protocol, result.constant_name));
  }
  json["model"] = {{"kind", settings.model.kind}};
  json["model"].update(parse_json(settings.model.options, "model options"));
  json["train"] = parse_json(to_json(settings.train), "training options");
  return json.dump(2) + "\n";
}

std::string results_csv(const CvResult& result) {
  std::string text = "protocol,fold,graphs,epoch,metric,value,last_epoch,constant,structure_blind\n";
  for (const ProtocolResult& protocol : result.protocols) {
    for (const FoldResult& fold : protocol.folds) {
      text += fmt::format("{},{},{},{},{},{},{},{},{}\n", protocol_name(protocol.protocol), fold.fold, fold.tested,
                          fold.epoch, result.metric, csv_number(fold.value), csv_number(fold.last_epoch),
                          csv_number(score_named(fold.constant, result.metric)),
                          csv_number(score_named(fold.structure_blind, result.metric)));
    }
  }
  return text;
}

}  // namespace agentnet
