#include "options/settings_options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <ostream>

#include "agentnet/error.h"
#include "commands.h"
#include "core/counted.h"
#include "core/json.h"
#include "core/print.h"
#include "core/text.h"
#include "data/tables/options_json.h"
#include "data/tables/statistics.h"
#include "graph/set_file.h"
#include "run/presets.h"

namespace agentnet {
namespace {

// Options of the command line that are settings of a config file as well.
struct SettingFlag {
  std::string_view option;
  const char* key;
  const char* help;
};
constexpr std::array kSettings = {
    SettingFlag{"--epochs", "train.epochs", "how often the training data is gone through"},
    SettingFlag{"--batch", "train.batch", "graphs per step"},
    SettingFlag{"--learning-rate", "train.learning_rate", "of AdamW"},
    SettingFlag{"--schedule", "train.schedule", "quarter-cosine, cosine, constant or plateau"},
    SettingFlag{"--class-weights", "train.class_weights", "none or balanced"},
    SettingFlag{"--metric", "train.metric", "that results are told by, and the best epoch is chosen by"},
    SettingFlag{"--patience", "train.patience", "evaluations without improvement that end the training"},
    SettingFlag{"--rollouts", "train.test_rollouts", "that the final test averages"},
    SettingFlag{"--seed", "train.seed", "of weights, batches and walks"},
    SettingFlag{"--model", "model.kind", "which network it is; default agentnet"},
    SettingFlag{"--hidden", "model.hidden", "h, the width of states"},
    SettingFlag{"--agents", "model.agents", "k, agents per graph"},
    SettingFlag{"--steps", "model.steps", "T, moves per agent"},
    SettingFlag{"--max-neighbours", "model.max_neighbours", "sample the neighbours of nodes that have more"},
};

// Those of add_data_options() in section [data].
struct DataFlag {
  std::string_view option;
  const char* key;
};
constexpr std::array kDataFlags = {
    DataFlag{"--format", "format"},
    DataFlag{"--task", "task"},
    DataFlag{"--target", "targets"},
    DataFlag{"--id-column", "id_column"},
    DataFlag{"--smiles-column", "smiles_column"},
    DataFlag{"--directed", "direction"},
    DataFlag{"--undirected", "direction"},
    DataFlag{"--node-features", "node_features"},
    DataFlag{"--edge-features", "edge_features"},
    DataFlag{"--bounds", "bounds"},
    DataFlag{"--node-columns", "node_columns"},
    DataFlag{"--edge-columns", "edge_columns"},
    DataFlag{"--largest-fragment", "largest_fragment"},
    DataFlag{"--degree", "degree"},
    DataFlag{"--constant", "constant"},
    DataFlag{"--distances", "distances"},
    DataFlag{"--max-atoms", "max_atoms"},
    DataFlag{"--max-unpack-ratio", "max_unpack_ratio"},
};

SettingsLayers::Value value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_array()) return json.get<std::vector<std::string>>();
  return json.get<std::string>();
}

std::string preset_names() {
  std::string names;
  for (const Preset& preset : presets()) names += (names.empty() ? "" : ", ") + std::string(preset.name);
  return names;
}

// "a, b, c and 9 more".
std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 4;
  if (names.size() <= kMostNamed) return join_text(names, ", ");
  return fmt::format("{} and {} more", join_text(std::span(names.begin(), names.begin() + (kMostNamed - 1)), ", "),
                     names.size() - (kMostNamed - 1));
}

SettingsLayers layers_of(const CLI::App& app, const SettingsArguments& arguments) {
  SettingsLayers layers;
  if (!arguments.config.empty()) layers.file(arguments.config);
  const auto data = parse_json(to_json(arguments.data.parsed()), "data options");
  // In the order in which they were typed: of two that say different things, the later one holds.
  std::size_t sets = 0;
  for (const CLI::Option* option : app.parse_order()) {
    const std::string name = option->get_name();
    if (const auto flag = std::ranges::find(kDataFlags, name, &DataFlag::option); flag != kDataFlags.end()) {
      layers.flag(std::string("data.") + flag->key, value_of(data.at(flag->key)), flag->option);
    } else if (const auto setting = std::ranges::find(kSettings, name, &SettingFlag::option);
               setting != kSettings.end()) {
      layers.flag_text(setting->key, option->as<std::string>(), setting->option);
    } else if (name == "--preset") {
      layers.preset(arguments.preset);
    } else if (name == "--set") {
      layers.set(arguments.set.at(sets++));
    } else if (name == "DATA") {
      layers.flag("data.source", arguments.data.source, "DATA");
    } else if (name == "--split") {
      layers.flag("data.split", arguments.split, name);
    } else if (name == "--split-seed") {
      layers.flag("data.split_seed", static_cast<std::int64_t>(arguments.split_seed), name);
    } else if (name == "--skip-bad-rows") {
      layers.flag("data.skip_bad_rows", true, name);
    }
  }
  return layers;
}

}  // namespace

std::string setting_of_option(std::string_view option) {
  if (const auto flag = std::ranges::find(kDataFlags, option, &DataFlag::option); flag != kDataFlags.end()) {
    return std::string("data.") + flag->key;
  }
  const auto setting = std::ranges::find(kSettings, option, &SettingFlag::option);
  return setting != kSettings.end() ? setting->key : "";
}

