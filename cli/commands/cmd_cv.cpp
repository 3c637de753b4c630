// agentnet cv DATA: what settings are worth on a set of graphs, by cross-validation, with the protocol in words.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "agentnet/compare.h"
#include "agentnet/error.h"
#include "command_list.h"
#include "core/counted.h"
#include "core/number.h"
#include "core/print.h"
#include "core/text.h"
#include "interrupt.h"
#include "options/settings_options.h"
#include "options/split_options.h"
#include "output/progress.h"
#include "output/scratch_folder.h"
#include "run/rivals.h"

namespace agentnet {
namespace {

struct CvArguments {
  SettingsArguments settings;
  std::string output, resume, worker, protocol = "fair", max_time;
  std::vector<std::string> only_folds;
  std::size_t folds = 10;
  bool folds_given = false, protocol_given = false;
  int jobs = 0;
  MemoryArguments memory;
  bool force = false, json = false, safe_csv = false, no_rivals = false, plan = false;

  // The folder of a cross-validation that is there; empty for a new one.
  [[nodiscard]] const std::string& there() const { return worker.empty() ? resume : worker; }
};

// "0,3,5-7" as numbers of folds.
std::vector<std::size_t> folds_named(const std::vector<std::string>& texts) {
  std::vector<std::size_t> folds;
  constexpr std::uint64_t kMost = 1'000'000;
  for (const std::string& text : texts) {
    const std::size_t dash = text.find('-');
    const auto first = parse_count(text.substr(0, dash));
    const auto last = dash == std::string::npos ? first : parse_count(text.substr(dash + 1));
    if (!first || !last || *first > *last || *last > kMost) {
      throw Error(ErrorKind::kUsage, fmt::format("--only-folds: {} is no fold", in_quotes(text)),
                  "give their numbers, from 0: --only-folds 0,3 or --only-folds 0-4");
    }
    for (std::uint64_t fold = *first; fold <= *last; ++fold) folds.push_back(fold);
  }
  return folds;
}

// What was asked for. --split must have several folds; a split that a file or preset names for a single training is no
// mistake, folds are then made.
CvOptions options_of(const CvArguments& arguments, const SettingsLayers& layers, const Dataset& data,
                     const Console& console) {
  CvOptions options;
  options.protocols = protocols_named(arguments.protocol);
  options.folds = arguments.folds;
  const Settings said = layers.data_settings();
  const bool in_command = !arguments.settings.split.empty() ||
                          std::ranges::any_of(arguments.settings.set, [](const std::string& assignment) {
                            return assignment.starts_with("data.split=");
                          });
  if (in_command && arguments.folds_given) {
    throw Error(ErrorKind::kUsage, "--folds and --split exclude each other", "leave out one of them");
  }
  if (in_command) {
    options.split = said.split;
  } else if (!said.split.empty() && arguments.folds_given) {
    print_to(console.err, "note: {} folds are made instead of the split {}\n", options.folds, said.split);
  } else if (!said.split.empty()) {
    options.split = said.split;
    try {
      static_cast<void>(protocol_folds(data, options.protocols.front(), options, said.split_seed));
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::kUsage) throw;
      print_to(console.err, "note: {}; {} folds are made instead\n", e.what(), options.folds);
      options.split.clear();
    }
  }
  return options;
}

std::string cell(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); }

// A row: its name, the graphs it is about, and numbers under the heads.
void print_row(std::ostream& out, const std::string& name, const std::string& graphs,
               const std::vector<std::string>& heads, const std::vector<double>& values) {
  print_to(out, "  {:<18}  {:>6}", name, graphs);
  for (std::size_t c = 0; c < heads.size(); ++c) {
    print_to(out, "  {:>{}}", cell(values[c]), std::max<std::size_t>(heads[c].size(), 7));
  }
  print_to(out, "\n");
}

