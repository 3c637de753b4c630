#include "options/run_source.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "agentnet/error.h"
#include "options/settings_options.h"
#include "run/run.h"
#include "run/run_folder.h"
#include "view/page/run_page.h"

namespace agentnet {

bool is_run_folder(const std::string& run_or_model) {
  std::error_code error;
  return std::filesystem::is_directory(run_or_model, error);
}

std::filesystem::path model_file_of(const std::string& run_or_model) {
  if (!is_run_folder(run_or_model)) return run_or_model;
  static_cast<void>(run_config_file(run_or_model));  // which says so if it is no run
  return run_model_file(run_or_model);
}

void require_run(const std::string& run_or_model, const std::string& example) {
  if (is_run_folder(run_or_model)) return;
  std::error_code error;
  if (!std::filesystem::exists(run_or_model, error)) {
    throw Error(ErrorKind::kData, fmt::format("there is no run or model {}", run_or_model),
                "give the folder that agentnet train -o made, or a model file and data");
  }
  throw Error(ErrorKind::kUsage, "a model file does not say which graphs are meant",
              fmt::format("name them: agentnet {}", example));
}

RunSource read_run_source(const std::string& run, const DataArguments& arguments, const Console& console,
                          const std::vector<std::string>& keep) {
  SettingsArguments reading;
  reading.data.options.threads = arguments.options.threads;
  reading.data.verify = arguments.verify;
  SettingsLayers layers;
  layers.file(run_config_file(run));
  Settings of_data = layers.data_settings();
  of_data.skip_bad_rows = true;
  for (const std::string& column : keep) {
    if (std::ranges::find(of_data.data.keep, column) == of_data.data.keep.end()) of_data.data.keep.push_back(column);
  }
  keep_smiles(of_data.source, of_data.data, of_data.data);
  RunSource source;
  source.data = read_training_data(of_data, reading, console);
  source.settings = settings_for(source.data, layers, console, /*tell=*/false);
  check_run_data(run, source.data);
  source.split = read_run_split(run, source.data);
  return source;
}

void take_walks_of_run(const CLI::App& app, const Settings& settings, PredictOptions& options) {
  const PredictOptions usual = run_prediction(settings, options.threads);
  if (app.count("--rollouts") == 0 && options.confidence == 0) options.rollouts = usual.rollouts;
  if (app.count("--seed") == 0) options.seed = usual.seed;
}

void refuse_reading_options(const CLI::App& app) {
  constexpr std::array<std::string_view, 4> kAllowed = {"--threads", "--verify", "--part", "--keep"};
  for (const CLI::Option* option : app.get_options()) {
    const std::string& group = option->get_group();
    if (option->count() == 0 || (group != "Reading the data" && group != "Splitting the data")) continue;
    if (std::ranges::find(kAllowed, option->get_name()) != kAllowed.end()) continue;
    throw Error(ErrorKind::kUsage, "a run has data and a split of its own",
                fmt::format("leave {} out, or name other data", option->get_name()));
  }
}

}  // namespace agentnet
