// agentnet eval MODEL DATA: how good a model's predictions are on labelled data.
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
#include "core/json.h"
#include "core/print.h"
#include "options/data_options.h"
#include "options/explain_choice.h"
#include "options/model_arguments.h"
#include "options/piped_data.h"
#include "options/split_options.h"
#include "predict/not_finite.h"
#include "predict/reading.h"

namespace agentnet {
namespace {

using Json = nlohmann::ordered_json;

struct EvalArguments {
  std::string model;
  DataArguments data;
  SplitArguments split;
  PartArguments part;
  RolloutArguments rollouts;
  MemoryArguments memory;
  bool json = false;
};

struct Evaluation {
  Task task = Task::kNone;
  std::string source;
  std::size_t graphs = 0;
  double rollouts = 0;  // of a graph, on average
  std::uint64_t blanks = 0, bad_rows = 0, unseen = 0;
  std::uint64_t not_finite = 0;  // graphs for which the model's output is no number
  Scores scores;
};

Evaluation evaluate(const EvalArguments& arguments, const Console& console) {
  const Model model = Model::load(arguments.model);
  DataOptions asked = arguments.data.parsed();
  prepare_for_split(arguments.split, asked);
  UnseenValues unseen;
  const Dataset data = read_labelled(model, reopenable(arguments.data.source, console), asked, &unseen);
  const std::vector<std::size_t> chosen = chosen_graphs(data, arguments.split, arguments.part, asked.threads);

  std::vector<GraphView> graphs;
  std::vector<double> targets;
  for (const std::size_t g : chosen) {
    graphs.push_back(data.graphs.view(g));
    const auto row = data.graphs.targets(g);
    targets.insert(targets.end(), row.begin(), row.end());
  }
  PredictOptions options = arguments.rollouts.options;
  options.threads = asked.threads;
  const Predictions predictions = predict(model, graphs, options);

  UnseenCounts counts;
  counts.add(unseen);
  counts.print(console);
  tell_notes(data, console);
  tell_bad_rows(data, console);
  Evaluation result;
  result.task = data.schema.task;
  result.source = data.source;
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
  return result;
}

// With a confidence, graphs need different numbers of rollouts.
bool anytime(const EvalArguments& arguments) { return arguments.rollouts.options.confidence > 0; }

void print_json(std::ostream& out, const EvalArguments& arguments, const Evaluation& result) {
  Json metrics = Json::object();
  for (const Metric metric : metrics_for(result.task)) metrics[std::string(metric_name(metric))] = nullptr;
  for (const Score& score : result.scores) metrics[score.name] = score.value;
  const Json json = {
      {"graphs", result.graphs},
      {"rollouts", anytime(arguments) ? Json(result.rollouts) : Json(arguments.rollouts.options.rollouts)},
      {"task", task_name(result.task)},
      {"metrics", metrics},
      {"blanks", result.blanks},
      {"bad_rows", result.bad_rows},
      {"unseen_values", result.unseen},
      {"not_finite", result.not_finite}};
  print_to(out, "{}\n", json.dump(2));
}

void print_text(std::ostream& out, const EvalArguments& arguments, const Evaluation& result) {
  const std::string part = arguments.part.name.empty() ? "" : fmt::format(" ({} part)", arguments.part.name);
  print_to(out, "{}{}: {} graphs, {}, {} each\n", result.source, part, result.graphs, task_name(result.task),
           anytime(arguments) ? fmt::format("{:.1f} rollouts", result.rollouts) : rollouts_text(arguments.rollouts));
  for (const Score& score : result.scores) print_to(out, "  {:<18} {:.4f}\n", score.name, score.value);
  if (result.scores.empty()) {
    print_to(out, "  no metric is defined{}\n",
             result.not_finite > 0 ? ": " + not_finite_text(result.not_finite, result.graphs) : " on these targets");
  }
  if (result.blanks > 0) print_to(out, "  {:<18} {}, which count for nothing\n", "blank targets", result.blanks);
}

}  // namespace

CommandRun define_eval(CLI::App& app) {
  auto arguments = std::make_shared<EvalArguments>();
  app.add_option("MODEL", arguments->model, "a model file")->required();
  add_data_options(app, arguments->data);
  app.remove_option(app.get_option("--keep"));
  add_split_options(app, arguments->split);
  add_part_options(app, arguments->part);
  add_rollout_options(app, arguments->rollouts);
  add_memory_option(app, arguments->memory);
  app.add_flag("--json", arguments->json, "as JSON");
  return [arguments, &app](const Console& console) {
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
