#include "tune/space.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "agentnet/error.h"
#include "core/text.h"
#include "nets/kinds.h"
#include "run/toml_entries.h"

namespace agentnet {
namespace {

constexpr const char* kKind = "model.kind";
constexpr std::size_t kMostDimensions = 50, kMostValues = 100, kMostPoints = 10'000;

Error refusal(const std::string& place, const std::string& what, const std::string& hint) {
  return {ErrorKind::kUsage, fmt::format("{}: {}", place, what), hint};
}

// What a search compares by must be the same for all trials.
void check_may_be_searched(const TomlEntry& entry) {
  constexpr std::array<std::pair<std::string_view, const char*>, 7> kFixed = {{
      {"train.epochs", "it decides how long trials train, which is the search's to choose"},
      {"train.evaluate_every", "trials are compared at the same epochs"},
      {"train.metric", "it is what trials are compared by"},
      {"train.rollouts", "trials are compared by it"},
      {"train.test_rollouts", "the test is the same for all trials"},
      {"train.seed", "a lucky seed is no setting"},
      {"train.patience", "trials are compared at the same epochs"},
  }};
  const std::string key = entry.section + "." + entry.key;
  for (const auto& [fixed, why] : kFixed) {
    if (key == fixed) {
      throw refusal(entry.place, fmt::format("{} cannot be searched: {}", key, why),
                    fmt::format("set it for all trials: --set {}=...", key));
    }
  }
}

// The whole text as a number; `whole` says whether it is written as a whole one.
std::optional<double> number_of(std::string_view text, bool& whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  whole = text.find_first_of(".eE") == std::string_view::npos;
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "16..256 log"; false if the text is no range but a value.
bool read_range(std::string_view text, Dimension& dimension) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return false;
  constexpr double kLargestWhole = 9007199254740992;
  std::string_view last = trimmed(text.substr(dots + 2));
  dimension.logarithmic = last.ends_with(" log");
  if (dimension.logarithmic) last = trimmed(last.substr(0, last.size() - 4));
  bool whole_least = false, whole_most = false;
  const auto least = number_of(trimmed(text.substr(0, dots)), whole_least), most = number_of(last, whole_most);
  const auto refuse = [&](const char* what) {
    return refusal(dimension.place, fmt::format("{} is no range: {}", in_quotes(text), what),
                   "write it like \"16..256\", \"0.0..0.5\" or \"1e-4..1e-2 log\"");
  };
  if (!least || !most) throw refuse("its ends are not two numbers");
  if (!(*least < *most)) throw refuse("it does not go up");
  if (dimension.logarithmic && !(*least > 0)) throw refuse("a logarithm needs numbers above zero");
  dimension.is_range = true;
  dimension.whole = whole_least && whole_most;
  if (dimension.whole && std::max(std::abs(*least), std::abs(*most)) > kLargestWhole) {
    throw refuse("its ends are too large");
  }
  dimension.least = *least;
  dimension.most = *most;
  return true;
}

SettingsLayers::Value value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_array()) return json.get<std::vector<std::string>>();
  return json.get<std::string>();
}

Json number_json(double value, bool whole) { return whole ? Json(static_cast<std::int64_t>(value)) : Json(value); }

bool kind_has(const NetworkKind& kind, std::string_view option) {
  const std::vector<OptionHelp> options = kind.options();
  return std::ranges::any_of(options, [&](const OptionHelp& one) { return one.name == option; });
}

