// agentnet compare DATA: which model is the right tool for this data, and which differences are real.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include "agentnet/compare.h"
#include "agentnet/error.h"
#include "command_list.h"
#include "core/files/whole_file.h"
#include "core/print.h"
#include "interrupt.h"
#include "options/settings_options.h"
#include "output/progress.h"
#include "output/scratch_folder.h"
#include "view/pictures/comparison_plot.h"

namespace agentnet {
namespace {

struct CompareArguments {
  SettingsArguments settings;
  std::vector<std::string> models;
  std::string output, resume, worker, protocol = "fair", budget = "30m";
  std::size_t folds = 10;
  std::uint64_t seeds = 1;
  int jobs = 0;
  MemoryArguments memory;
  bool force = false, json = false, plan = false;

  // The folder of a comparison that is there; empty for a new one.
  [[nodiscard]] const std::string& there() const { return worker.empty() ? resume : worker; }
};

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-"; }

std::string size_text(double bytes) { return bytes > 0 ? fmt::format("{:.0f} MB", bytes / 1048576) : "-"; }

std::string seconds_text(double seconds) {
  if (seconds <= 0) return "-";
  if (seconds < 1e-3) return fmt::format("{:.0f} us", 1e6 * seconds);
  return seconds < 1 ? fmt::format("{:.1f} ms", 1e3 * seconds) : fmt::format("{:.1f} s", seconds);
}

void print_table(std::ostream& out, const Comparison& comparison) {
  print_to(out, "{}, protocol {}, {} seed{}\n{}\n\n", comparison.metric, comparison.protocol, comparison.seeds,
           comparison.seeds == 1 ? "" : "s", comparison.folds_in_words);
  print_to(out, "  {:<15} {:>8} {:>8} {:>9} {:>7} {:>11} {:>9} {:>11} {:>8}\n", "", "mean", "error", "to best", "p",
           "parameters", "training", "prediction", "memory");
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    const ComparisonRow& row = comparison.rows[r];
    const bool best = r == comparison.best;
    print_to(out, "  {:<15} {:>8} {:>8} {:>9} {:>7} {:>11} {:>9} {:>11} {:>8}\n", row.name, cell(row.statistics.mean),
             cell(row.statistics.error), best ? "best" : cell(row.to_best.difference),
             best ? "" : fmt::format("{:.3f}", row.p), row.parameters > 0 ? fmt::format("{:.0f}", row.parameters) : "-",
             seconds_text(row.train_seconds), seconds_text(row.predict_seconds), size_text(row.memory));
  }
  print_to(out,
           "\n  training: of a fold; prediction: of a graph, one thread; memory: most of the process meanwhile;\n"
           "  p: corrected resampled t-test against the best, corrected for {} comparisons (Holm)\n",
           comparison.rows.empty() ? 0 : comparison.rows.size() - 1);
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.note.empty()) print_to(out, "  {}: {}\n", row.name, row.note);
  }
  print_to(out, "\n{}\n", comparison.verdict);
}

Comparison run_models(const std::filesystem::path& folder, const std::vector<ComparedModel>& models,
                      const Dataset& data, const CompareOptions& options, const CompareArguments& arguments,
                      const Console& console) {
  const InterruptGuard guard;
  ProgressLine line(console);
  CompareControl control;
  control.threads = arguments.settings.data.options.threads;
  control.jobs = arguments.jobs;
  control.worker = !arguments.worker.empty();
  control.should_stop = InterruptGuard::interrupted;
  control.say = [&](const std::string& text) { line.print(text); };
  control.on_progress = [&](const std::string& model, const CvProgress& p) {
    line.show(p.fraction, fmt::format("{}: {} of {} folds done  {} left", model, p.folds_done, p.folds,
                                      duration_text(p.seconds_left)));
  };
  return compare_models(folder, models, data, options, control);
}

CompareOptions options_of(const CompareArguments& arguments, const CLI::App& app) {
  CompareOptions options;
  options.models = arguments.models;
  options.cv.protocols = protocols_named(arguments.protocol);
  if (options.cv.protocols.size() != 1) {
    throw Error(ErrorKind::kUsage, "a comparison goes by one protocol", "choose fair, gin or agentnet");
  }
  options.cv.folds = arguments.folds;
  options.cv.split = arguments.settings.split;
  if (!options.cv.split.empty() && app.count("--folds") > 0) {
    throw Error(ErrorKind::kUsage, "--folds and --split exclude each other", "leave out one of them");
  }
  options.seeds = arguments.seeds;
  options.budget = parse_duration(arguments.budget, "--budget");
  if (!(options.budget > 0)) {
    throw Error(ErrorKind::kUsage, "--budget 0 leaves no time to train", "give a time above 0: 90s, 10m, 2h");
  }
  return options;
}

