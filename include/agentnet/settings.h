// All settings of a training, and where they come from.
//
//   SettingsLayers layers;
//   layers.file("run.toml");                          // -c run.toml
//   layers.set("model.agents=32");                    // --set model.agents=32
//   const Dataset data = read_data(layers.data_settings());
//   const Settings settings = layers.resolve(data);   // what nobody said, the data decides
//   train(data, make_split(data, settings.split), settings.model, settings.train);
//
// What the data suggests < preset < file < single settings, whatever order they are given in; docs/settings.md lists
// all settings. A SettingsLayers belongs to one thread at a time; everything else here are plain values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/network.h"
#include "agentnet/train.h"

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

// A setting that nobody asked for, and why it is what it is.
struct Choice {
  std::string key;    // as in a config file: "model.agents"
  std::string value;  // "18"
  std::string why;    // "the mean number of nodes"
  bool operator==(const Choice&) const = default;
};

// Settings with a name: a piece of a config file each.
struct Preset {
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view toml;     // what it sets; the rest is up to the data
};
[[nodiscard]] std::span<const Preset> presets();

// A config file with every setting, one line and its meaning each. SettingsLayers::text() reads it back to the same
// settings; what the data decides (outputs, feature columns) is left out. The same settings give the same bytes.
[[nodiscard]] std::string to_toml(const Settings& settings);
// The same as a JSON object: {"data": {"source": ...}, "model": {"kind": ...}, "train": {...}}, for
// SettingsLayers::json().
[[nodiscard]] std::string to_json(const Settings& settings);

// The settings of section [data], those of make_splits() included; for [train] there is train_options(), and for
// [model] network_options(), after the kind.
[[nodiscard]] std::vector<OptionHelp> data_options();

// Reads the data that the settings name. Throws Error as read_data() of agentnet/data.h does, and kData for rows that
// are not graphs unless `skip_bad_rows` is set.
[[nodiscard]] Dataset read_data(const Settings& settings, int threads = 1);

// Every function throws Error (kUsage) for a setting that there is not, with a suggestion, and for a value of a wrong
// type or out of range; the message begins with file:line:column of the key, or with the option.
class SettingsLayers {
 public:
  SettingsLayers();
  ~SettingsLayers();
  SettingsLayers(const SettingsLayers&);
  SettingsLayers& operator=(const SettingsLayers&);
  SettingsLayers(SettingsLayers&&) noexcept;  // what was moved from can be assigned to and destroyed
  SettingsLayers& operator=(SettingsLayers&&) noexcept;

  using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

  // A preset named here replaces one that a file names.
  void preset(std::string_view name);
  // A TOML file.
  void file(const std::filesystem::path& path);
  // The text of such a file, or the same as a JSON object; `place` is its name in messages.
  void text(std::string_view toml, const std::string& place);
  void json(std::string_view object, const std::string& place);
  // "model.agents=32". A text needs no quotes, a list of texts no brackets.
  void set(std::string_view assignment);
  // A setting by its name ("train.epochs"); `option` is what messages call it, say "--epochs".
  void flag(std::string_view key, const Value& value, std::string_view option);
  // The same for a value as it was typed, which is read as by set().
  void flag_text(std::string_view key, std::string_view text, std::string_view option);

  // Whether a preset, a file or a flag says what this setting is.
  [[nodiscard]] bool has(std::string_view key) const;

  // What is known before the data is read, which this is for: source, reading options, split. The reader is told to
  // bring the official split and the columns that the split needs.
  [[nodiscard]] Settings data_settings() const;

  // Everything. What nobody said, the data decides; `choices`, unless null, lists that with reasons. Throws Error:
  // kUsage for settings that contradict each other, kData for data without targets.
  [[nodiscard]] Settings resolve(const Dataset& data, std::vector<Choice>* choices = nullptr) const;

 private:
  friend struct SettingsInside;  // src/run/settings.h
  class Layers;
  explicit SettingsLayers(std::unique_ptr<Layers> layers);
  std::unique_ptr<Layers> layers_;
};

}  // namespace agentnet