void print_protocol(std::ostream& out, const ProtocolResult& result, const CvResult& all) {
  const bool fair = result.protocol == Protocol::kFair;
  print_to(out, "protocol {}\n", protocol_name(result.protocol));
  for (std::size_t at = 0; at < result.description.size();) {  // a sentence per line
    std::size_t end = result.description.find(". ", at);
    end = end == std::string::npos ? result.description.size() : end + 1;
    print_to(out, "  {}\n", result.description.substr(at, end - at));
    at = end + 1;
  }
  std::vector<std::string> heads = {all.metric, all.constant_name, "without edges"};
  if (!fair) heads.insert(heads.begin() + 1, "last epoch");
  print_to(out, "\n  {:<18}  graphs", "");
  for (const std::string& head : heads) print_to(out, "  {:>7}", head);
  print_to(out, "\n");
  const auto row = [&](const std::string& name, const std::string& graphs, double model, double last, double constant,
                       double blind) {
    std::vector<double> values = {model, constant, blind};
    if (!fair) values.insert(values.begin() + 1, last);
    print_row(out, name, graphs, heads, values);
  };
  for (const FoldResult& fold : result.folds) {
    row(fair ? fmt::format("fold {} (epoch {})", fold.fold, fold.epoch) : fmt::format("fold {}", fold.fold),
        std::to_string(fold.tested), fold.value, fold.last_epoch, score_named(fold.constant, all.metric),
        score_named(fold.structure_blind, all.metric));
  }
  const auto statistic = [&](const std::string& name, double FoldStatistics::*field) {
    row(name, "", result.model.*field, result.last_epoch.*field, result.constant.*field, result.structure_blind.*field);
  };
  statistic("mean", &FoldStatistics::mean);
  statistic("standard deviation", &FoldStatistics::deviation);
  statistic("standard error", &FoldStatistics::error);
  print_to(out, "\n  {:<18}  {:>7}  {:>14}  {:>7}  {:>7}\n", "every metric", "mean", "standard error",
           all.constant_name, "without edges");
  for (const MetricResult& metric : result.metrics) {
    if (metric.model.folds == 0) continue;
    print_to(out, "  {:<18}  {:>7}  {:>14}  {:>{}}  {:>13}\n", metric.metric, cell(metric.model.mean),
             cell(metric.model.error), cell(metric.constant.mean), std::max<std::size_t>(all.constant_name.size(), 7),
             cell(metric.structure_blind.mean));
  }
  if (result.model.folds < result.folds.size()) {
    print_to(out, "  {} is not defined in {} of {} folds, which are left out\n", all.metric,
             result.folds.size() - result.model.folds, result.folds.size());
  }
}

void print_all(std::ostream& out, const CvResult& result) {
  bool first = true;
  for (const ProtocolResult& protocol : result.protocols) {
    if (!std::exchange(first, false)) print_to(out, "\n");
    print_protocol(out, protocol, result);
  }
  if (result.protocols.size() < 2) return;
  print_to(out, "\n{} by protocol (mean and standard error)\n", result.metric);
  for (const ProtocolResult& protocol : result.protocols) {
    print_to(out, "  {:<10} {} +- {}   {}\n", protocol_name(protocol.protocol), cell(protocol.model.mean),
             cell(protocol.model.error),
             protocol.protocol == Protocol::kFair ? "no choice has seen the test graphs"
                                                  : "the epoch is chosen on the test graphs: optimistic");
  }
}

std::string fold_text(Protocol protocol, std::size_t fold, const RunResult& run) {
  std::string text = fmt::format("{} fold {}: {}", protocol_name(protocol), fold, counted(run.epochs, "epoch"));
  const auto value = [&](const Scores& scores) { return cell(score_named(scores, run.metric)); };
  if (protocol == Protocol::kFair && !run.parts.empty()) {
    text += fmt::format(", test {} {} (epoch {})", run.metric, value(run.parts.back().model), run.best_epoch);
  } else if (!run.history.empty()) {
    text += fmt::format(", last {} {}", run.metric, value(run.history.back().valid));
  }
  return text + ", " + duration_text(run.seconds);
}