void run_compare(const CompareArguments& arguments, const CLI::App& app, const Console& console) {
  const std::string& there = arguments.there();
  const bool resuming = !there.empty(), working = !arguments.worker.empty();
  CompareOptions options;
  SettingsLayers layers;
  if (resuming) {
    refuse_beside_resume(app, {"--worker", "--jobs", "--threads", "--max-memory", "--json", "--verify"},
                         fmt::format("agentnet compare --resume {}", there));
    layers.file(compare_config_file(there));
  } else {
    options = options_of(arguments, app);
    layers = arguments.settings.layers();
  }
  const Dataset data = read_training_data(layers.data_settings(), arguments.settings, console);
  const int threads = arguments.settings.data.options.threads;
  std::optional<ScratchFolder> scratch;
  std::filesystem::path folder = resuming ? there : arguments.output;
  const bool kept = !folder.empty();
  std::vector<ComparedModel> models;
  if (resuming) {
    models = read_comparison(folder, data, options);
  } else {
    std::vector<std::string> left_out;
    models = plan_comparison(data, layers, options, threads, arguments.jobs, left_out);
    for (const ComparedModel& model : models) {
      check_protocols(options.cv, model.settings.front().train);
      for (const Settings& settings : model.settings) check_folds(options.cv, settings, data);
    }
    if (!kept && arguments.plan) throw no_place_for_a_plan("comparison");
    if (!kept) folder = scratch.emplace().path() / "comparison";
    make_compare_folder(folder, models, options, data, arguments.force);
    for (const std::string& line : left_out) print_to(console.err, "note: {}\n", line);
    for (const ComparedModel& model : models) {
      if (!model.note.empty()) print_to(console.err, "note: {}: {}\n", model.name, model.note);
    }
  }
  if (arguments.plan) {
    tell_plan("compare", folder.string(), console);
    return;
  }
  const Comparison result = run_models(folder, models, data, options, arguments, console);
  if (result.interrupted) {
    throw Error(ErrorKind::kInterrupted,
                fmt::format("interrupted, {} of {} cross-validations are done{}", result.done, result.of,
                            kept ? "; nothing is lost" : " and nothing is kept"),
                kept ? fmt::format("go on with: agentnet compare --resume {}", folder.string())
                     : "with -o FOLDER, a comparison can be resumed");
  }
  if (arguments.json) {
    print_to(console.out, "{}", comparison_json(result));
  } else if (!working) {
    print_table(console.text(), result);
  }
  if (!kept) return;
  write_whole_file(folder / "comparison.svg", comparison_svg(result), FileSystem::real());
  print_to(console.err, "results: {0}/results.json, {0}/results.csv, {0}/comparison.svg\n", folder.string());
}

}  // namespace

CommandRun define_compare(CLI::App& app) {
  auto arguments = std::make_shared<CompareArguments>();
  add_settings_options(app, arguments->settings);
  for (const char* name : {"--model", "--hidden", "--agents", "--steps", "--max-neighbours", "--print-config"}) {
    app.remove_option(app.get_option(name));  // of one model; a comparison has several
  }
  app.add_option("--models", arguments->models,
                 "kinds of models, with commas between them; default: those that suit the data within the budget")
      ->delimiter(',');
  app.add_option("--protocol", arguments->protocol, "as agentnet cv has them: fair, gin or agentnet")
      ->capture_default_str();
  app.add_option("--folds", arguments->folds, "parts that are held out in turn")
      ->check(CLI::Range(2, 1000000))
      ->capture_default_str();
  app.add_option("--seeds", arguments->seeds, "repetitions, each with other folds")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--budget", arguments->budget, "time for training in all, which networks share evenly: 90s, 30m, 2h")
      ->capture_default_str();
  app.add_option("--jobs", arguments->jobs, "folds at a time; they share the threads")->check(CLI::Range(1, 1024));
  add_memory_option(app, arguments->memory);
  app.add_option("-o,--output", arguments->output, "the folder of the comparison; else nothing is kept");
  app.add_flag("--force", arguments->force, "replace a comparison that is there");
  add_worker_options(app, {arguments->resume, arguments->worker, arguments->plan}, "comparison");
  app.add_flag("--json", arguments->json, "print the results as JSON");
  app.get_option("--split")->description(
      "folds of your own: kfold:5, stratified-kfold:5, column:NAME or file:PATH (numbers of folds)");
  return [arguments, &app](const Console& console) {
    apply_memory_limit(arguments->memory);
    run_compare(*arguments, app, console);
  };
}

}  // namespace agentnet
