// Options as data: one line per option, from which JSON, TOML, --help and every check are made.
//
// A struct of options has a function `visit(options, f)` that calls f(name, field, range, help) for each field, in the
// order in which they shall be listed; enums have their spellings in option_names<E>. Everything here works on that:
//
//   Json json = options_to_json(config, visit);
//   options_from_json(json, config, visit, "model option");
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "agentnet/error.h"
#include "core/checked.h"
#include "core/json.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet {

// The spellings of an enum, in the order of its values; specialise it where the table is.
template <class E>
inline constexpr std::array<std::string_view, 0> option_names{};

struct OptionRange {
  double least = 0;
  double most = 0;  // inclusive
};
inline constexpr OptionRange kAnyValue{};

namespace options {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

inline std::string list_names(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

inline std::string range_text(OptionRange r) { return fmt::format("{} to {}", r.least, r.most); }

// What a field can be, in words.
template <class T>
std::string allowed(OptionRange range) {
  if constexpr (std::is_same_v<T, bool>) {
    return "true, false";
  } else if constexpr (std::is_enum_v<T>) {
    return list_names(option_names<T>);
  } else if constexpr (is_optional<T>) {
    return "auto, " + allowed<typename T::value_type>(range);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "a text";
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return "a list of texts";
  } else if constexpr (std::is_same_v<T, std::vector<int>>) {
    return "a list of whole numbers, each " + range_text(range);
  } else {
    return range_text(range);
  }
}

// The spelling of an enum's value. A value that has none came from a cast; it is refused as any other value out of
// range.
template <class E>
std::string_view name_of(E value, std::string_view what, std::string_view name) {
  const auto number = static_cast<std::int64_t>(value);
  if (number < 0 || static_cast<std::size_t>(number) >= option_names<E>.size()) {
    throw Error(ErrorKind::kUsage, fmt::format("{} '{}' is the unknown value {}", what, name, number),
                fmt::format("it can be {}", list_names(option_names<E>)));
  }
  return option_names<E>[static_cast<std::size_t>(number)];
}

template <class T>
Json to_json(const T& field, std::string_view name) {
  if constexpr (std::is_enum_v<T>) {
    return name_of(field, "option", name);
  } else if constexpr (is_optional<T>) {
    return field ? to_json(*field, name) : Json("auto");
  } else {
    return field;
  }
}

// Reads one value; `what` is the table's name for an option ("model option").
class Reader {
 public:
  Reader(std::string_view what, std::string_view name, OptionRange range) : what_(what), name_(name), range_(range) {}

  template <class T>
  void read(const Json& v, T& field) const {
    if constexpr (std::is_same_v<T, bool>) {
      if (!v.is_boolean()) refuse(v, "true or false");
      field = v.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
      field = whole<T>(v);
    } else if constexpr (std::is_same_v<T, double>) {
      if (!v.is_number()) refuse(v, range_text(range_));
      field = v.get<double>();
      check(v, field);
    } else if constexpr (std::is_enum_v<T>) {
      const auto& names = option_names<T>;
      const auto at = v.is_string() ? std::find(names.begin(), names.end(), v.get<std::string>()) : names.end();
      if (at == names.end()) refuse(v, list_names(names));
      field = static_cast<T>(at - names.begin());
    } else if constexpr (is_optional<T>) {
      if (v.is_string() && v.get<std::string>() == "auto") {
        field.reset();
      } else {
        read(v, field.emplace());
      }
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!v.is_string()) refuse(v, "a text");
      field = v.get<std::string>();
    } else {
      constexpr bool kTexts = std::is_same_v<T, std::vector<std::string>>;
      if (!v.is_array()) refuse(v, kTexts ? "a list of texts" : "a list of whole numbers");
      field.clear();
      for (const Json& entry : v) read(entry, field.emplace_back());
    }
  }

 private:
  template <class T>
  [[nodiscard]] T whole(const Json& v) const {
    if (!v.is_number_integer()) refuse(v, "a whole number, " + range_text(range_));
    // Not by way of a double, which has no room for all whole numbers of 64 bits.
    const std::optional<T> value =
        v.is_number_unsigned() ? checked_cast<T>(v.get<std::uint64_t>()) : checked_cast<T>(v.get<std::int64_t>());
    if (!value || !in_range(*value)) refuse(v, range_text(range_));
    return *value;
  }
  template <class T>
  [[nodiscard]] bool in_range(T value) const {
    const auto least = checked_from_double<T>(std::ceil(range_.least));
    const auto most = checked_from_double<T>(std::floor(range_.most));
    // A bound that T cannot hold lies below or above everything that it can.
    return (least ? value >= *least : range_.least < 0) && (most ? value <= *most : range_.most > 0);
  }
  void check(const Json& v, double value) const {
    if (!(value >= range_.least && value <= range_.most)) refuse(v, range_text(range_));
  }
  [[noreturn]] void refuse(const Json& found, const std::string& allowed) const {
    throw Error(ErrorKind::kUsage, fmt::format("{} '{}' is {}", what_, name_, shown(found)),
                fmt::format("it can be {}", allowed));
  }

  std::string_view what_, name_;
  OptionRange range_;
};

template <class T>
void check_value(const T& field, std::string_view what, std::string_view name, OptionRange range) {
  if constexpr (std::is_enum_v<T>) {
    static_cast<void>(name_of(field, what, name));
  } else if constexpr (is_optional<T>) {
    if (field) check_value(*field, what, name, range);
  } else if constexpr (!std::is_same_v<T, bool> && (std::is_arithmetic_v<T> || std::is_same_v<T, std::vector<int>>)) {
    T copy{};
    Reader(what, name, range).read(Json(field), copy);
  }
}

}  // namespace options

