// agentnet tune DATA -o DIR: which settings are best here, by a search that the test part has no say in.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>

#include "agentnet/error.h"
#include "agentnet/tune.h"
#include "command_list.h"
#include "core/counted.h"
#include "core/files/whole_file.h"
#include "core/print.h"
#include "core/text.h"
#include "interrupt.h"
#include "options/settings_options.h"
#include "options/split_options.h"
#include "output/progress.h"
#include "view/pictures/tuning_plot.h"

namespace agentnet {
namespace {

constexpr std::size_t kMostShown = 10;  // trials and settings

struct TuneArguments {
  SettingsArguments settings;
  TuneOptions options;
  std::string budget = "2h", output, resume, worker;
  int jobs = 0;
  MemoryArguments memory;
  bool force = false, json = false, plan = false;
};

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-"; }

std::string drawn_text(const TrialResult& trial) {
  std::string text;
  for (const auto& [key, value] : trial.drawn) {
    text += (text.empty() ? "" : " ") + key.substr(key.find('.') + 1) + "=" + value;
  }
  return text;
}

void print_search(std::ostream& out, const SearchResult& search, const TuneResult& result) {
  print_to(out, "  rank  trial  epochs  {:>9}  seconds  settings\n", "valid");
  for (std::size_t rank = 0; rank < std::min(kMostShown, search.ranking.size()); ++rank) {
    const TrialResult& trial = search.trials[search.ranking[rank]];
    print_to(out, "  {:>4}  {:>5}  {:>6}  {:>9}  {:>7.1f}  {}\n", rank + 1, trial.number, trial.epochs,
             trial.failed.empty() ? cell(trial.score()) : "failed", trial.seconds, drawn_text(trial));
  }
  if (search.ranking.size() > kMostShown) {
    print_to(out, "  ... and {} more\n", search.ranking.size() - kMostShown);
  }
  if (!search.importance.empty()) {
    print_to(out, "\n  share of the ranks at the first rung that a setting explains, p by permutation, mean scores\n");
  }
  for (std::size_t i = 0; i < std::min(kMostShown, search.importance.size()); ++i) {
    const SettingImportance& one = search.importance[i];
    std::string levels;
    for (const SettingLevel& level : one.levels) {
      levels += fmt::format("{}{}: {}", levels.empty() ? "" : ", ", level.value, cell(level.mean));
    }
    print_to(out, "  {:<22} {:>5.2f}  p {:.3f}  {}\n", one.key, one.share, one.p, levels);
  }
  const auto value = [&](const Scores& scores) { return cell(score_named(scores, result.metric)); };
  print_to(out,
           "\n  best: trial {}, test {} {} on {} that the search has not seen (valid {})\n"
           "  {} {}, without edges {}\n",
           search.ranking.front(), result.metric, value(search.test), counted(search.tested, "graph"),
           value(search.valid), result.constant_name, value(search.constant), value(search.structure_blind));
}

void print_result(std::ostream& out, const TuneResult& result, const TunePlan& plan) {
  print_to(out, "{}, {}, {} after {} {}\n\n", result.metric, counted(plan.trials.size(), "trial"),
           result.rungs.size() == 1 ? "all trained to the end" : fmt::format("one of {} goes on", plan.options.keep),
           join_text(result.rungs, ", "), result.rungs.back() == 1 ? "epoch" : "epochs");
  for (std::size_t s = 0; s < result.searches.size(); ++s) {
    if (plan.options.nested) print_to(out, "{}fold {}\n", s == 0 ? "" : "\n", s);
    print_search(out, result.searches[s], result);
  }
  if (!plan.options.nested) return;
  print_to(out, "\ntest {} of the best of each fold: {} +- {} (mean and standard error of {} folds)\n", result.metric,
           cell(result.test.mean), cell(result.test.error), result.test.folds);
}

TuneResult run_trials(const std::filesystem::path& folder, const TunePlan& plan, const Dataset& data,
                      const TuneArguments& arguments, const Console& console) {
  const InterruptGuard guard;
  ProgressLine line(console);
  TuneControl control;
  control.threads = arguments.settings.data.options.threads;
  control.jobs = arguments.jobs;
  control.should_stop = InterruptGuard::interrupted;
  control.say = [&](const std::string& text) { line.print_plain(text, true); };
  control.on_progress = [&](const TuneProgress& p) {
    const std::string fold = p.folds > 1 ? fmt::format("fold {} of {}, ", p.fold + 1, p.folds) : "";
    line.show(p.fraction, fmt::format("{}rung {} of {}: {} of {} trials", fold, p.rung + 1, p.rungs, p.done, p.of));
  };
  return tune(folder, plan, data, control);
}

TunePlan new_plan(const TuneArguments& arguments, const SettingsLayers& layers, const Dataset& data,
                  const Console& console) {
  TuneOptions options = arguments.options;
  options.budget = parse_duration(arguments.budget, "--budget");
  std::vector<std::string> notes;
  TunePlan plan = plan_tuning(data, layers, options, arguments.settings.data.options.threads, arguments.jobs, notes);
  for (const std::string& note : notes) print_to(console.err, "note: {}\n", note);
  make_tune_folder(arguments.output, plan, data, arguments.force);
  print_to(console.err, "{}, compared after {} {}: {}/tune.json\n", counted(plan.trials.size(), "trial"),
           join_text(plan.rungs, ", "), plan.rungs.back() == 1 ? "epoch" : "epochs", arguments.output);
  return plan;
}

void write_pictures(const std::filesystem::path& folder, const TuneResult& result, bool nested) {
  for (std::size_t s = 0; s < result.searches.size(); ++s) {
    const std::filesystem::path place = nested ? folder / fmt::format("fold-{}", s) : folder;
    write_whole_file(place / "trials.svg", tuning_svg(result, s), FileSystem::real());
  }
}

void run_tune(const TuneArguments& arguments, const CLI::App& app, const Console& console) {
  const bool working = !arguments.worker.empty();
  const std::string& there = working ? arguments.worker : arguments.resume;
  if (there.empty() && arguments.output.empty()) {
    throw Error(ErrorKind::kUsage, "no folder given for the search", "name one with -o, for example -o tune1");
  }
  Settings reading;
  SettingsLayers layers;
  if (!there.empty()) {
    refuse_beside_resume(app, {"--worker", "--jobs", "--threads", "--max-memory", "--json", "--verify"},
                         fmt::format("agentnet tune --resume {}", there));
    reading = tune_data_settings(there);
  } else {
    layers = arguments.settings.layers();
    reading = layers.data_settings();
  }
  const Dataset data = read_training_data(reading, arguments.settings, console);
  const TunePlan plan = there.empty() ? new_plan(arguments, layers, data, console) : read_tuning(there, data);
  const std::filesystem::path folder = there.empty() ? arguments.output : there;
  if (arguments.plan) {
    tell_plan("tune", folder.string(), console);
    return;
  }
  const TuneResult result = run_trials(folder, plan, data, arguments, console);
  if (result.interrupted) {
    throw Error(ErrorKind::kInterrupted,
                fmt::format("interrupted, {} of {} trainings are done; nothing is lost", result.done, result.of),
                fmt::format("go on with: agentnet tune --resume {}", folder.string()));
  }
  write_pictures(folder, result, plan.options.nested);
  if (arguments.json) {
    print_to(console.out, "{}", tuning_json(result, plan, data));
  } else if (!working) {
    print_result(console.text(), result, plan);
  }
  const char* place = plan.options.nested ? "fold-*/" : "";
  print_to(console.err, "results: {0}/results.json, {0}/trials.csv, {0}/{1}trials.svg\n", folder.string(), place);
  print_to(console.err, "the best: {0}/{1}best/config.toml and {0}/{1}best/model.safetensors\n", folder.string(),
           place);
}

}  // namespace

CommandRun define_tune(CLI::App& app) {
  auto arguments = std::make_shared<TuneArguments>();
  TuneOptions& options = arguments->options;
  add_settings_options(app, arguments->settings);
  app.remove_option(app.get_option("--print-config"));
  app.add_option("--trials", options.trials, "settings that are drawn from the space")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--budget", arguments->budget,
                 "time for training in all, as far as can be foretold: 90s, 30m, 2h; 0: no limit")
      ->capture_default_str();
  app.add_option("--space", options.space,
                 fmt::format("what is searched: {}, or a file (docs/tune.md)", join_text(space_names(), ", ")))
      ->capture_default_str();
  CLI::Option* grid = app.add_flag("--grid", options.grid, "every point of the space, each trained to the end");
  grid->excludes(app.get_option("--trials"));
  app.add_flag("--nested", options.nested, "a search in each fold of a cross-validation, for an honest mean");
  app.add_option("--folds", options.folds, "of --nested")
      ->check(CLI::Range(2, 1000000))
      ->needs(app.get_option("--nested"))
      ->capture_default_str();
  app.add_option("--keep", options.keep, "one trial of so many goes on to the next rung; 1: all")
      ->check(CLI::Range(1, 1000))
      ->excludes(grid)
      ->capture_default_str();
  app.add_option("--search-seed", options.seed, "of the draws from the space")->capture_default_str();
  app.add_option("--jobs", arguments->jobs, "trials at a time; they share the threads")->check(CLI::Range(1, 1024));
  add_memory_option(app, arguments->memory);
  app.add_option("-o,--output", arguments->output, "the folder of the search");
  app.add_flag("--force", arguments->force, "replace a search that is there");
  add_worker_options(app, {arguments->resume, arguments->worker, arguments->plan}, "search");
  app.add_flag("--json", arguments->json, "print the results as JSON");
  return [arguments, &app](const Console& console) {
    apply_memory_limit(arguments->memory);
    run_tune(*arguments, app, console);
  };
}

}  // namespace agentnet
