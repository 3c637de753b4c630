// agentnet paper: the paper's experiments, by name, with its figures beside ours.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <thread>
#include <vector>

#include "agentnet/error.h"
#include "cache_folder.h"
#include "command_list.h"
#include "core/number.h"
#include "core/print.h"
#include "core/text.h"
#include "interrupt.h"
#include "output/paper_figure.h"
#include "output/progress.h"
#include "paper/aligned_table.h"
#include "paper/methods.h"
#include "paper/public_data.h"
#include "paper/results.h"
#include "paper/run_experiment.h"
#include "paper/set_sizes.h"
#include "paper/tables.h"

namespace agentnet {
namespace {

struct PaperArguments {
  std::string action;
  std::vector<std::string> names;
  std::string scale = "small", data, output = "paper", model, format = "markdown";
  std::size_t seeds = 0;  // 0: as the experiment has it
  std::vector<std::string> set;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool json = false, toml = false, grid = false;
};

std::vector<const Experiment*> chosen(const PaperArguments& arguments) {
  if (arguments.names.empty()) {
    throw Error(
        ErrorKind::kUsage, "no experiment named",
        fmt::format("agentnet paper list shows all of them; for example: agentnet paper {} 4cycles", arguments.action));
  }
  std::vector<const Experiment*> all;
  for (const std::string& name : arguments.names) {
    for (const Experiment* experiment : experiments_named(name)) {
      if (std::find(all.begin(), all.end(), experiment) == all.end()) all.push_back(experiment);
    }
  }
  return all;
}

// AgentNet is what an experiment is about: no method of another name.
std::string method_of(const PaperArguments& arguments) {
  if (arguments.model.empty() || arguments.model == "agentnet") return "";
  return method_named(arguments.model).name;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

void list(const Console& console) {
  std::vector<std::array<std::string, 4>> rows = {{"experiment", "group", "paper", "what is learned"}};
  for (const Experiment& e : experiments()) {
    rows.push_back({e.name, or_dash(e.group), or_dash(e.paper), fmt::format("{} ({})", e.summary, e.place)});
  }
  std::array<std::size_t, 3> widths = {};
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      line += row[c] + std::string(widths[c] - width_of(row[c]) + 2, ' ');
    }
    print_to(console.text(), "{}{}\n", line, row.back());
  }
  print_to(console.err,
           "next: agentnet paper show NAME, agentnet paper run NAME; a group runs all of its experiments\n");
}

// In full where the data is at hand; else what the experiment itself says.
std::string settings_text(const Experiment& experiment, Scale scale, const PaperArguments& arguments) {
  std::optional<std::string> source;
  if (is_built_in(experiment)) {
    source = training_graphs(experiment, method_of(arguments), scale, 0, arguments.set);
  } else {
    source = public_set_as_it_is(experiment.data, cache_folder(arguments.data, "--data"));
  }
  const SettingsLayers layers =
      experiment_settings(experiment, method_of(arguments), scale, 0, source.value_or(experiment.data), arguments.set);
  Settings settings = layers.data_settings();
  if (!source) {
    return "# The data is not at hand: what it would decide has its default here.\n" + to_toml(settings);
  }
  settings.data.threads = arguments.threads;
  return to_toml(resolved_settings(layers, read_data(settings.source, settings.data)));
}

std::string same_by_hand(const Experiment& e, Scale scale) {
  const std::string name = e.name + ".toml";
  std::string text = fmt::format("  agentnet paper show {} --scale {} --toml > {}\n", e.name, scale_name(scale), name);
  if (e.test_on == TestOn::kFolds) {
    return text + fmt::format("  agentnet cv -c {} --protocol gin -o run\n", name);
  }
  if (e.test_on == TestOn::kWhileLearning) return "  agentnet paper run " + e.name + "\n";  // has a split of its own
  text += fmt::format("  agentnet train -c {} -o run\n", name);
  if (e.test_on == TestOn::kFreshGraphs) {
    text += fmt::format("  agentnet eval run/model.safetensors '{}' --rollouts 8\n", fresh_graphs(e, scale, 0));
  }
  return text;
}

std::string tested_how(const Experiment& e, const ScaledSettings& scaled) {
  switch (e.test_on) {
    case TestOn::kFreshGraphs:
      return fmt::format("{} fresh graphs; learned from {}", scaled.fresh,
                         e.one_batch ? "one batch of them, all in every step" : std::to_string(scaled.graphs));
    case TestOn::kWhileLearning:
      return fmt::format("{} fresh graphs, every few steps; learned from one batch of them, all in every step",
                         scaled.fresh);
    case TestOn::kFolds:
      return fmt::format("{} folds, protocol gin", scaled.folds);
    case TestOn::kSplit:
      break;
  }
  return "the test part; the epoch is chosen on the valid part";
}

void show(const PaperArguments& arguments, const Console& console) {
  const Scale scale = scale_from_name(arguments.scale);
  bool first = true;
  for (const Experiment* e : chosen(arguments)) {
    const std::string toml = settings_text(*e, scale, arguments);
    if (!std::exchange(first, false)) print_to(console.text(), "\n");
    if (arguments.toml) {
      print_to(console.out, "{}", toml);
      continue;
    }
    const auto line = [&](const char* what, const std::string& text) {
      if (!text.empty()) print_to(console.text(), "{:<10} {}\n", what, text);
    };
    print_to(console.text(), "{}: {}\n", e->name, e->summary);
    line("paper", fmt::format("{}: {} {}{}", e->place, e->metric, or_dash(e->paper), e->unit == 0.01 ? " %" : ""));
    line("others", e->others);
    line("data", e->data);
    line("tested on", tested_how(*e, e->at(scale)));
    line("scale",
         fmt::format("{}, {} {}", scale_name(scale), e->at(scale).seeds, e->at(scale).seeds == 1 ? "seed" : "seeds"));
    line("note", e->note);
    print_to(console.text(), "\nSeed 0 by hand:\n{}\nSettings of seed 0:\n\n{}", same_by_hand(*e, scale), toml);
  }
}

std::string same_command(const PaperArguments& arguments) {
  std::string text = fmt::format("agentnet paper run {} --scale {} -o {}", join_text(arguments.names, " "),
                                 arguments.scale, arguments.output);
  if (!arguments.model.empty()) text += fmt::format(" --model {}", arguments.model);
  if (arguments.seeds > 0) text += fmt::format(" --seeds {}", arguments.seeds);
  if (!arguments.data.empty()) text += fmt::format(" --data {}", arguments.data);
  if (arguments.grid) text += " --grid";
  for (const std::string& assignment : arguments.set) text += fmt::format(" --set '{}'", assignment);
  return text;
}

void run(const PaperArguments& arguments, const Console& console) {
  const std::vector<const Experiment*> all = chosen(arguments);
  PaperOptions options;
  options.scale = scale_from_name(arguments.scale);
  options.method = method_of(arguments);
  if (arguments.seeds > 0) options.seeds = arguments.seeds;
  options.set = arguments.set;
  options.folder = arguments.output;
  check_results_folder(options.folder);
  for (const Experiment* e : all) {  // what is missing is said before anything begins
    if (arguments.grid && grid_points(*e, options.method).empty()) {
      throw Error(ErrorKind::kUsage, fmt::format("the paper searched no grid for {}", e->name),
                  "leave out --grid, or vary settings with --set");
    }
    if (is_built_in(*e)) continue;
    if (options.data.empty()) options.data = cache_folder(arguments.data, "--data");
    static_cast<void>(experiment_source(*e, options, 0));
  }

  bool finished = true;
  {
    const InterruptGuard guard;
    ProgressLine line(console);
    PaperControl control;
    control.threads = arguments.threads;
    control.should_stop = InterruptGuard::interrupted;
    control.say = [&](const std::string& text) { line.print(text); };
    TimeLeft left;  // of the seed that is at work
    const auto began = std::chrono::steady_clock::now();
    double told = 0;  // when a log was told of it last
    control.on_progress = [&](double fraction, const std::string& text) {
      constexpr double kBetween = 60;
      const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      const std::string time = left.text(fraction, now);
      const std::string words = time.empty() ? text : text + ", " + time;
      line.show(fraction, words);
      if (now - told < kBetween) return;
      told = now;
      line.print_plain(fmt::format("{:.0f} %  {}", 100 * fraction, words), true);
    };
    for (const Experiment* e : all) {
      std::vector<GridPoint> points(1);  // the experiment's own settings
      if (arguments.grid) points = grid_points(*e, options.method);
      for (const GridPoint& point : points) {
        options.point = point;
        finished = run_experiment(*e, options, control);
        const auto results = collect_results(options.folder);
        if (!results.empty()) write_results(options.folder, results);
        if (!finished) break;
      }
      if (!finished) break;
    }
  }
  if (!finished) {
    throw Error(ErrorKind::kInterrupted, "interrupted; nothing is lost", "go on with: " + same_command(arguments));
  }
  std::vector<ExperimentResult> ours;  // there may be more in the folder
  for (ExperimentResult& result : collect_results(options.folder)) {
    if (result.method == options.method && result.point.empty() != arguments.grid &&
        std::find(all.begin(), all.end(), result.experiment) != all.end()) {
      ours.push_back(std::move(result));
    }
  }
  print_to(arguments.json ? console.out : console.text(), "{}",
           arguments.json ? results_json(ours) : results_markdown(ours));
  print_to(console.err, "results: {0}/results.md, {0}/results.csv\n", arguments.output);
}

constexpr std::uint64_t kTableOfSizes = 4;

// Table 4: nothing is run for it, the sets at hand are counted.
PaperTable count_sets(const PaperArguments& arguments, const Console& console) {
  SizesOptions options;
  options.data = cache_folder(arguments.data, "--data");
  options.made = std::filesystem::path(arguments.output) / "data";
  options.threads = arguments.threads;
  options.say = [&](const std::string& text) { print_to(console.err, "{}\n", text); };
  return set_sizes_table(options);
}

void figure(const PaperArguments& arguments, const Console& console) {
  if (arguments.names.size() != 1) {
    throw Error(ErrorKind::kUsage, "name one figure: 2a, 2d, 4 or 5", "for example: agentnet paper figure 4 > 4.svg");
  }
  print_to(console.out, "{}", paper_figure_svg(arguments.names.front(), collect_results(arguments.output)));
}

// The paper's tables with what is done in the folder.
void tables(const PaperArguments& arguments, const Console& console) {
  std::vector<const PaperTable*> chosen_tables;
  std::optional<PaperTable> sizes;
  for (const std::string& name : arguments.names) {
    const auto number = parse_count(name);
    if (!number || *number > 1000) {
      throw Error(ErrorKind::kUsage, fmt::format("{} is not the number of a table", in_quotes(name)),
                  "for example: agentnet paper table 2");
    }
    if (*number == kTableOfSizes) {
      sizes = count_sets(arguments, console);
      chosen_tables.push_back(&*sizes);
    } else {
      chosen_tables.push_back(&paper_table(static_cast<int>(*number)));
    }
  }
  if (arguments.names.empty()) {
    for (const PaperTable& table : paper_tables()) chosen_tables.push_back(&table);
  }
  const std::string format = arguments.json ? "json" : arguments.format;
  if (format == "html" && chosen_tables.size() != 1) {
    throw Error(ErrorKind::kUsage, "a page holds one table", "for example: agentnet paper table 2 --format html");
  }
  const auto results = collect_results(arguments.output);
  if (results.empty() && !sizes)
    print_to(console.err, "nothing is done in {}: -o names the folder of runs\n", arguments.output);
  bool first = true;
  for (const PaperTable* table : chosen_tables) {
    if (!std::exchange(first, false) && format == "markdown") print_to(console.text(), "\n");
    if (format == "markdown") print_to(console.text(), "{}", table_markdown(*table, results));
    if (format == "csv") print_to(console.out, "{}", table_csv(*table, results));
    if (format == "json") print_to(console.out, "{}", table_json(*table, results));
    if (format == "html") print_to(console.out, "{}", table_html(*table, results));
  }
}

void run_paper(const PaperArguments& arguments, const Console& console) {
  if (arguments.action == "list") {
    if (!arguments.names.empty()) {
      throw Error(ErrorKind::kUsage, fmt::format("unexpected argument {}", in_quotes(arguments.names.front())),
                  "agentnet paper show NAME tells about an experiment");
    }
    list(console);
  } else if (arguments.action == "show") {
    show(arguments, console);
  } else if (arguments.action == "run") {
    run(arguments, console);
  } else if (arguments.action == "table") {
    tables(arguments, console);
  } else if (arguments.action == "figure") {
    figure(arguments, console);
  } else {
    throw Error(ErrorKind::kUsage, fmt::format("unknown action {}", in_quotes(arguments.action)),
                "there are list, show, run, table and figure");
  }
}

}  // namespace

