#include "run/settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "core/json.h"
#include "core/option_table.h"
#include "core/suggest.h"
#include "core/text.h"
#include "data/splits/splits.h"
#include "data/tables/options_json.h"
#include "data/tables/statistics.h"
#include "run/advice.h"
#include "run/presets.h"
#include "run/toml_entries.h"
#include "train/trainer.h"

namespace agentnet {
namespace {

// What [data] has besides DataOptions.
struct SourceOptions {
  std::string source;
  std::string split;
  std::uint64_t split_seed = 0;
  bool skip_bad_rows = false;
};

constexpr const char* kDataWhat = "data option";

constexpr auto kVisitSource = [](auto& o, const auto& f) {
  f("source", o.source, kAnyValue, "a file, folder or archive; or synthetic:NAME?key=value&...");
  f("split", o.split, kAnyValue, "who is trained and who is tested on (docs/data.md); empty: what suits the data");
  f("split_seed", o.split_seed, OptionRange{0, 9007199254740992}, "of random splits");
  f("skip_bad_rows", o.skip_bad_rows, kAnyValue, "leaves out rows that are not graphs, instead of ending there");
};

bool is_source_option(std::string_view key) {
  return key == "source" || key == "split" || key == "split_seed" || key == "skip_bad_rows";
}

// A section of the config file: its options, and how one of them is checked by itself.
struct Section {
  std::string_view name;
  const char* what;  // "model option"
  std::vector<OptionHelp> options;
  Json defaults;
  std::function<void(const std::string& key, const Json& one)> check;
};

Section data_section() {
  Json defaults = options_to_json(SourceOptions{}, kVisitSource);
  defaults.update(parse_json(to_json(DataOptions{}), "data options"));
  return {"data", kDataWhat, data_options(), std::move(defaults), [](const std::string& key, const Json& one) {
            if (is_source_option(key)) {
              SourceOptions options;
              options_from_json(one, options, kVisitSource, kDataWhat);
            } else {
              DataOptions options;
              apply_json(options, one.dump());
            }
          }};
}

// The kind of network comes first, and decides what else there is.
Section model_section(const KindTable& kinds, const NetworkKind& kind) {
  std::string names;
  for (const NetworkKind* other : kinds.all()) names += (names.empty() ? "" : ", ") + std::string(other->name);
  std::vector<OptionHelp> options = {{"kind", "agentnet", names, "which network it is (docs/networks.md)"}};
  for (OptionHelp& option : kind.options()) options.push_back(std::move(option));
  Json defaults = Json::object();
  defaults["kind"] = kind.name;
  defaults.update(parse_json(kind.complete("{}"), "model options"));
  return {"model", "model option", std::move(options), std::move(defaults),
          [&kinds, &kind](const std::string& key, const Json& one) {
            if (key != "kind") {
              static_cast<void>(kind.complete(one.dump()));
            } else if (const Json& name = one.at(key); name.is_string()) {
              static_cast<void>(kinds.at(name.get<std::string>()));
            } else {
              throw Error(ErrorKind::kUsage, fmt::format("model option 'kind' is {}", name.dump()),
                          "it is the name of a network, say \"agentnet\"");
            }
          }};
}

Section train_section() {
  return {"train", "training option", train_options(), parse_json(to_json(TrainConfig{}), "training options"),
          [](const std::string&, const Json& one) {
            TrainConfig config;
            apply_json(config, one.dump());
            validate(config);  // no option contradicts the defaults of the others
          }};
}

using Sections = std::array<Section, 3>;

Sections sections_for(const KindTable& kinds, const NetworkKind& kind) {
  return {data_section(), model_section(kinds, kind), train_section()};
}

const Section* find_section(const Sections& all, std::string_view name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const Section& section) { return section.name == name; });
  return at != all.end() ? &*at : nullptr;
}

std::vector<std::string> option_keys(const Section& section) {
  std::vector<std::string> names;
  for (const OptionHelp& option : section.options) names.push_back(option.name);
  return names;
}

bool has_option(const std::vector<OptionHelp>& options, std::string_view key) {
  return std::any_of(options.begin(), options.end(), [&](const OptionHelp& option) { return option.name == key; });
}

bool has_option(const Section& section, std::string_view key) { return has_option(section.options, key); }