// A drawn number has three digits, so that tables and config files stay readable.
double three_digits(double value) {
  const std::string text = fmt::format("{:.3g}", value);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

Json Dimension::draw(RandomSequence& random) const {
  if (!is_range) return values[random.below(values.size())];
  const double u = random.uniform();
  if (whole && !logarithmic) {
    return number_json(std::min(most, least + std::floor(u * (most - least + 1))), true);
  }
  const double value =
      logarithmic ? std::exp(std::log(least) + u * (std::log(most) - std::log(least))) : least + u * (most - least);
  return number_json(std::clamp(whole ? std::round(value) : three_digits(value), least, most), whole);
}

std::string Point::text() const {
  std::string text;
  for (const auto& [dimension, value] : values) text += fmt::format("{}={}\n", dimension->key, value.dump());
  return text;
}

SearchSpace::SearchSpace(std::string_view toml, const std::string& name, const std::string& kind) : kind_(kind) {
  for (const TomlEntry& entry : read_toml(toml, name)) {
    if (entry.key.empty() && entry.value.is_null()) {
      if (entry.section == "model" || entry.section == "train") continue;
      if (entry.section == "data") {
        throw refusal(entry.place, "the data is the same for all trials", "name it on the command line or with -c");
      }
      throw refusal(entry.place, fmt::format("a space has no section {}", in_quotes(entry.section)),
                    "there are [model] and [train]");
    }
    if (entry.section.empty()) {
      throw refusal(entry.place, fmt::format("{} stands in no section", in_quotes(entry.key)),
                    "write it under [model] or [train]");
    }
    check_may_be_searched(entry);
    Dimension dimension;
    dimension.key = entry.section + "." + entry.key;
    dimension.place = entry.place;
    if (entry.value.is_array()) {
      dimension.values.assign(entry.value.begin(), entry.value.end());
    } else if (!entry.value.is_string() || !read_range(entry.value.get<std::string>(), dimension)) {
      dimension.values = {entry.value};
    }
    if (!dimension.is_range && dimension.values.empty()) {
      throw refusal(entry.place, fmt::format("{} has no values", dimension.key), "give some, or leave it out");
    }
    if (dimension.values.size() > kMostValues || dimensions_.size() == kMostDimensions) {
      throw refusal(entry.place, "the space is too large",
                    fmt::format("{} settings with {} values each are the most", kMostDimensions, kMostValues));
    }
    std::set<std::string> seen;
    for (const Json& value : dimension.values) {
      if (seen.insert(value.dump()).second) continue;
      throw refusal(entry.place, fmt::format("{} has the value {} twice", dimension.key, shown(value)),
                    "leave one of them out");
    }
    dimensions_.push_back(std::move(dimension));
  }
  const auto searched = std::ranges::find(dimensions_, kKind, &Dimension::key);
  if (searched != dimensions_.end()) {
    check(*searched);
    std::rotate(dimensions_.begin(), searched, searched + 1);
  }
  for (const Dimension& dimension : dimensions_) check(dimension);
  if (dimensions_.empty()) {
    throw refusal(fmt::format("{}:1:1", printable(name)), "the space is empty",
                  "give at least one setting a list of values");
  }
}

void SearchSpace::remove(std::string_view key) {
  std::erase_if(dimensions_, [&](const Dimension& dimension) { return dimension.key == key; });
}

std::vector<std::string> SearchSpace::kinds() const {
  if (dimensions_.empty() || dimensions_.front().key != kKind) return {kind_};
  std::vector<std::string> names;
  for (const Json& value : dimensions_.front().values) names.push_back(value.get<std::string>());
  return names;
}

bool SearchSpace::applies(const Dimension& dimension, const std::string& kind) const {
  if (!dimension.key.starts_with("model.") || dimension.key == kKind) return true;
  return kind_has(builtin_kinds().at(kind), std::string_view(dimension.key).substr(6));
}

// Every value by itself, for every kind of network that has the setting, as a file of settings would be checked.
void SearchSpace::check(const Dimension& dimension) const {
  std::vector<Json> values = dimension.values;
  if (dimension.is_range)
    values = {number_json(dimension.least, dimension.whole), number_json(dimension.most, dimension.whole)};
  const std::vector<std::string> names = dimension.key == kKind ? std::vector<std::string>{"agentnet"} : kinds();
  bool checked = false;
  for (const std::string& kind : names) {
    if (!applies(dimension, kind)) continue;
    checked = true;
    for (const Json& value : values) {
      SettingsLayers layers;
      if (dimension.key != kKind) layers.flag(kKind, kind, dimension.place);
      layers.flag(dimension.key, value_of(value), dimension.place);
    }
  }
  if (checked) return;
  SettingsLayers layers;  // which says what there is instead, if no kind of network has such an option
  layers.flag(kKind, names.front(), dimension.place);
  layers.flag(dimension.key, value_of(values.front()), dimension.place);
  throw refusal(dimension.place,
                fmt::format("no kind of network of this space has an option {}", in_quotes(dimension.key)),
                fmt::format("kinds are {}; search others with kind = [...]", join_text(names, ", ")));
}

Point SearchSpace::draw(RandomSequence& random) const {
  Point point;
  std::string kind = kind_;
  for (const Dimension& dimension : dimensions_) {
    Json value = dimension.draw(random);  // also where it does not apply: the draws of others do not depend on it
    if (dimension.key == kKind) kind = value.get<std::string>();
    if (applies(dimension, kind)) point.values.emplace_back(&dimension, std::move(value));
  }
  return point;
}

std::vector<Point> SearchSpace::grid() const {
  std::vector<Point> points = {Point{}};
  for (const Dimension& dimension : dimensions_) {
    if (dimension.is_range) {
      throw refusal(dimension.place, fmt::format("a grid has no ranges, and {} is one", dimension.key),
                    "list its values: [1e-4, 1e-3, 1e-2]");
    }
    std::vector<Point> more;
    for (const Point& point : points) {
      const auto named = std::ranges::find_if(point.values, [](const auto& one) { return one.first->key == kKind; });
      const std::string kind = named != point.values.end() ? named->second.get<std::string>() : kind_;
      if (dimension.key != kKind && !applies(dimension, kind)) {
        more.push_back(point);
        continue;
      }
      for (const Json& value : dimension.values) {
        more.push_back(point);
        more.back().values.emplace_back(&dimension, value);
      }
      if (more.size() > kMostPoints) {
        throw refusal(dimension.place, fmt::format("the grid has more than {} points", kMostPoints),
                      "list fewer values, or search at random: leave out --grid");
      }
    }
    points = std::move(more);
  }
  return points;
}

SettingsLayers with_point(const SettingsLayers& layers, const Point& point) {
  SettingsLayers own = layers;
  for (const auto& [dimension, value] : point.values) own.flag(dimension->key, value_of(value), dimension->place);
  return own;
}

}  // namespace agentnet