void refuse_beside_resume(const CLI::App& app, std::initializer_list<std::string_view> allowed,
                          const std::string& hint) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "--resume" || std::ranges::find(allowed, name) != allowed.end()) continue;
    throw Error(ErrorKind::kUsage, fmt::format("--resume takes everything from the folder, {} included", name), hint);
  }
}

void add_settings_options(CLI::App& app, SettingsArguments& arguments) {
  add_optional_data_options(app, arguments.data);
  app.remove_option(app.get_option("--keep"));  // training looks at no other columns
  app.add_flag("--skip-bad-rows")
      ->description("leave out rows that are not graphs, and say so")
      ->group("Reading the data");
  app.add_option("--split", arguments.split,
                 "random[:0.8,0.1,0.1] (two shares: train and test), stratified[:...], scaffold[:...], "
                 "scaffold-balanced[:...], column:NAME, file:PATH or official")
      ->group("Splitting the data");
  app.add_option("--split-seed", arguments.split_seed, "of random splits")->group("Splitting the data");

  const char* const group = "Settings (agentnet train --print-config shows all of them)";
  app.add_option("-c,--config", arguments.config, "a TOML file with settings")->group(group);
  app.add_option("--preset", arguments.preset, preset_names())->group(group);
  app.add_option("--set", arguments.set, "any setting: --set model.agents=32 (may be repeated)")
      ->group(group)
      ->allow_extra_args(false);
  for (const SettingFlag& flag : kSettings)
    app.add_option(std::string(flag.option), flag.help)->expected(1)->group(group);
  app.add_flag("--print-config", arguments.print_config, "print all settings as a config file and exit")->group(group);
  arguments.layers = [&app, &arguments] { return layers_of(app, arguments); };
}

void add_worker_options(CLI::App& app, WorkerArguments arguments, const std::string& what) {
  CLI::Option* resume =
      app.add_option("--resume", arguments.resume, fmt::format("go on with the {} in this folder", what));
  app.add_option("--worker", arguments.worker,
                 fmt::format("help with the {} in this folder, beside others, until it is done", what))
      ->excludes(resume);
  app.add_flag("--plan", arguments.plan, "only make the folder, for workers to start");
}

void tell_plan(const std::string& command, const std::string& folder, const Console& console) {
  print_to(console.err, "start any number of workers with: agentnet {} --worker {}\n", command, folder);
}

Error no_place_for_a_plan(const std::string& what) {
  return {ErrorKind::kUsage, fmt::format("--plan makes the folder of a {}, and none is named", what),
          "name one with -o"};
}

Dataset read_training_data(const Settings& settings, const SettingsArguments& arguments, const Console& console) {
  if (settings.source.empty()) {
    throw Error(ErrorKind::kUsage, "no data given",
                "name a file, folder or archive, or a built-in set: synthetic:4cycles");
  }
  DataOptions options = settings.data;
  options.threads = arguments.data.options.threads;
  if (arguments.data.verify) options.check_up_to = kAnySize;
  Dataset data = read_data(settings.source, options);
  tell_notes(data, console);
  tell_bad_rows(data, settings.skip_bad_rows, console);
  print_to(console.err, "{}\n", one_line(data));
  return data;
}

Settings settings_for(const Dataset& data, const SettingsLayers& layers, const Console& console, bool tell) {
  std::vector<Choice> choices;
  Settings settings = layers.resolve(data, &choices);
  if (tell && !choices.empty()) {
    print_to(console.err, "chosen from the data; --set KEY=VALUE says otherwise:\n");
    std::size_t keys = 0, values = 0;
    for (const Choice& choice : choices) {
      keys = std::max(keys, choice.key.size());
      values = std::max(values, choice.value.size());
    }
    for (const Choice& choice : choices) {
      print_to(console.err, "  {:<{}}  {:<{}}  {}\n", choice.key, keys, choice.value, values, choice.why);
    }
  }
  return settings;
}

std::string one_line(const Dataset& data) {
  const Schema& schema = data.schema;
  std::uint64_t nodes = 0;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) nodes += data.graphs.view(g).num_nodes;
  std::string text =
      fmt::format("{}: {}, {:.1f} nodes on average", data.source, counted(data.graphs.size(), "graph"),
                  static_cast<double>(nodes) / static_cast<double>(std::max<std::size_t>(1, data.graphs.size())));
  const auto count = [&](const char* one, const char* several) {
    return schema.targets.size() == 1 ? std::string(one) : fmt::format("{} {}", schema.targets.size(), several);
  };
  switch (schema.task) {
    case Task::kNone:
      break;
    case Task::kClassification:
      text += ", " + counted(schema.classes.size(), "class", "classes");
      // Labels that a file has no name for are called class: nothing was chosen.
      if (schema.targets != std::vector<std::string>{"class"}) text += fmt::format(" ({})", first_of(schema.targets));
      break;
    case Task::kMultilabel:
      text += fmt::format(", {} ({})", count("one yes/no question", "yes/no questions"), first_of(schema.targets));
      break;
    case Task::kRegression:
      text += fmt::format(", {} ({})", count("one number to predict", "numbers to predict"), first_of(schema.targets));
      break;
  }
  if (!data.unused_columns.empty()) text += fmt::format("; left out: {} (text)", first_of(data.unused_columns));
  return text;
}

}  // namespace agentnet