template <class Options, class Visit>
[[nodiscard]] Json options_to_json(const Options& values, const Visit& visit) {
  Json out = Json::object();
  visit(values, [&](const char* name, const auto& field, OptionRange, const char*) {
    out[name] = options::to_json(field, name);
  });
  return out;
}

// Sets the fields that `json` has, and leaves the others. Throws Error (kUsage) for an unknown key, with a suggestion,
// and for a value of a wrong type or out of range. `what` stands in the message: "model option".
template <class Options, class Visit>
void options_from_json(const Json& json, Options& values, const Visit& visit, std::string_view what) {
  if (!json.is_object())
    throw Error(ErrorKind::kUsage, fmt::format("{}s: not a JSON object", what), "write {\"NAME\": VALUE, ...}");
  std::vector<std::string> known;
  visit(values, [&](const char* name, const auto&, OptionRange, const char*) { known.emplace_back(name); });
  for (const auto& [key, value] : json.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const auto close = closest_match(key, known);
    throw Error(ErrorKind::kUsage, fmt::format("unknown {} {}", what, in_quotes(key)),
                close ? fmt::format("did you mean '{}'?", *close) : "see the list of options in docs");
  }
  visit(values, [&](const char* name, auto& field, OptionRange range, const char*) {
    if (const auto at = json.find(name); at != json.end()) options::Reader(what, name, range).read(*at, field);
  });
}

// Throws Error (kUsage) naming the first number or enum that is out of range.
template <class Options, class Visit>
void check_ranges(const Options& values, const Visit& visit, std::string_view what) {
  visit(values, [&](const char* name, const auto& field, OptionRange range, const char*) {
    using T = std::remove_cvref_t<decltype(field)>;
    options::check_value<T>(field, what, name, range);
  });
}

// f(name, default value, allowed values, help) for each option.
template <class Options, class Visit, class F>
void describe_options(const Visit& visit, const F& f) {
  const Options defaults{};
  visit(defaults, [&](const char* name, const auto& field, OptionRange range, const char* help) {
    const Json value = options::to_json(field, name);
    f(name, value.is_string() ? value.get<std::string>() : value.dump(),
      options::allowed<std::remove_cvref_t<decltype(field)>>(range), help);
  });
}

}  // namespace agentnet