// Options that nobody but the data decides (DataShape).
bool decided_by_data(std::string_view option) {
  constexpr std::array<std::string_view, 5> kDecided = {"outputs", "node_features", "node_categories", "edge_features",
                                                        "edge_categories"};
  return std::find(kDecided.begin(), kDecided.end(), option) != kDecided.end();
}

// Training options that are newer than the first version of the program, and what was done before there were these.
struct NewerOption {
  std::string_view key, before;  // as JSON
};
constexpr std::array kNewerOptions = {NewerOption{"features", "\"raw\""}, NewerOption{"extended", "[]"},
                                      NewerOption{"choose_by", "\"metric\""}};

bool is_newer(std::string_view key) {
  return std::ranges::find(kNewerOptions, key, &NewerOption::key) != kNewerOptions.end();
}

// Before there were kinds of networks, these stood in section [train].
bool moved_to_model(std::string_view section, std::string_view key) {
  return section == "train" && (key == "solo_steps" || key == "growth_steps" || key == "mixed_steps");
}

// The message with the place in front, fit to be shown and not longer than a few lines.
Error at_place(const std::string& place, const Error& error) {
  constexpr std::size_t kLongest = 300;
  std::string message = printable(error.what());
  if (message.size() > kLongest) {
    message.resize(valid_utf8_prefix(std::string_view(message).substr(0, kLongest)));
    message += "...";
  }
  return {error.kind(), fmt::format("{}: {}", place, message), error.hint()};
}

Error usage(const std::string& message, const std::string& hint) { return {ErrorKind::kUsage, message, hint}; }

[[noreturn]] void refuse_section(const Sections& sections, const std::string& name) {
  std::vector<std::string> names;
  for (const Section& section : sections) names.emplace_back(section.name);
  const auto close = closest_match(name, names);
  throw usage(fmt::format("unknown section {}", in_quotes(name)),
              close ? fmt::format("did you mean '{}'?", *close) : "there are data, model and train");
}

// For a key without its section.
[[noreturn]] void refuse_loose_key(const Sections& sections, const std::string& key) {
  for (const Section& section : sections) {
    if (has_option(section, key)) {
      throw usage(
          fmt::format("setting {} stands in no section", in_quotes(key)),
          fmt::format("it belongs to {0}: write it under [{0}], or {0}.{1} on the command line", section.name, key));
    }
  }
  std::vector<std::string> candidates = {"preset"};
  for (const Section& section : sections) candidates.emplace_back(section.name);
  const auto close = closest_match(key, candidates);
  throw usage(fmt::format("unknown setting {}", in_quotes(key)),
              close ? fmt::format("did you mean '{}'?", *close)
                    : "settings stand in the sections data, model and train; only 'preset' stands before them");
}

void check_key(const Sections& sections, const Section& section, const std::string& key) {
  if (section.name == "model" && decided_by_data(key)) {
    throw usage(fmt::format("model option '{}' is decided by the data", key),
                "leave it out; section [data] has options for how columns are read");
  }
  if (has_option(section, key)) return;
  const auto close = closest_match(key, option_keys(section));
  if (close) {
    throw usage(fmt::format("unknown {} {}", section.what, in_quotes(key)), fmt::format("did you mean '{}'?", *close));
  }
  for (const Section& other : sections) {
    if (has_option(other, key)) {
      throw usage(fmt::format("unknown {} {}", section.what, in_quotes(key)),
                  fmt::format("it belongs to [{}]", other.name));
    }
  }
  throw usage(fmt::format("unknown {} {}", section.what, in_quotes(key)),
              fmt::format("there are {}", join_text(option_keys(section), ", ")));
}

bool is_finite(const Json& value) {
  if (value.is_array()) return std::all_of(value.begin(), value.end(), is_finite);
  return !value.is_number_float() || std::isfinite(value.get<double>());
}

bool is_utf8(const Json& value) {
  if (value.is_array()) return std::all_of(value.begin(), value.end(), is_utf8);
  if (!value.is_string()) return true;
  const auto text = value.get<std::string>();
  return valid_utf8_prefix(text) == text.size();
}