CvResult run_folds(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                   const CvOptions& options, const CvArguments& arguments, const Console& console) {
  const InterruptGuard guard;
  ProgressLine line(console);
  CvControl control;
  control.threads = arguments.settings.data.options.threads;
  control.jobs = arguments.jobs;
  control.safe_csv = arguments.safe_csv;
  control.worker = !arguments.worker.empty();
  control.only = folds_named(arguments.only_folds);
  if (!arguments.max_time.empty()) {
    control.max_seconds = parse_duration(arguments.max_time, "--max-time");
    if (control.max_seconds == 0) {
      throw Error(ErrorKind::kUsage, "--max-time 0 leaves no time to train", "give a time above 0: 90s, 10m, 2h");
    }
  }
  control.should_stop = InterruptGuard::interrupted;
  control.say = [&](const std::string& text) { line.print(text); };
  control.on_fold = [&](Protocol protocol, std::size_t fold, const RunResult& run) {
    line.print_plain(fold_text(protocol, fold, run), true);
  };
  control.on_progress = [&](const CvProgress& p) {
    line.show(p.fraction, fmt::format("{}: {} of {} folds done  {} left", protocol_name(p.protocol), p.folds_done,
                                      p.folds, duration_text(p.seconds_left)));
  };
  return cross_validate(folder, settings, data, options, control);
}

void tell(const CvResult& result, const std::filesystem::path& folder, bool kept, const Settings& settings,
          const Dataset& data, const CvArguments& arguments, const Console& console) {
  const std::vector<std::string>& only = arguments.only_folds;
  const std::string go_on = kept ? fmt::format("go on with: agentnet cv --resume {}{}", folder.string(),
                                               only.empty() ? "" : " --only-folds " + join_text(only, ","))
                                 : "with -o FOLDER, a cross-validation can be resumed";
  if (result.interrupted) {
    throw Error(ErrorKind::kInterrupted,
                fmt::format("interrupted, {} of {} folds are done{}", result.done, result.of,
                            kept ? "; nothing is lost" : " and nothing is kept"),
                go_on);
  }
  if (result.out_of_time) {
    if (result.protocols.empty()) {
      throw Error(ErrorKind::kFailure, fmt::format("out of time, and none of {} folds is done", result.of), go_on);
    }
    print_to(console.err, "note: out of time, {} of {} folds are done; {}\n", result.done, result.of, go_on);
  }
  if (arguments.json) {
    print_to(console.out, "{}", results_json(result, settings, data));
  } else {
    print_all(console.text(), result);
  }
  if (kept) {
    print_to(console.err, "results: {0}/results.json, {0}/results.csv; each fold has a folder with its model\n",
             folder.string());
  }
}

// Quick models on the same folds, below the result.
void tell_rivals(const CvResult& result, const Settings& settings, const Dataset& data, const CvOptions& options,
                 const CvArguments& arguments, const Console& console) {
  const std::vector<std::string> rivals = quick_rivals(data, settings.model.kind);
  if (arguments.no_rivals || arguments.json || rivals.empty()) return;
  const InterruptGuard guard;
  const int threads = arguments.settings.data.options.threads;
  print_to(console.text(), "\nquick models on the same folds, {} (mean and standard error)\n", result.metric);
  for (const ProtocolResult& protocol : result.protocols) {
    for (const std::string& kind : rivals) {
      const FoldStatistics rival = cross_validate_rival(kind, data, settings, protocol.protocol, options,
                                                        protocol.folds, threads, InterruptGuard::interrupted);
      print_to(console.text(), "  {:<10} {} +- {}   {} folds\n", kind, cell(rival.mean), cell(rival.error),
               protocol_name(protocol.protocol));
    }
  }
}

