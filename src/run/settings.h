// All settings of a training run, and where they come from.
//
//   SettingsLayers layers;
//   layers.file("run.toml");                          // -c run.toml
//   layers.set("model.agents=32");                    // --set model.agents=32
//   layers.flag("train.epochs", 20, "--epochs");      // --epochs 20
//   const Settings reading = layers.data_settings();
//   const Dataset data = read_data(reading.source, reading.data);
//   std::vector<Choice> choices;
//   const Settings settings = layers.resolve(data, statistics_of(data), choices);
//
// What the data suggests < preset < file < flag, whatever order they are given in; docs/settings.md lists all settings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/data.h"
#include "agentnet/train.h"
#include "data/tables/statistics.h"
#include "run/advice.h"

namespace agentnet {

struct Settings {
  std::string source;
  DataOptions data;
  std::string split;  // as make_splits() reads it; empty: the data decides
  std::uint64_t split_seed = 0;
  bool skip_bad_rows = false;  // else a row that is not a graph is an error
  ModelConfig model;
  TrainConfig train;
};

// A config file with every setting, one line and its meaning each. It reads back to the same settings; what the data
// decides (outputs, feature columns) is left out. The same settings give the same bytes.
[[nodiscard]] std::string to_toml(const Settings& settings);

// What decides whether two runs have the same settings: the file without its comments, which another version of the
// program may word differently. `name` stands for the file in messages.
[[nodiscard]] std::string values_of_toml(std::string_view toml, const std::string& name);
[[nodiscard]] std::string values_of(const Settings& settings);

// The settings of section [data], those of make_splits() included; for [model] and [train] there are model_options()
// and train_options().
[[nodiscard]] std::vector<OptionHelp> data_options();

// Options of the model that nobody but the data decides.
[[nodiscard]] bool decided_by_data(std::string_view model_option);

// Every function throws Error (kUsage) for a setting that there is not, with a suggestion, and for a value of a wrong
// type or out of range; the message begins with file:line:column of the key, or with the option.
class SettingsLayers {
 public:
  using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

  // A preset named here replaces one that a file names.
  void preset(std::string_view name);
  void file(const std::filesystem::path& path);
  // The text of such a file; `place` is its name in messages.
  void text(std::string_view toml, const std::string& place);
  // "model.agents=32". A text needs no quotes, a list of texts no brackets.
  void set(std::string_view assignment);
  // A setting by its name ("train.epochs"), as the command line's `option` gives it.
  void flag(std::string_view key, const Value& value, std::string_view option);
  // The same for a value as it was typed, which is read as by set().
  void flag_text(std::string_view key, std::string_view text, std::string_view option);

  // Whether a preset, a file or a flag says what this setting is.
  [[nodiscard]] bool has(std::string_view key) const;

  // What is known before the data is read, which this is for: source, reading options, split. The reader is told to
  // bring the official split and the columns that the split needs.
  [[nodiscard]] Settings data_settings() const;

  // Everything. What nobody said, advise() chooses; `choices` lists that with reasons. Throws Error: kUsage for
  // settings that contradict each other, kData for data without targets.
  [[nodiscard]] Settings resolve(const Dataset& data, const SetStatistics& statistics,
                                 std::vector<Choice>& choices) const;

 private:
  using Layer = std::map<std::string, std::string>;  // "model.agents" -> JSON

  [[nodiscard]] Layer merged() const;
  void add_typed(const std::string& name, const std::string& text);

  std::string file_preset_, flag_preset_;
  Layer file_, flags_;
};

}  // namespace agentnet
