// The options of every command that trains: data, config file, preset, single settings.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/error.h"
#include "options/data_options.h"
#include "run/settings.h"

namespace agentnet {

struct Console;

struct SettingsArguments {
  DataArguments data;
  std::string split;
  std::uint64_t split_seed = 0;
  std::string config, preset;
  std::vector<std::string> set;
  bool print_config = false;

  // What was said on the command line and in the config file; call when the arguments are parsed.
  std::function<SettingsLayers()> layers;
};

// Declares the options. `arguments` must live until the command has run.
void add_settings_options(CLI::App& app, SettingsArguments& arguments);

// The setting that an option of the command line is: "train.epochs" for "--epochs"; empty if it is none.
[[nodiscard]] std::string setting_of_option(std::string_view option);

// Everything that has an influence on the result is in the folder that --resume names: other options than those allowed
// are refused. Throws Error (kUsage).
void refuse_beside_resume(const CLI::App& app, std::initializer_list<std::string_view> allowed,
                          const std::string& hint);

// Options of commands whose work is pieces in a folder, which any number of processes may share.
struct WorkerArguments {
  std::string& resume;
  std::string& worker;
  bool& plan;
};
// --resume, --worker and --plan; `what` is in the folder: "cross-validation". Call after -o is declared.
void add_worker_options(CLI::App& app, WorkerArguments arguments, const std::string& what);
// What --plan ends with, and the Error (kUsage) for it without a folder.
void tell_plan(const std::string& command, const std::string& folder, const Console& console);
[[nodiscard]] Error no_place_for_a_plan(const std::string& what);

// Reads the data that the settings name, and tells of rows that are not graphs: an error unless they may be left out.
[[nodiscard]] Dataset read_training_data(const Settings& settings, const SettingsArguments& arguments,
                                         const Console& console);

// The settings for this data; what nobody said and the data decided is told, if `tell`.
[[nodiscard]] Settings settings_for(const Dataset& data, const SettingsLayers& layers, const Console& console,
                                    bool tell = true);

// "18 graphs, 3 classes ...": what was read.
[[nodiscard]] std::string one_line(const Dataset& data);

}  // namespace agentnet