CommandRun define_paper(CLI::App& app) {
  auto arguments = std::make_shared<PaperArguments>();
  app.add_option("ACTION", arguments->action, "list, show, run, table or figure")->required();
  app.add_option("NAMES", arguments->names,
                 "experiments or groups, as agentnet paper list has them; of table or figure: its number");
  app.add_option("--scale", arguments->scale, "tiny (seconds), small (minutes) or full (the paper's settings)")
      ->capture_default_str();
  app.add_option(
      "--model", arguments->model,
      "run, show: another network of the paper's tables, trained as AgentNet is (gin, gin-random, crawl, ...)");
  app.add_option("--format", arguments->format, "table: markdown, csv or html (a page)")
      ->check(CLI::IsMember({"markdown", "csv", "html"}))
      ->capture_default_str();
  app.add_flag("--grid", arguments->grid,
               "run: every point of the grid that the paper searched; tables then give the best, as the paper does");
  app.add_option("--seeds", arguments->seeds, "how many runs of each experiment")->check(CLI::Range(1, 1000000));
  app.add_option("--data", arguments->data, "the folder of public sets; else where agentnet fetch puts them");
  app.add_option("-o,--output", arguments->output,
                 "the folder of runs and results; what is done there is not done again")
      ->capture_default_str();
  app.add_option("--set", arguments->set, "any setting: --set model.agents=32 (may be repeated)")
      ->allow_extra_args(false);
  app.add_option("--threads", arguments->threads, "workers")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_flag("--json", arguments->json, "run, table: print the results as JSON");
  app.add_flag("--toml", arguments->toml, "show: print the settings alone");
  return [arguments](const Console& console) { run_paper(*arguments, console); };
}

}  // namespace agentnet
