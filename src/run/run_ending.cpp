#include "run/run_ending.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "classic/baselines.h"
#include "core/counted.h"
#include "core/files/folder.h"
#include "core/files/whole_file.h"
#include "data/tables/fingerprint.h"
#include "data/tables/options_json.h"
#include "nets/model_inside.h"
#include "predict/not_finite.h"
#include "run/metrics_log.h"
#include "run/prediction_lines.h"
#include "run/run_folder.h"
#include "train/fitting.h"
#include "train/trainer.h"

namespace agentnet {
namespace {

using Json = nlohmann::ordered_json;

class Closing {
 public:
  Closing(const RunPlan& plan, AppendFile& log, RunResult& result) : plan_(plan), log_(log), result_(result) {}

  void run() {
    FileSystem& fs = *plan_.seams.fs;
    result_.constant_name = constant_baseline_name(plan_.data.schema.task);
    result_.rollouts = plan_.settings.train.test_rollouts;
    if (result_.ending != Ending::kInterrupted) {
      const Model model = ModelInside::load(plan_.folder / run_file::kModel, *plan_.seams.kinds);
      result_.parameters = model.parameters().size();
      std::string table = prediction_header(plan_.data.schema, csv_reader());
      score_part(model, "valid", plan_.split.valid, table);
      score_part(model, "test", plan_.split.test, table);
      write_whole_file(plan_.folder / run_file::kPredictions, table, fs);
    }
    write_whole_file(plan_.folder / run_file::kSummary, summary(), fs);
    log_.write(fmt::format("{} after {}, {:.1f} s; the best was epoch {}\n", ending_name(result_.ending),
                           counted(result_.epochs, "epoch"), result_.seconds, result_.best_epoch));
    for (const PartScores& part : result_.parts) {
      log_.write(fmt::format("{} ({}):", part.name, counted(part.graphs, "graph")));
      for (const Score& score : part.model) log_.write(fmt::format(" {} {:.6g}", score.name, score.value));
      log_.write("\n");
    }
    for (const std::string& note : result_.notes) log_.write("note: " + note + "\n");
  }

 private:
  [[nodiscard]] CsvFor csv_reader() const { return plan_.control.safe_csv ? CsvFor::kSpreadsheets : CsvFor::kPrograms; }

  void say(const std::string& text) {
    log_.write(text + "\n");
    if (plan_.control.say) plan_.control.say(text);
  }

  void score_part(const Model& model, const std::string& name, const std::vector<std::size_t>& graphs,
                  std::string& table) {
    if (graphs.empty()) return;
    const Dataset& data = plan_.data;
    std::vector<GraphView> views;
    for (const std::size_t g : graphs) views.push_back(data.graphs.view(g));
    PredictOptions options;
    options.rollouts = plan_.settings.train.test_rollouts;
    options.seed = plan_.settings.train.seed;
    options.threads = plan_.control.threads;
    Predictions predictions = predict(model, views, options);
    table += prediction_lines(data, graphs, name, predictions, csv_reader());
    const std::vector<double> targets = targets_of(data, graphs);
    const auto scores = [&](const std::vector<double>& rows) {
      return all_scores(data.schema.task, model.outputs(), rows, targets, graphs.size());
    };
    PartScores part;
    part.name = name;
    part.graphs = graphs.size();
    part.model = scores(predictions.mean);
    part.by_target = scores_by_target(data.schema.targets, data.schema.task, predictions.mean, targets, graphs.size());
    if (name == "test") {
      part.bootstrap =
          bootstrap_scores(data.schema.task, model.outputs(), predictions.mean, targets, graphs.size(), options.seed);
    }
    part.not_finite = not_finite(predictions).size();
    if (part.not_finite > 0) {
      say(fmt::format("warning: {} of the {} part{}", not_finite_text(part.not_finite, graphs.size()), name,
                      part.model.empty() ? ", so it has no scores" : ""));
    }
    part.constant = scores(constant_baseline(data, plan_.split.train, graphs));
    part.structure_blind = scores(structure_blind_baseline(data, plan_.split.train, graphs));
    part.predictions = std::move(predictions);
    result_.parts.push_back(std::move(part));
  }