// Throws if there is no such option or if it cannot have this value.
void check_setting(const Sections& sections, const Section& section, const std::string& key, const Json& value) {
  check_key(sections, section, key);
  if (!is_finite(value)) {
    throw usage(fmt::format("{} '{}' is not a finite number", section.what, key), "give a number");
  }
  if (!is_utf8(value)) throw usage(fmt::format("{} '{}' is not UTF-8", section.what, key), "check its encoding");
  Json one = Json::object();
  one[key] = value;
  section.check(key, one);
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

// Quotes are optional.
std::string plain_text(const std::string& text) {
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  const Json value = quoted ? read_toml_value(text) : Json();
  return value.is_string() ? value.get<std::string>() : text;
}

Json plain_list(const std::string& text) {
  if (const Json value = read_toml_value(text); value.is_array()) return value;
  std::string_view rest = text;
  if (rest.size() >= 2 && rest.front() == '[' && rest.back() == ']') rest = rest.substr(1, rest.size() - 2);
  Json list = Json::array();
  for (std::size_t at = 0; at <= rest.size();) {
    const std::size_t end = std::min(rest.find(',', at), rest.size());
    if (const std::string entry = trimmed(rest.substr(at, end - at)); !entry.empty()) list.push_back(plain_text(entry));
    at = end + 1;
  }
  return list;
}

// What was typed, as the kind of value that the option has.
Json typed_value(const Json& fallback, const std::string& text) {
  if (fallback.is_string()) return plain_text(text);
  if (fallback.is_array()) return plain_list(text);
  const Json value = read_toml_value(text);
  return value.is_null() ? Json(text) : value;
}

std::string read_settings_file(const std::filesystem::path& path) {
  const std::string name = in_quotes(path.string());
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw usage(fmt::format("there is no settings file {}", name),
                "check the path; agentnet train --print-config prints a file to start from");
  }
  if (!std::filesystem::is_regular_file(path, error) && std::filesystem::is_directory(path, error)) {
    throw usage(fmt::format("the settings file {} is a folder", name), "name the file in it, say config.toml");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw usage(fmt::format("the settings file {} cannot be read", name), "check its permissions");
  return text;
}

void write_section(std::string& out, std::string_view section, const std::vector<OptionHelp>& options,
                   const Json& values) {
  out += fmt::format("\n[{}]\n", section);
  for (const OptionHelp& option : options) {
    out += fmt::format("{:<32}  # {}\n", fmt::format("{} = {}", option.name, toml_value(values.at(option.name))),
                       option.help);
  }
}

// Every value of every section, those that the data decides as well.
Json values_json(const Settings& settings, const KindTable& kinds) {
  const SourceOptions source{settings.source, settings.split, settings.split_seed, settings.skip_bad_rows};
  Json all = Json::object();
  all["data"] = options_to_json(source, kVisitSource);
  all["data"].update(parse_json(to_json(settings.data), "data options"));
  all["model"]["kind"] = settings.model.kind;
  all["model"].update(parse_json(kinds.at(settings.model.kind).complete(settings.model.options), "model options"));
  all["train"] = parse_json(to_json(settings.train), "training options");
  return all;
}

}  // namespace

class SettingsLayers::Layers {
 public:
  explicit Layers(const KindTable& kinds) : kinds_(&kinds) {}

  void preset(std::string_view name) { flag_preset_ = preset_named(name).name; }
  void text(std::string_view toml, const std::string& place) { take(read_toml(toml, place)); }
  void json(std::string_view object, const std::string& place);
  void set(std::string_view assignment);
  void flag(std::string_view key, const Value& value, std::string_view option);
  void flag_text(std::string_view key, std::string_view text, std::string_view option);
  [[nodiscard]] bool has(std::string_view key) const { return merged().contains(std::string(key)); }
  [[nodiscard]] Settings data_settings() const;
  [[nodiscard]] Settings resolve(const Dataset& data, std::vector<Choice>& choices) const;

 private:
  struct Setting {
    std::string json;
    std::string place;  // file:line:column, or the option of the command line
  };
  using Layer = std::map<std::string, Setting>;  // by "model.agents"

  [[nodiscard]] Layer merged() const;
  // The kind of network that the settings so far ask for.
  [[nodiscard]] const NetworkKind& kind_so_far() const;
  void take(const std::vector<TomlEntry>& entries);
  void take_as_it_was(const std::string& place);
  void add(Layer& layer, const std::string& section, const std::string& key, const Json& value,
           const std::string& place) const;
  void add_typed(const std::string& name, const std::string& text, const std::string& place);
  void apply(const Layer& layer, Settings& settings) const;

