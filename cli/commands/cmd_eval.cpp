// agentnet eval RUN|MODEL [DATA]: how good a model's predictions are on labelled data.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agentnet/error.h"
#include "agentnet/metrics.h"
#include "agentnet/predict.h"
#include "command_list.h"
#include "core/counted.h"
#include "core/json.h"
#include "core/print.h"
#include "options/data_options.h"
#include "options/explain_choice.h"
#include "options/model_arguments.h"
#include "options/piped_data.h"
#include "options/run_source.h"
#include "options/split_options.h"
#include "output/results_table.h"
#include "predict/not_finite.h"
#include "predict/reading.h"
#include "view/page/run_page.h"

namespace agentnet {
namespace {

using Json = nlohmann::ordered_json;

struct EvalArguments {
  std::string model;  // a model file, or the folder of a run
  DataArguments data;
  SplitArguments split;
  PartArguments part;
  RolloutArguments rollouts;
  MemoryArguments memory;
  bool json = false;
  const CLI::App* app = nullptr;  // what was given on the command line
};

struct Evaluation {
  Task task = Task::kNone;
  std::string source, part;  // part: of a split; may be empty
  std::size_t graphs = 0;
  double rollouts = 0;  // of a graph, on average
  int asked_for = 0;    // rollouts
  std::uint64_t blanks = 0, bad_rows = 0, unseen = 0;
  std::uint64_t not_finite = 0;  // graphs for which the model's output is no number
  Scores scores;
  std::vector<TargetScores> by_target;  // where there are several
  Bootstrap bootstrap;
};

// What is evaluated.
struct Asked {
  Dataset data;
  std::vector<std::size_t> chosen;  // graphs of it
  std::string part;
  PredictOptions walks;
  UnseenValues unseen;
};

Asked asked_of_data(const EvalArguments& arguments, const Model& model, const Console& console) {
  Asked asked;
  DataOptions reading = arguments.data.parsed();
  prepare_for_split(arguments.split, reading);
  asked.data = read_labelled(model, reopenable(arguments.data.source, console), reading, &asked.unseen);
  asked.chosen = chosen_graphs(asked.data, arguments.split, arguments.part, reading.threads);
  asked.part = arguments.part.name;
  tell_notes(asked.data, console);
  tell_bad_rows(asked.data, console);
  return asked;
}

// The run's own data, split and walks: the numbers are those of its summary.
Asked asked_of_run(const EvalArguments& arguments, const Model& model, const Console& console) {
  refuse_reading_options(*arguments.app);
  RunSource source = read_run_source(arguments.model, arguments.data, console);
  Asked asked;
  asked.data = std::move(source.data);
  fit_to_model(asked.data, model, /*with_targets=*/true);
  asked.part = arguments.part.name.empty() ? std::string(part_to_show(source.split)) : arguments.part.name;
  asked.chosen = graphs_of_part(source.split, asked.part);
  asked.walks = arguments.rollouts.options;
  take_walks_of_run(*arguments.app, source.settings, asked.walks);
  return asked;
}

Evaluation evaluate(const EvalArguments& arguments, const Console& console) {
  const bool own_data = arguments.data.source.empty();
  if (own_data) require_run(arguments.model, fmt::format("eval {} DATA", arguments.model));
  const Model model = Model::load(model_file_of(arguments.model));
  const Asked asked = own_data ? asked_of_run(arguments, model, console) : asked_of_data(arguments, model, console);
  const Dataset& data = asked.data;
  const std::vector<std::size_t>& chosen = asked.chosen;

  std::vector<GraphView> graphs;
  std::vector<double> targets;
  for (const std::size_t g : chosen) {
    graphs.push_back(data.graphs.view(g));
    const auto row = data.graphs.targets(g);
    targets.insert(targets.end(), row.begin(), row.end());
  }
  PredictOptions options = own_data ? asked.walks : arguments.rollouts.options;
  options.threads = arguments.data.options.threads;
  const Predictions predictions = predict(model, graphs, options);

  UnseenCounts counts;
  counts.add(asked.unseen);
  counts.print(console);
  Evaluation result;
  result.task = data.schema.task;
  result.source = data.source;
  result.part = asked.part;
  result.asked_for = options.rollouts;
  result.graphs = graphs.size();
  for (const int count : predictions.rollouts) {
    result.rollouts += static_cast<double>(count) / static_cast<double>(graphs.size());
  }
  result.blanks =
      static_cast<std::uint64_t>(std::count_if(targets.begin(), targets.end(), [](double y) { return std::isnan(y); }));
  result.bad_rows = data.bad_rows.size();
  result.unseen = counts.total();
  const std::vector<std::size_t> wild = not_finite(predictions);
  result.not_finite = wild.size();
  if (!wild.empty()) {
    print_to(console.err, "warning: {}; the first: {}\n", not_finite_text(wild.size(), graphs.size()),
             id_or_row(data, chosen[wild.front()]));
  }
  result.scores = all_scores(result.task, predictions.outputs, predictions.mean, targets, graphs.size());
  result.bootstrap =
      bootstrap_scores(result.task, predictions.outputs, predictions.mean, targets, graphs.size(), options.seed);
  result.by_target = scores_by_target(output_names(model), result.task, predictions.mean, targets, graphs.size());
  return result;
}

// With a confidence, graphs need different numbers of rollouts.
bool anytime(const EvalArguments& arguments) { return arguments.rollouts.options.confidence > 0; }

void print_json(std::ostream& out, const EvalArguments& arguments, const Evaluation& result) {
  const auto all = [&](const Scores& scores) {
    Json metrics = Json::object();
    for (const Metric metric : metrics_for(result.task)) metrics[std::string(metric_name(metric))] = nullptr;
    for (const Score& score : scores) metrics[score.name] = score.value;
    return metrics;
  };
  Json json = {{"graphs", result.graphs},
               {"rollouts", anytime(arguments) ? Json(result.rollouts) : Json(result.asked_for)},
               {"task", task_name(result.task)},
               {"metrics", all(result.scores)},
               {"blanks", result.blanks},
               {"bad_rows", result.bad_rows},
               {"unseen_values", result.unseen},
               {"not_finite", result.not_finite}};
  if (!result.bootstrap.intervals.empty()) {
    json["intervals"] = {{"coverage", result.bootstrap.coverage}, {"samples", result.bootstrap.samples}};
    for (const Interval& interval : result.bootstrap.intervals) {
      json["intervals"]["metrics"][interval.name] = {interval.low, interval.high};
    }
  }
  for (const TargetScores& target : result.by_target) json["targets"][target.target] = all(target.scores);
  print_to(out, "{}\n", json.dump(2));
}

void print_text(std::ostream& out, const EvalArguments& arguments, const Evaluation& result) {
  const std::string part = result.part.empty() ? "" : fmt::format(" ({} part)", result.part);
  print_to(out, "{}{}: {}, {}, {} each\n", result.source, part, counted(result.graphs, "graph"), task_name(result.task),
           anytime(arguments) ? fmt::format("{:.1f} rollouts", result.rollouts) : rollouts_text(result.asked_for));
  for (const Score& score : result.scores) print_to(out, "  {:<18} {:.4f}\n", score.name, score.value);
  if (result.scores.empty()) {
    print_to(out, "  no metric is defined{}\n",
             result.not_finite > 0 ? ": " + not_finite_text(result.not_finite, result.graphs) : " on these targets");
  }
  if (result.blanks > 0) print_to(out, "  {:<18} {}, which count for nothing\n", "blank targets", result.blanks);
  print_intervals(out, result.bootstrap);
  print_targets(out, result.by_target, "each target", "--json has them all");
}

}  // namespace

CommandRun define_eval(CLI::App& app) {
  auto arguments = std::make_shared<EvalArguments>();
  app.add_option(kRunOrModel, arguments->model, kRunOrModelHelp)->required();
  add_optional_data_options(app, arguments->data, SourceName::kForNow);
  app.remove_option(app.get_option("--keep"));
  add_split_options(app, arguments->split);
  add_part_options(app, arguments->part);
  add_rollout_options(app, arguments->rollouts);
  add_memory_option(app, arguments->memory);
  app.add_flag("--json", arguments->json, "as JSON");
  return [arguments, &app](const Console& console) {
    arguments->app = &app;
    finish_rollout_options(app, arguments->rollouts);
    apply_memory_limit(arguments->memory);
    const Evaluation result = evaluate(*arguments, console);
    if (arguments->json) {
      print_json(console.out, *arguments, result);
    } else {
      print_text(console.text(), *arguments, result);
    }
  };
}

}  // namespace agentnet