  [[nodiscard]] std::string summary() const {
    const Task task = plan_.data.schema.task;
    const Split& split = plan_.split;
    Json j;
    j["ending"] = ending_name(result_.ending);
    j["task"] = task_name(task);
    j["metric"] = result_.metric;
    j["epochs"] = result_.epochs;
    j["best_epoch"] = result_.best_epoch;
    if (!result_.history.empty()) j["steps"] = result_.history.back().steps;
    if (!std::isnan(result_.chance_loss) && result_.chance_loss != 0) j["chance_loss"] = result_.chance_loss;
    if (!result_.left_chance) j["left_chance"] = false;
    if (result_.still_falling) j["still_falling"] = true;
    j["parameters"] = result_.parameters;
    j["rollouts"] = result_.rollouts;
    j["graphs"] = {{"train", split.train.size()}, {"valid", split.valid.size()}, {"test", split.test.size()}};
    for (const PartScores& part : result_.parts) {
      j[part.name] = scores_json(part.model);
      if (!part.bootstrap.intervals.empty()) j["intervals"][part.name] = bootstrap_json(part.bootstrap);
      if (!part.by_target.empty()) j["targets"][part.name] = scores_json(part.by_target);
      if (part.not_finite > 0) j["not_finite"][part.name] = part.not_finite;
      j["baselines"][part.name] = {{std::string(constant_baseline_name(task)), scores_json(part.constant)},
                                   {"structure-blind", scores_json(part.structure_blind)}};
    }
    j["data"] = fingerprint(plan_.data);
    j["seconds"] = result_.seconds;
    return j.dump(2) + "\n";
  }

  const RunPlan& plan_;
  AppendFile& log_;
  RunResult& result_;
};

}  // namespace

// By the rows of the data's source, as --split file:PATH reads them: rows that are not graphs count as well.
std::string split_json(const Split& split, const Dataset& data) {
  const auto rows = [&](const std::vector<std::size_t>& graphs) {
    std::vector<std::size_t> numbers = graphs;
    if (!data.rows.empty())
      std::ranges::transform(graphs, numbers.begin(), [&](std::size_t g) { return data.rows[g]; });
    return numbers;
  };
  Json j;
  j["train"] = rows(split.train);
  j["valid"] = rows(split.valid);
  j["test"] = rows(split.test);
  return j.dump() + "\n";
}

void finish_run(const RunPlan& plan, AppendFile& log, RunResult& result) { Closing(plan, log, result).run(); }

RunResult run_fitting(const RunPlan& plan, const NetworkKind& kind) {
  const RunControl& control = plan.control;
  FileSystem& fs = *plan.seams.fs;
  const FolderLock lock(plan.folder);
  remove_abandoned_files(plan.folder);
  write_whole_file(plan.folder / run_file::kConfig, to_toml(plan.settings, *plan.seams.kinds), fs);
  write_whole_file(plan.folder / run_file::kSplits, split_json(plan.split, plan.data), fs);
  AppendFile log(plan.folder / run_file::kLog, fs);
  log.write(fmt::format("fitting to {} of {}, {} to test on\n", counted(plan.split.train.size(), "graph"),
                        plan.settings.source, plan.split.test.size()));
  RunResult result;
  result.metric = metric_name(metric_of(plan.settings.train.metric, plan.data.schema.task));
  std::optional<FittedModel> fitted;
  try {
    fitted = fit_model(plan.data, plan.split, kind, plan.settings.model, plan.settings.train, control.threads,
                       control.should_stop);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInterrupted) throw;
    result.ending = Ending::kInterrupted;
    finish_run(plan, log, result);
    return result;
  }
  for (const std::string& note : fitted->notes) {
    log.write(note + "\n");
    if (control.say) control.say(note);
  }
  fitted->model.card().reading = to_json(plan.settings.data);
  fitted->model.card().training["data"] = plan.settings.source;
  ModelInside::save(fitted->model, plan.folder / run_file::kModel, fs);
  std::vector<std::string> names;
  if (!plan.split.valid.empty()) {
    for (const Metric metric : metrics_for(plan.data.schema.task)) names.emplace_back(metric_name(metric));
  }
  MetricsLog metrics(plan.folder, names, {}, fs);
  metrics.add(fitted->record);
  metrics.sync();
  if (control.on_epoch) control.on_epoch(fitted->record);
  result.epochs = result.best_epoch = 1;
  result.seconds = fitted->record.seconds;
  result.history = {fitted->record};
  finish_run(plan, log, result);
  log.sync();
  return result;
}

}  // namespace agentnet