  const KindTable* kinds_;
  std::string file_preset_, flag_preset_;
  Layer file_, flags_;
};

std::vector<OptionHelp> data_options() {
  std::vector<OptionHelp> all;
  const auto add = [&](const char* name, const std::string& value, const std::string& allowed, const char* help) {
    all.push_back({name, value, allowed, help});
  };
  describe_options<SourceOptions>(kVisitSource, add);
  describe_data_options(add);
  return all;
}

std::string to_toml(const Settings& settings, const KindTable& kinds) {
  const Json values = values_json(settings, kinds);
  std::string out = "# Settings of a training run; docs/settings.md says more about them.\n";
  for (const Section& section : sections_for(kinds, kinds.at(settings.model.kind))) {
    write_section(out, section.name, section.options, values.at(std::string(section.name)));
  }
  return out;
}

std::string to_toml(const Settings& settings) { return to_toml(settings, builtin_kinds()); }

std::string to_json(const Settings& settings) {
  const KindTable& kinds = builtin_kinds();
  const Json values = values_json(settings, kinds);
  Json out = Json::object();  // what a settings file has: options that the data decides are left out
  for (const Section& section : sections_for(kinds, kinds.at(settings.model.kind))) {
    const std::string name(section.name);
    for (const OptionHelp& option : section.options) out[name][option.name] = values.at(name).at(option.name);
  }
  return out.dump(2) + "\n";
}

Dataset read_data(const Settings& settings, int threads) {
  DataOptions options = settings.data;
  options.threads = threads;
  Dataset data = read_data(settings.source, options);
  if (!data.bad_rows.empty() && !settings.skip_bad_rows) {
    const BadRow& first = data.bad_rows.front();
    throw Error(ErrorKind::kData,
                fmt::format("{} of {} rows are not graphs; the first: {}: {}", data.bad_rows.size(), data.num_rows(),
                            first.where, first.message),
                "correct them, or leave them out with data.skip_bad_rows");
  }
  return data;
}

std::string values_of_toml(std::string_view toml, const std::string& name) {
  std::string out;
  for (const TomlEntry& entry : read_toml(toml, name)) {
    out += fmt::format("{}.{} = {}\n", entry.section, entry.key, entry.value.dump());
  }
  return out;
}

std::string values_of(const Settings& settings, const KindTable& kinds) {
  return values_of_toml(to_toml(settings, kinds), "settings");
}

bool says(std::string_view toml, const std::string& name, const Settings& settings, const KindTable& kinds) {
  const std::string values = values_of(settings, kinds);
  if (values_of_toml(toml, name) == values) return true;
  SettingsLayers layers = SettingsInside::with_kinds(kinds);  // fills in options that are newer than the file
  layers.text(toml, name);
  return values_of(layers.data_settings(), kinds) == values;
}

const NetworkKind& SettingsLayers::Layers::kind_so_far() const {
  const Layer layer = merged();
  const auto at = layer.find("model.kind");
  return kinds_->at(at != layer.end() ? parse_json(at->second.json, "model.kind").get<std::string>() : "agentnet");
}

// Checks a setting and puts it into a layer. An option that another kind of network has may be meant for that one,
// whose name may come later: resolve() looks at it again.
void SettingsLayers::Layers::add(Layer& layer, const std::string& section_name, const std::string& key,
                                 const Json& value, const std::string& place) const {
  const Sections sections = sections_for(*kinds_, kind_so_far());
  const std::string owner = moved_to_model(section_name, key) ? "model" : section_name;
  const Section* section = find_section(sections, owner);
  if (section == nullptr) refuse_section(sections, owner);
  const bool of_another_kind =
      owner == "model" && !has_option(*section, key) &&
      std::ranges::any_of(kinds_->all(), [&](const NetworkKind* kind) { return has_option(kind->options(), key); });
  if (!of_another_kind) check_setting(sections, *section, key, value);
  layer[owner + "." + key] = {value.dump(), place};
}

