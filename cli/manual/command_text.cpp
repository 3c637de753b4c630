#include "manual/command_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "agentnet/metrics.h"
#include "agentnet/network.h"
#include "agentnet/train.h"
#include "options/settings_options.h"
#include "run/presets.h"
#include "run/settings.h"

namespace agentnet {
namespace {

constexpr std::string_view kName = "agentnet";

// "a, b, c" of an option table's column of values; nothing for ranges of numbers and for texts.
std::vector<std::string> names_in(std::string_view allowed) {
  std::vector<std::string> names;
  while (!allowed.empty()) {
    const std::size_t comma = std::min(allowed.find(", "), allowed.size());
    const std::string_view name = allowed.substr(0, comma);
    const bool is_name =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) || c == '-'; });
    if (!is_name) return {};
    names.emplace_back(name);
    allowed.remove_prefix(std::min(comma + 2, allowed.size()));
  }
  return names.size() > 1 ? names : std::vector<std::string>{};
}

struct Setting {
  std::string key;      // "train.schedule"
  std::string allowed;  // as in the option table
};

// Every setting of the default network, for --set and for the options that are settings.
std::vector<Setting> all_settings() {
  std::vector<Setting> all;
  const auto add = [&](const std::string& section, const std::vector<OptionHelp>& options) {
    for (const OptionHelp& option : options) all.push_back({section + "." + option.name, option.range});
  };
  add("data", data_options());
  add("model", network_options("agentnet"));
  add("train", train_options());
  return all;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const NetworkKindInfo& kind : network_kinds()) names.push_back(kind.name);
  return names;
}

std::vector<std::string> preset_choices() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const Task task : {Task::kClassification, Task::kRegression}) {
    for (const Metric metric : metrics_for(task)) names.emplace_back(metric_name(metric));
  }
  return names;
}

std::vector<std::string> choices_of(std::string_view option, const std::vector<Setting>& settings) {
  if (option == "--model" || option == "--models") return kind_names();
  if (option == "--preset") return preset_choices();
  if (option == "--metric") return metric_names();
  if (option == "--set") {
    std::vector<std::string> keys;
    for (const Setting& setting : settings) keys.push_back(setting.key + "=");
    return keys;
  }
  const std::string key = setting_of_option(option);
  const auto setting = std::ranges::find(settings, key, &Setting::key);
  return setting != settings.end() ? names_in(setting->allowed) : std::vector<std::string>{};
}

OptionText text_of(const CLI::Option& option, const std::vector<Setting>& settings) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (text.names.empty()) text.names.push_back(option.get_name());
  if (option.get_items_expected_max() > 0) text.value = option.get_type_name();
  if (const std::size_t colon = text.value.find(':'); colon != std::string::npos) text.value.resize(colon);
  if (text.value.empty() && option.get_items_expected_max() > 0) text.value = "TEXT";
  text.default_value = option.get_default_str();
  text.help = option.get_description();
  text.group = option.get_group();
  if (!text.value.empty()) text.choices = choices_of(text.names.back(), settings);
  return text;
}

CommandText text_of(const Command& command, const std::vector<Setting>& settings) {
  CLI::App app(command.summary, std::string(kName) + " " + command.name);
  static_cast<void>(command.define(app));
  CommandText text{command.name, command.summary, command.example, {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // --help does not show it either
    (option->get_positional() ? text.arguments : text.options).push_back(text_of(*option, settings));
  }
  // As in --help: groups in the order in which they are first met.
  std::vector<std::string> groups;
  for (const OptionText& option : text.options) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  std::ranges::stable_sort(text.options, {},
                           [&](const OptionText& option) { return std::ranges::find(groups, option.group); });
  return text;
}

}  // namespace

std::vector<CommandText> command_texts(std::span<const Command> table) {
  const std::vector<Setting> settings = all_settings();
  std::vector<CommandText> texts;
  for (const Command& command : table) texts.push_back(text_of(command, settings));
  return texts;
}

}  // namespace agentnet
