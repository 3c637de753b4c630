// Options as data: one line per option, from which JSON, TOML, --help and every check are made.
//
// A struct of options has a function `visit(options, f)` that calls f(name, field, range, help) for each field, in the
// order in which they shall be listed; enums have their spellings in option_names<E>. Everything here works on that:
//
//   Json json = options_to_json(config, visit);
//   options_from_json(json, config, visit, "model option");
//
// The fields become a list of typed pointers, and all work is done on that list in option_table.cpp: compiled once, not
// in every file that has options.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace agentnet {

using Json = nlohmann::ordered_json;  // as in core/json.h

// The spellings of an enum, in the order of its values; specialise it where the table is.
template <class E>
inline constexpr std::array<std::string_view, 0> option_names{};  // NOLINT(readability-identifier-naming): a template

struct OptionRange {
  double least = 0;
  double most = 0;  // inclusive
};
inline constexpr OptionRange kAnyValue{};

namespace options {

// A field whose value is one of several names.
struct EnumField {
  void* field;
  std::int64_t (*get)(const void* field);
  void (*set)(void* field, std::int64_t value);
  std::span<const std::string_view> names;
};

// A pointer to a plain field.
using PlainField = std::variant<bool*, int*, std::int64_t*, std::uint64_t*, double*, std::string*,
                                std::vector<std::string>*, std::vector<int>*, EnumField>;

// A field that may be empty, which is spelled "auto".
struct OptionalField {
  void* field;
  bool (*has_value)(const void* field);
  void (*reset)(void* field);
  PlainField (*value)(void* field);   // of a field that is not empty
  PlainField (*refill)(void* field);  // makes it a default value first
  PlainField type;                    // a null pointer of the type, or an enum without a field
};

struct Option {
  const char* name;
  std::variant<PlainField, OptionalField> field;
  OptionRange range;
  const char* help;
};

template <class T>
PlainField plain_field(T* field) {
  if constexpr (std::is_enum_v<T>) {
    return EnumField{field, [](const void* at) { return static_cast<std::int64_t>(*static_cast<const T*>(at)); },
                     [](void* at, std::int64_t value) { *static_cast<T*>(at) = static_cast<T>(value); },
                     option_names<T>};
  } else {
    return field;
  }
}

template <class T>
std::variant<PlainField, OptionalField> field_of(T* field) {
  return plain_field(field);
}

template <class T>
std::variant<PlainField, OptionalField> field_of(std::optional<T>* field) {
  using Field = std::optional<T>;
  return OptionalField{field,
                       [](const void* at) { return static_cast<const Field*>(at)->has_value(); },
                       [](void* at) { static_cast<Field*>(at)->reset(); },
                       [](void* at) { return plain_field(&**static_cast<Field*>(at)); },
                       [](void* at) { return plain_field(&static_cast<Field*>(at)->emplace()); },
                       plain_field(static_cast<T*>(nullptr))};
}

template <class Options, class Visit>
[[nodiscard]] std::vector<Option> list_fields(Options& values, const Visit& visit) {
  std::vector<Option> all;
  visit(values, [&](const char* name, auto& field, OptionRange range, const char* help) {
    all.push_back({name, field_of(&field), range, help});
  });
  return all;
}

// For what only reads through the pointers.
template <class Options, class Visit>
[[nodiscard]] std::vector<Option> list_const_fields(const Options& values, const Visit& visit) {
  return list_fields(const_cast<Options&>(values), visit);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

// What the templates below do, on lists of fields.
[[nodiscard]] Json to_json(const std::vector<Option>& all);
[[nodiscard]] std::string to_text(const std::vector<Option>& all);
void from_json(const Json& json, const std::vector<Option>& all, std::string_view what);
void from_text(std::string_view json, const std::vector<Option>& all, std::string_view what);
void check_ranges(const std::vector<Option>& all, std::string_view what);

struct Description {
  const char* name;
  std::string default_value, allowed;
  const char* help;
};
[[nodiscard]] std::vector<Description> describe(const std::vector<Option>& defaults);

}  // namespace options

template <class Options, class Visit>
[[nodiscard]] auto options_to_json(const Options& values, const Visit& visit) {
  return options::to_json(options::list_const_fields(values, visit));
}

// Sets the fields that `json` has, and leaves the others. Throws Error (kUsage) for an unknown key, with a suggestion,
// and for a value of a wrong type or out of range. `what` stands in the message: "model option".
template <class Options, class Visit>
void options_from_json(const Json& json, Options& values, const Visit& visit, std::string_view what) {
  options::from_json(json, options::list_fields(values, visit), what);
}

// The same by way of JSON text of at most 4 MB: what compiles faster than a tree.
template <class Options, class Visit>
[[nodiscard]] std::string options_to_text(const Options& values, const Visit& visit) {
  return options::to_text(options::list_const_fields(values, visit));
}
template <class Options, class Visit>
void options_from_text(std::string_view json, Options& values, const Visit& visit, std::string_view what) {
  options::from_text(json, options::list_fields(values, visit), what);
}

// Throws Error (kUsage) naming the first number or enum that is out of range.
template <class Options, class Visit>
void check_ranges(const Options& values, const Visit& visit, std::string_view what) {
  options::check_ranges(options::list_const_fields(values, visit), what);
}

// f(name, default value, allowed values, help) for each option.
template <class Options, class Visit, class F>
void describe_options(const Visit& visit, const F& f) {
  Options defaults{};
  for (const options::Description& one : options::describe(options::list_fields(defaults, visit))) {
    f(one.name, one.default_value, one.allowed, one.help);
  }
}

}  // namespace agentnet