// {"section": {"key": value}}, and "preset" beside the sections.
void SettingsLayers::Layers::json(std::string_view object, const std::string& place) {
  const Json all = parse_json(object, place, ErrorKind::kUsage);
  const auto refuse = [&](const std::string& what, const char* hint) {
    return usage(fmt::format("{}: {}", place, what), hint);
  };
  constexpr const char* kForm =
      "settings look like {\"data\": {\"source\": \"MUTAG.zip\"}, \"train\": {\"epochs\": 20}}";
  if (!all.is_object()) throw refuse("the settings are no JSON object", kForm);
  std::vector<TomlEntry> entries;
  for (const auto& [section, values] : all.items()) {
    const std::string section_place = fmt::format("{}: {}", place, printable(section));
    if (!values.is_object()) {
      entries.push_back({"", section, values, section_place});
      continue;
    }
    entries.push_back({section, "", Json(), section_place});
    for (const auto& [key, value] : values.items()) {
      if (value.is_null() || value.is_object()) {
        throw refuse(
            fmt::format("{}.{} is {}", printable(section), printable(key), value.is_null() ? "null" : "an object"),
            "a setting is a text, a number, true, false or a list; leave out what is to have its default");
      }
      entries.push_back({section, key, value, fmt::format("{}.{}", section_place, printable(key))});
    }
  }
  take(entries);
}

void SettingsLayers::Layers::take(const std::vector<TomlEntry>& entries) {
  Layers own(*kinds_);  // what this text says; its kind of network decides which options there are
  const auto take_one = [&](const TomlEntry& entry) {
    const Sections sections = sections_for(*kinds_, own.kind_so_far());
    const bool is_section =
        find_section(sections, entry.section) != nullptr || moved_to_model(entry.section, entry.key);
    if (entry.section.empty() && entry.key == "preset") {
      if (!entry.value.is_string()) throw usage("'preset' is not a text", "write it in quotes: preset = \"fast\"");
      own.file_preset_ = preset_named(entry.value.get<std::string>()).name;
    } else if (entry.section.empty() && find_section(sections, entry.key) != nullptr) {
      throw usage(fmt::format("'{}' is a section, not a setting", entry.key),
                  fmt::format("write [{}] and its settings in the lines below", entry.key));
    } else if (entry.section.empty()) {
      refuse_loose_key(sections, entry.key);
    } else if (!is_section) {
      refuse_section(sections, entry.section);
    } else if (!entry.key.empty() || !entry.value.is_null()) {
      own.add(own.file_, entry.section, entry.key, entry.value, entry.place);
    }
  };
  const auto names_kind = [](const TomlEntry& entry) { return entry.section == "model" && entry.key == "kind"; };
  for (const bool kind_first : {true, false}) {
    for (const TomlEntry& entry : entries) {
      if (names_kind(entry) != kind_first) continue;
      try {
        take_one(entry);
      } catch (const Error& error) {
        throw at_place(entry.place, error);
      }
    }
  }
  if (!entries.empty()) own.take_as_it_was(entries.front().place);
  for (auto& [key, value] : own.file_) file_[key] = std::move(value);
  if (!own.file_preset_.empty()) file_preset_ = own.file_preset_;
}

// A text that says what every training option is, but for newer ones, was written by an earlier version of the program
// (config.toml of a run, cv.toml, the plan of a search): it means what it meant then.
void SettingsLayers::Layers::take_as_it_was(const std::string& place) {
  for (const OptionHelp& option : train_options()) {
    if (!is_newer(option.name) && !file_.contains("train." + option.name)) return;
  }
  for (const NewerOption& option : kNewerOptions) {
    file_.try_emplace("train." + std::string(option.key), Setting{std::string(option.before), place});
  }
}

void SettingsLayers::Layers::set(std::string_view assignment) {
  const std::string place = fmt::format("--set {}", in_quotes(assignment));
  try {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos) throw usage("there is no '=' in it", "write it like --set model.agents=32");
    add_typed(trimmed(assignment.substr(0, equals)), trimmed(assignment.substr(equals + 1)), place);
  } catch (const Error& error) {
    throw at_place(place, error);
  }
}

void SettingsLayers::Layers::flag_text(std::string_view key, std::string_view text, std::string_view option) {
  try {
    add_typed(std::string(key), trimmed(text), std::string(option));
  } catch (const Error& error) {
    throw at_place(std::string(option), error);
  }
}

