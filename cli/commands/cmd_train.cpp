// agentnet train DATA -o RUN: from labelled graphs to a tested model, in a folder that can be resumed.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>

#include "agentnet/error.h"
#include "command_list.h"
#include "core/counted.h"
#include "core/print.h"
#include "interrupt.h"
#include "options/settings_options.h"
#include "options/split_options.h"
#include "output/page_file.h"
#include "output/progress.h"
#include "output/results_table.h"
#include "run/rivals.h"
#include "run/run.h"
#include "run/run_folder.h"
#include "train/trainer.h"
#include "view/page/page_walks.h"
#include "view/page/run_page.h"

namespace agentnet {
namespace {

struct TrainArguments {
  SettingsArguments settings;
  std::string output, resume;
  bool force = false, json = false, safe_csv = false, no_rivals = false;
  std::string max_time, checkpoint_every = "60s";
  MemoryArguments memory;
};

// Few, so that the report costs little beside the training; agentnet view shows more.
constexpr std::size_t kWalksInReport = 12;

Split the_split(const Settings& settings, const Dataset& data, int threads, const Console& console) {
  std::vector<Split> splits = splits_of(data, {settings.split, settings.split_seed}, threads);
  tell_left_out(data, splits, settings.split, console);
  if (splits.size() == 1) return std::move(splits.front());
  throw Error(ErrorKind::kUsage,
              fmt::format("the split {} has {} folds, training needs one", settings.split, splits.size()),
              "train on all folds with agentnet cv");
}

std::string value_text(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); }

std::string progress_text(const RunProgress& p, const std::string& metric) {
  std::string text = fmt::format("epoch {}/{}  loss {:.4f}", p.epoch, p.epochs, p.loss);
  if (p.metric) text += fmt::format("  {} {}", metric, value_text(*p.metric));
  return text + fmt::format("  {} left  {:.0f} graphs/s", duration_text(p.seconds_left), p.graphs_per_second);
}

std::string epoch_text(const EpochRecord& record, const std::string& metric) {
  std::string text = fmt::format("epoch {:>4}  loss {:.4f}", record.epoch, record.loss);
  if (record.metric) {
    text += fmt::format("  valid {} {}{}", metric, value_text(*record.metric), record.best ? " (best)" : "");
  }
  return text + "  " + duration_text(record.seconds);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

RunControl control_of(const TrainArguments& arguments, double seconds_gone) {
  RunControl control;
  control.threads = arguments.settings.data.options.threads;
  if (!arguments.max_time.empty()) {
    control.max_seconds = parse_duration(arguments.max_time, "--max-time");
    if (control.max_seconds == 0) {
      throw Error(ErrorKind::kUsage, "--max-time 0 leaves no time to train", "give a time above 0: 90s, 10m, 2h");
    }
    // What reading the data took is gone; something is left, so that a session comes a little further.
    control.max_seconds = std::max(control.max_seconds - seconds_gone, 0.01 * control.max_seconds);
  }
  control.checkpoint_seconds = parse_duration(arguments.checkpoint_every, "--checkpoint-every");
  control.safe_csv = arguments.safe_csv;
  control.should_stop = InterruptGuard::interrupted;
  return control;
}

// What quick models say of the last part that was tested. Whatever goes wrong here is told, and costs the run nothing.
std::vector<Rival> rivals_of(const RunResult& result, const Settings& settings, const Dataset& data, const Split& split,
                             const TrainArguments& arguments, const Console& console, double seconds_left) {
  std::vector<Rival> rivals;
  if (arguments.no_rivals || arguments.json || result.parts.empty()) return rivals;
  const auto start = std::chrono::steady_clock::now();
  bool late = false;
  const auto stop = [&] {
    late = late || seconds_since(start) > seconds_left;
    return late || InterruptGuard::interrupted();
  };
  const std::vector<std::size_t>& graphs = split.test.empty() ? split.valid : split.test;
  try {
    for (const std::string& kind : quick_rivals(data, settings.model.kind)) {
      rivals.push_back(
          fit_rival(kind, data, split, graphs, settings.train, arguments.settings.data.options.threads, stop));
    }
  } catch (const std::exception& error) {
    print_to(console.err, "note: no{} quick models beside the result: {}\n", rivals.empty() ? "" : " more",
             late ? "the time is up" : error.what());
  }
  return rivals;
}

void tell_result(const RunResult& result, const std::vector<Rival>& rivals, const Settings& settings,
                 const std::string& folder, bool json, const Console& console) {
  if (result.ending == Ending::kInterrupted) {
    throw Error(ErrorKind::kInterrupted,
                fmt::format("interrupted in epoch {} of {}; nothing is lost", result.epochs + 1, settings.train.epochs),
                fmt::format("go on with: agentnet train --resume {}", folder));
  }
  if (result.ending != Ending::kFinished) {
    print_to(console.err, "{} after {} of {} epochs{}\n", ending_name(result.ending), result.epochs,
             settings.train.epochs,
             result.ending == Ending::kOutOfTime ? fmt::format("; agentnet train --resume {} goes on", folder) : "");
  }
  if (json) {
    std::ifstream summary(std::filesystem::path(folder) / "summary.json");
    console.out << summary.rdbuf();
  } else if (!result.parts.empty()) {
    print_results(console.text(), result, rivals);
  }
  for (const std::string& note : result.notes) print_to(json ? console.err : console.text(), "note: {}\n", note);
  print_to(console.err, "model of epoch {}: {}/model.safetensors ({:.1f} s)\n", result.best_epoch, folder,
           result.seconds);
}

// The page of the run, for the part that says most. Whatever goes wrong here is told, and costs the run nothing.
void write_report(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                  const Split& split, const RunResult& result, const TrainArguments& arguments,
                  const Console& console) {
  if (!has_viewer()) {
    print_to(console.err, "note: no {} is written: this build has no viewer (AGENTNET_WEB=OFF)\n", kReportFile);
    return;
  }
  try {
    const Model model = Model::load(run_model_file(folder));
    const PredictOptions predicting = run_prediction(settings, arguments.settings.data.options.threads);
    PageData page;
    const std::string part(part_to_show(split));
    page.title = page_title(settings.source, part);
    page.created = page_maker();
    page.model_file = run_model_file(folder).filename().string();
    page.model = &model;
    page.data = &data;
    page.graphs = graphs_of_part(split, part);
    page.training = {result.metric, result.history};
    Predictions of_train;  // where nothing else was predicted
    if (result.parts.empty()) {
      std::vector<GraphView> views;
      for (const std::size_t g : page.graphs) views.push_back(data.graphs.view(g));
      of_train = predict(model, views, predicting);
      page.predictions = &of_train;
    } else {
      const PartScores& scores = result.parts.back();
      page.predictions = &scores.predictions;
      page.baselines = {{result.constant_name, scores.constant}, {"without edges", scores.structure_blind}};
    }
    if (model.walks()) add_walks(page, {.graphs = kWalksInReport, .walks = predicting, .recorded = 2});
    write_page(folder / kReportFile, page, console);
  } catch (const std::exception& error) {
    print_to(console.err, "note: {} is not written: {}; the run itself is complete\n", kReportFile, error.what());
  }
}

void run_train(const TrainArguments& arguments, const CLI::App& app, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  const bool resuming = !arguments.resume.empty();
  const std::string& folder = resuming ? arguments.resume : arguments.output;
  SettingsLayers layers;
  if (resuming) {
    refuse_beside_resume(
        app,
        {"--threads", "--max-memory", "--json", "--max-time", "--checkpoint-every", "--print-config", "--safe-csv",
         "--verify", "--no-rivals", "--epochs"},
        fmt::format("agentnet train --resume {0} [--epochs N]; with other settings, start anew: agentnet train -c "
                    "{0}/config.toml -o ANOTHER",
                    arguments.resume));
    layers.file(run_config_file(folder));
  } else {
    layers = arguments.settings.layers();
  }
  Settings of_data = layers.data_settings();
  if (!of_data.source.empty()) keep_smiles(of_data.source, of_data.data, of_data.data);  // for the page
  const Dataset data = read_training_data(of_data, arguments.settings, console);
  Settings settings = settings_for(data, layers, console, /*tell=*/!resuming);
  if (arguments.settings.print_config) {
    print_to(console.out, "{}", to_toml(settings));
    return;
  }
  if (folder.empty()) {
    throw Error(ErrorKind::kUsage, "no folder given for the run", "name one with -o, for example -o run1");
  }
  const RunControl plain = control_of(arguments, seconds_since(start));
  const Split split = resuming && has_run_split(folder) ? read_run_split(folder, data)
                                                        : the_split(settings, data, plain.threads, console);
  check_training(data, split, settings.train);
  if (!resuming) make_run_folder(folder, arguments.force);
  if (const CLI::Option* epochs = app.get_option("--epochs"); resuming && epochs->count() > 0) {
    SettingsLayers checked;
    checked.flag_text("train.epochs", epochs->as<std::string>(), "--epochs");
    settings = extend_run(folder, settings, data, split, checked.data_settings().train.epochs);
  }

  const InterruptGuard guard;
  RunResult result;
  {
    ProgressLine progress(console);
    RunControl control = plain;
    const std::string metric = settings.train.metric;
    std::uint64_t epochs = settings.train.epochs;  // which a time limit may change
    control.say = [&](const std::string& line) { progress.print(line); };
    control.on_step = [&](const RunProgress& p) {
      epochs = p.epochs;
      progress.show(static_cast<double>(p.steps) / static_cast<double>(p.steps_in_all), progress_text(p, metric));
    };
    control.on_epoch = [&](const EpochRecord& record) {
      progress.print_plain(epoch_text(record, metric), record.epoch == epochs);
    };
    print_to(console.err, "training on {}, {} to choose by, {} to test on, {}\n", counted(split.train.size(), "graph"),
             split.valid.size(), split.test.size(), counted(control.threads, "thread"));
    result = run_training(folder, settings, data, split, control);
  }
  const double left = plain.max_seconds > 0 ? plain.max_seconds - result.seconds : 1e9;
  tell_result(result, rivals_of(result, settings, data, split, arguments, console, left), settings, folder,
              arguments.json, console);
  write_report(folder, settings, data, split, result, arguments, console);
  print_to(console.err, "next: agentnet predict {}/model.safetensors NEW-DATA -o predictions.csv\n", folder);
}

}  // namespace

CommandRun define_train(CLI::App& app) {
  auto arguments = std::make_shared<TrainArguments>();
  add_settings_options(app, arguments->settings);
  app.add_option("-o,--output", arguments->output, "the folder of the run");
  app.add_flag("--force", arguments->force, "replace a run that is there");
  app.add_option("--resume", arguments->resume,
                 "go on with the run in this folder; --epochs N makes it longer, whether it has ended or not");
  add_memory_option(app, arguments->memory);
  app.add_option(
      "--max-time", arguments->max_time,
      "be done after this time in all, test and page included: 90s, 10m, 2h; a new run has as many epochs as "
      "fit");
  app.add_option("--checkpoint-every", arguments->checkpoint_every, "time between checkpoints")->capture_default_str();
  app.add_flag("--json", arguments->json, "print the summary as JSON");
  app.add_flag("--safe-csv", arguments->safe_csv, std::string("in predictions.csv, ") + kSafeCsvHelp);
  app.add_flag("--no-rivals", arguments->no_rivals, "do not show quick models (wl, forest) beside the result");
  return [arguments, &app](const Console& console) {
    apply_memory_limit(arguments->memory);
    run_train(*arguments, app, console);
  };
}

}  // namespace agentnet
