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

#include "agentnet/data.h"
#include "agentnet/network.h"
#include "agentnet/train.h"
#include "core/option_table.h"
#include "data/tables/statistics.h"
#include "nets/kinds.h"
#include "run/advice.h"

namespace agentnet {

struct Settings {
  std::string source;
  DataOptions data;
  std::string split;  // as make_splits() reads it; empty: the data decides
  std::uint64_t split_seed = 0;
  bool skip_bad_rows = false;  // else a row that is not a graph is an error
  NetworkConfig model;         // kind and every option; its shape is that of the data once it is read
  TrainConfig train;
};

// A config file with every setting, one line and its meaning each. It reads back to the same settings; what the data
// decides (outputs, feature columns) is left out. The same settings give the same bytes.
[[nodiscard]] std::string to_toml(const Settings& settings, const KindTable& kinds = builtin_kinds());

// What decides whether two runs have the same settings: the file without its comments, which another version of the
// program may word differently. `name` stands for the file in messages.
[[nodiscard]] std::string values_of_toml(std::string_view toml, const std::string& name);
[[nodiscard]] std::string values_of(const Settings& settings, const KindTable& kinds = builtin_kinds());

// Whether a settings file says the same as `settings`, also one that an earlier version of the program has written.
[[nodiscard]] bool says(std::string_view toml, const std::string& name, const Settings& settings,
                        const KindTable& kinds = builtin_kinds());

// The settings of section [data], those of make_splits() included; for [train] there is train_options(), and for
// [model] network_options(), after the kind.
[[nodiscard]] std::vector<OptionHelp> data_options();

// Every function throws Error (kUsage) for a setting that there is not, with a suggestion, and for a value of a wrong
// type or out of range; the message begins with file:line:column of the key, or with the option.
class SettingsLayers {
 public:
  // `kinds` must outlive the layers.
  explicit SettingsLayers(const KindTable& kinds) : kinds_(&kinds) {}
  SettingsLayers() : SettingsLayers(builtin_kinds()) {}

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
  struct Setting {
    std::string json;
    std::string place;  // file:line:column, or the option of the command line
  };
  using Layer = std::map<std::string, Setting>;  // by "model.agents"

  [[nodiscard]] Layer merged() const;
  // The kind of network that the settings so far ask for.
  [[nodiscard]] const NetworkKind& kind_so_far() const;
  void add(Layer& layer, const std::string& section, const std::string& key, const Json& value,
           const std::string& place) const;
  void add_typed(const std::string& name, const std::string& text, const std::string& place);
  void apply(const Layer& layer, Settings& settings) const;

  const KindTable* kinds_;
  std::string file_preset_, flag_preset_;
  Layer file_, flags_;
};

}  // namespace agentnet