void SettingsLayers::Layers::add_typed(const std::string& name, const std::string& text, const std::string& place) {
  if (name == "preset") return preset(plain_text(text));
  const std::size_t dot = name.find('.');
  const Sections sections = sections_for(*kinds_, kind_so_far());
  if (dot == std::string::npos) refuse_loose_key(sections, name);
  const std::string key = name.substr(dot + 1);
  const std::string owner = moved_to_model(name.substr(0, dot), key) ? "model" : name.substr(0, dot);
  const Section* section = find_section(sections, owner);
  if (section == nullptr) refuse_section(sections, owner);
  Json fallback;  // which says what type the option is of
  if (section->defaults.contains(key)) {
    fallback = section->defaults.at(key);
  } else if (owner == "model") {
    for (const NetworkKind* kind : kinds_->all()) {
      const Json defaults = parse_json(kind->complete("{}"), "model options");
      if (fallback.is_null() && defaults.contains(key)) fallback = defaults.at(key);
    }
  }
  if (fallback.is_null()) check_key(sections, *section, key);
  add(flags_, owner, key, typed_value(fallback, text), place);
}

void SettingsLayers::Layers::flag(std::string_view key, const Value& value, std::string_view option) {
  const std::size_t dot = std::min(key.find('.'), key.size() - 1);
  try {
    const Json json = std::visit([](const auto& v) { return Json(v); }, value);
    add(flags_, std::string(key.substr(0, dot)), std::string(key.substr(dot + 1)), json, std::string(option));
  } catch (const Error& error) {
    throw at_place(std::string(option), error);
  }
}

SettingsLayers::Layers::Layer SettingsLayers::Layers::merged() const {
  Layer all = flags_;
  all.insert(file_.begin(), file_.end());  // which keeps what is there
  const std::string& name = flag_preset_.empty() ? file_preset_ : flag_preset_;
  if (name.empty()) return all;
  Layers preset(*kinds_);
  preset.text(preset_named(name).toml, "preset " + name);
  all.insert(preset.file_.begin(), preset.file_.end());
  return all;
}

// On top of `settings`. Options of the network that only a preset names and that this kind does not have are left out:
// a preset is for any kind.
void SettingsLayers::Layers::apply(const Layer& layer, Settings& settings) const {
  SourceOptions source{settings.source, settings.split, settings.split_seed, settings.skip_bad_rows};
  const NetworkKind& kind = kind_so_far();
  const Sections sections = sections_for(*kinds_, kind);
  Json model = parse_json(settings.model.options, "model options");
  for (const auto& [name, setting] : layer) {
    const std::size_t dot = name.find('.');
    const std::string section = name.substr(0, dot), key = name.substr(dot + 1);
    Json one = Json::object();
    one[key] = parse_json(setting.json, name, ErrorKind::kUsage);
    if (section == "model" && key == "kind") {
      settings.model.kind = kind.name;
    } else if (section == "model") {
      const bool from_preset = !flags_.contains(name) && !file_.contains(name);
      if (from_preset && !has_option(kind.options(), key)) continue;
      try {
        check_setting(sections, *find_section(sections, section), key, one[key]);
      } catch (const Error& error) {
        throw at_place(setting.place, error);
      }
      model[key] = one[key];
    } else if (section == "train") {
      apply_json(settings.train, one.dump());
    } else if (is_source_option(key)) {
      options_from_json(one, source, kVisitSource, kDataWhat);
    } else {
      apply_json(settings.data, one.dump());
    }
  }
  settings.model.options = kind.complete(model.dump());
  settings.source = source.source;
  settings.split = source.split;
  settings.split_seed = source.split_seed;
  settings.skip_bad_rows = source.skip_bad_rows;
}

Settings SettingsLayers::Layers::data_settings() const {
  Settings settings;
  settings.model.kind = kind_so_far().name;
  apply(merged(), settings);
  settings.data.official = true;
  settings.data.keep = columns_of_split(settings.split);
  return settings;
}