void run_cv(const CvArguments& arguments, const CLI::App& app, const Console& console) {
  const std::string& there = arguments.there();
  const bool resuming = !there.empty(), working = !arguments.worker.empty();
  SettingsLayers layers;
  if (resuming) {
    refuse_beside_resume(app,
                         {"--worker", "--jobs", "--threads", "--max-memory", "--json", "--safe-csv", "--verify",
                          "--no-rivals", "--max-time", "--only-folds"},
                         fmt::format("agentnet cv --resume {}", there));
    layers.file(cv_config_file(there));
  } else {
    layers = arguments.settings.layers();
    static_cast<void>(protocols_named(arguments.protocol));  // before the data is read
  }
  const Dataset data = read_training_data(layers.data_settings(), arguments.settings, console);
  if (resuming) check_cv_data(there, data);
  const CvOptions options = resuming ? read_cv_options(there) : options_of(arguments, layers, data, console);
  if (!resuming) {
    const std::uint64_t seed = layers.data_settings().split_seed;
    const ProtocolFolds folds = protocol_folds(data, options.protocols.front(), options, seed);
    tell_left_out(data, folds.splits, folds.spec, console);
    layers.flag("data.split", folds.spec, "--split");
    if (!arguments.protocol_given) {
      print_to(
          console.err,
          "note: protocol fair, in which no choice sees the test graphs; published tables are made with --protocol "
          "gin, which is optimistic\n");
    }
  }
  Settings settings = settings_for(data, layers, console);
  if (arguments.settings.print_config) {
    settings.split = options.split;  // folds that each protocol makes for itself are no setting
    print_to(console.out, "{}", to_toml(settings));
    return;
  }
  check_protocols(options, settings.train);

  std::optional<ScratchFolder> scratch;
  std::filesystem::path folder = resuming ? there : arguments.output;
  const bool kept = !folder.empty();
  if (!kept && arguments.plan) throw no_place_for_a_plan("cross-validation");
  if (!kept) folder = scratch.emplace().path();
  check_folds(options, settings, data);
  if (!resuming) make_cv_folder(folder, settings, options, data, arguments.force);
  if (arguments.plan) {
    tell_plan("cv", folder.string(), console);
    return;
  }
  const CvResult result = run_folds(folder, settings, data, options, arguments, console);
  if (working && !result.interrupted && !result.out_of_time && !arguments.json) {
    print_to(console.err, "results: {0}/results.json, {0}/results.csv\n", folder.string());
    return;
  }
  tell(result, folder, kept, settings, data, arguments, console);
  tell_rivals(result, settings, data, options, arguments, console);
}

}  // namespace

CommandRun define_cv(CLI::App& app) {
  auto arguments = std::make_shared<CvArguments>();
  add_settings_options(app, arguments->settings);
  const CLI::Option* folds = app.add_option("--folds", arguments->folds, "parts that are held out in turn")
                                 ->check(CLI::Range(2, 1000000))
                                 ->capture_default_str();
  app.add_option("--protocol", arguments->protocol,
                 "fair: stratified folds, the epoch is chosen inside the training part; gin: the epoch with the best "
                 "mean over the folds; agentnet: the same, not stratified; all")
      ->capture_default_str();
  app.add_option("--only-folds", arguments->only_folds,
                 "run only these, from 0: 0,3 or 0-4; the result stands on all that are done in the folder")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--max-time", arguments->max_time,
                 "stop after this time: 90s, 10m, 2h; the result stands on the folds that are done");
  app.add_option("--jobs", arguments->jobs, "folds at a time; they share the threads")->check(CLI::Range(1, 1024));
  add_memory_option(app, arguments->memory);
  app.add_option("-o,--output", arguments->output, "the folder of the folds' runs; else nothing is kept");
  app.add_flag("--force", arguments->force, "replace a cross-validation that is there");
  add_worker_options(app, {arguments->resume, arguments->worker, arguments->plan}, "cross-validation");
  app.add_flag("--json", arguments->json, "print the results as JSON");
  app.add_flag("--safe-csv", arguments->safe_csv, std::string("in the folds' predictions.csv, ") + kSafeCsvHelp);
  app.add_flag("--no-rivals", arguments->no_rivals, "do not show quick models (wl, forest) beside the result");
  app.get_option("--split")->description(
      "folds of your own: kfold:5, stratified-kfold:5, scaffold-kfold:5, column:NAME or file:PATH (numbers of folds)");
  return [arguments, folds, &app](const Console& console) {
    arguments->folds_given = folds->count() > 0;
    arguments->protocol_given = app.count("--protocol") > 0;
    apply_memory_limit(arguments->memory);
    run_cv(*arguments, app, console);
  };
}

}  // namespace agentnet