Settings SettingsLayers::Layers::resolve(const Dataset& data, std::vector<Choice>& choices) const {
  const SetStatistics statistics = statistics_of(data);
  const Layer layer = merged();
  check_targets(data, statistics);
  const std::string& preset = flag_preset_.empty() ? file_preset_ : flag_preset_;
  const Pace pace = pace_of(preset);
  Advice advice = advise(data, statistics, kind_so_far(), pace);
  Settings settings = data_settings();
  settings.model = advice.model;
  settings.train = advice.train;
  apply(layer, settings);

  // "auto" and an empty split leave the choice to the data, as if nothing had been said.
  const auto left_open = [&](const std::string& key) {
    if (key == "data.split") return settings.split.empty();
    if (key == "data.task") return !settings.data.task.has_value();
    if (key == "train.loss" && settings.train.loss == Loss::kAuto) return true;
    if (key == "train.metric" && settings.train.metric == "auto") return true;
    return !layer.contains(key);
  };
  // Whoever names a metric wants the epoch that is best by it.
  if (left_open("train.choose_by") && !left_open("train.metric")) {
    settings.train.choose_by = "metric";
    std::erase_if(advice.reasons, [](const Choice& choice) { return choice.key == "train.choose_by"; });
  }
  // Their number follows from what somebody may have said of batches, and how often they are looked at from their
  // number.
  if (left_open("train.epochs")) settings.train.epochs = suggested_epochs(settings.train, statistics.graphs, pace);
  if (left_open("train.evaluate_every")) settings.train.evaluate_every = suggested_interval(settings.train.epochs);
  for (Choice& choice : advice.reasons) {
    if (choice.key == "train.epochs") choice.value = std::to_string(settings.train.epochs);
    if (choice.key == "train.evaluate_every") choice.value = std::to_string(settings.train.evaluate_every);
  }
  choices.clear();
  for (const Choice& choice : advice.reasons) {
    if (left_open(choice.key)) choices.push_back(choice);
  }
  if (settings.split.empty()) settings.split = advice.split;
  if (settings.train.loss == Loss::kAuto) settings.train.loss = advice.train.loss;
  if (settings.train.metric == "auto") settings.train.metric = advice.train.metric;

  settings.model.shape = shape_of(data.schema);
  static_cast<void>(kinds_->make(settings.model));  // which checks it
  validate(settings.train);
  check_goal(data.schema.task, settings.train);
  return settings;
}

// --- The public class
// --------------------------------------------------------------------------------------------------

SettingsLayers::SettingsLayers() : SettingsLayers(std::make_unique<Layers>(builtin_kinds())) {}
SettingsLayers::SettingsLayers(std::unique_ptr<Layers> layers) : layers_(std::move(layers)) {}
SettingsLayers::~SettingsLayers() = default;
SettingsLayers::SettingsLayers(const SettingsLayers& other) : layers_(std::make_unique<Layers>(*other.layers_)) {}
SettingsLayers& SettingsLayers::operator=(const SettingsLayers& other) {
  if (this != &other) layers_ = std::make_unique<Layers>(*other.layers_);
  return *this;
}
SettingsLayers::SettingsLayers(SettingsLayers&&) noexcept = default;
SettingsLayers& SettingsLayers::operator=(SettingsLayers&&) noexcept = default;

SettingsLayers SettingsInside::with_kinds(const KindTable& kinds) {
  return SettingsLayers(std::make_unique<SettingsLayers::Layers>(kinds));
}

void SettingsLayers::preset(std::string_view name) { layers_->preset(name); }
void SettingsLayers::file(const std::filesystem::path& path) { text(read_settings_file(path), path.string()); }
void SettingsLayers::text(std::string_view toml, const std::string& place) { layers_->text(toml, place); }
void SettingsLayers::json(std::string_view object, const std::string& place) { layers_->json(object, place); }
void SettingsLayers::set(std::string_view assignment) { layers_->set(assignment); }
void SettingsLayers::flag(std::string_view key, const Value& value, std::string_view option) {
  layers_->flag(key, value, option);
}
void SettingsLayers::flag_text(std::string_view key, std::string_view text, std::string_view option) {
  layers_->flag_text(key, text, option);
}
bool SettingsLayers::has(std::string_view key) const { return layers_->has(key); }
Settings SettingsLayers::data_settings() const { return layers_->data_settings(); }
Settings SettingsLayers::resolve(const Dataset& data, std::vector<Choice>* choices) const {
  std::vector<Choice> own;
  return layers_->resolve(data, choices != nullptr ? *choices : own);
}

}  // namespace agentnet
