#include "core/option_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "agentnet/error.h"
#include "core/checked.h"
#include "core/json.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet::options {
namespace {

// std::visit with a function per type.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

std::string range_text(OptionRange r) { return fmt::format("{} to {}", r.least, r.most); }

// What a field can be, in words.
std::string allowed(const PlainField& field, OptionRange range) {
  return std::visit(Overloaded{
                        [](const bool*) -> std::string { return "true, false"; },
                        [](const std::string*) -> std::string { return "a text"; },
                        [](const std::vector<std::string>*) -> std::string { return "a list of texts"; },
                        [&](const std::vector<int>*) { return "a list of whole numbers, each " + range_text(range); },
                        [](const EnumField& e) { return join_text(e.names, ", "); },
                        [&](const auto*) { return range_text(range); },
                    },
                    field);
}

// The spelling of an enum's value. A value that has none came from a cast; it is refused as any other value out of
// range.
std::string_view name_of(const EnumField& e, std::string_view what, std::string_view name) {
  const std::int64_t number = e.get(e.field);
  if (number < 0 || static_cast<std::size_t>(number) >= e.names.size()) {
    throw Error(ErrorKind::kUsage, fmt::format("{} '{}' is the unknown value {}", what, name, number),
                fmt::format("it can be {}", join_text(e.names, ", ")));
  }
  return e.names[static_cast<std::size_t>(number)];
}

Json plain_json(const PlainField& field, std::string_view name) {
  return std::visit(Overloaded{
                        [&](const EnumField& e) -> Json { return name_of(e, "option", name); },
                        [](const auto* value) -> Json { return *value; },
                    },
                    field);
}

Json field_json(const Option& option) {
  if (const auto* plain = std::get_if<PlainField>(&option.field)) return plain_json(*plain, option.name);
  const auto& field = std::get<OptionalField>(option.field);
  return field.has_value(field.field) ? plain_json(field.value(field.field), option.name) : Json("auto");
}

// Reads one value; `what` is the table's name for an option ("model option").
class Reader {
 public:
  Reader(std::string_view what, std::string_view name, OptionRange range) : what_(what), name_(name), range_(range) {}

  void read(const Json& v, const PlainField& field) const {
    std::visit(Overloaded{[&](const EnumField& e) { read_name(v, e); }, [&](auto* value) { read(v, *value); }}, field);
  }

  void read(const Json& v, const OptionalField& field) const {
    if (v.is_string() && v.get<std::string>() == "auto") {
      field.reset(field.field);
    } else {
      read(v, field.refill(field.field));
    }
  }

  void read(const Json& v, bool& field) const {
    if (!v.is_boolean()) refuse(v, "true or false");
    field = v.get<bool>();
  }
  void read(const Json& v, int& field) const { field = whole<int>(v); }
  void read(const Json& v, std::int64_t& field) const { field = whole<std::int64_t>(v); }
  void read(const Json& v, std::uint64_t& field) const { field = whole<std::uint64_t>(v); }
  void read(const Json& v, double& field) const {
    if (!v.is_number()) refuse(v, range_text(range_));
    field = v.get<double>();
    if (!(field >= range_.least && field <= range_.most)) refuse(v, range_text(range_));
  }
  void read(const Json& v, std::string& field) const {
    if (!v.is_string()) refuse(v, "a text");
    field = v.get<std::string>();
  }
  void read(const Json& v, std::vector<std::string>& field) const { read_list(v, field, "a list of texts"); }
  void read(const Json& v, std::vector<int>& field) const { read_list(v, field, "a list of whole numbers"); }

 private:
  void read_name(const Json& v, const EnumField& e) const {
    const auto at = v.is_string() ? std::find(e.names.begin(), e.names.end(), v.get<std::string>()) : e.names.end();
    if (at == e.names.end()) refuse(v, join_text(e.names, ", "));
    e.set(e.field, at - e.names.begin());
  }
  template <class T>
  void read_list(const Json& v, std::vector<T>& field, const char* what) const {
    if (!v.is_array()) refuse(v, what);
    field.clear();
    for (const Json& entry : v) read(entry, field.emplace_back());
  }
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
  [[noreturn]] void refuse(const Json& found, const std::string& allowed) const {
    throw Error(ErrorKind::kUsage, fmt::format("{} '{}' is {}", what_, name_, shown(found)),
                fmt::format("it can be {}", allowed));
  }

  std::string_view what_, name_;
  OptionRange range_;
};

template <class T>
void check_number(const T& value, const Reader& reader) {
  T copy{};
  reader.read(Json(value), copy);
}

void check_plain(const PlainField& field, std::string_view what, const Option& option) {
  const Reader reader(what, option.name, option.range);
  std::visit(Overloaded{
                 [&](const EnumField& e) { static_cast<void>(name_of(e, what, option.name)); },
                 [](const bool*) {},
                 [](const std::string*) {},
                 [](const std::vector<std::string>*) {},
                 [&](const auto* value) { check_number(*value, reader); },
             },
             field);
}

void check_key(const std::string& key, const std::vector<Option>& all, std::string_view what) {
  std::vector<std::string> known;
  for (const Option& option : all) {
    if (key == option.name) return;
    known.emplace_back(option.name);
  }
  const auto close = closest_match(key, known);
  throw Error(ErrorKind::kUsage, fmt::format("unknown {} {}", what, in_quotes(key)),
              close ? fmt::format("did you mean '{}'?", *close) : "see the list of options in docs");
}

}  // namespace

Json to_json(const std::vector<Option>& all) {
  Json out = Json::object();
  for (const Option& option : all) out[option.name] = field_json(option);
  return out;
}

std::string to_text(const std::vector<Option>& all) { return to_json(all).dump(); }

void from_json(const Json& json, const std::vector<Option>& all, std::string_view what) {
  if (!json.is_object())
    throw Error(ErrorKind::kUsage, fmt::format("{}s: not a JSON object", what), "write {\"NAME\": VALUE, ...}");
  for (const auto& [key, value] : json.items()) check_key(key, all, what);
  for (const Option& option : all) {
    const auto at = json.find(option.name);
    if (at == json.end()) continue;
    std::visit([&](const auto& field) { Reader(what, option.name, option.range).read(*at, field); }, option.field);
  }
}

void from_text(std::string_view json, const std::vector<Option>& all, std::string_view what) {
  // Long enough for a model that has all columns that it may have.
  constexpr JsonLimits kLimits{.depth = 8, .bytes = std::size_t{4} << 20};
  from_json(parse_json(json, fmt::format("{}s", what), ErrorKind::kUsage, kLimits), all, what);
}

void check_ranges(const std::vector<Option>& all, std::string_view what) {
  for (const Option& option : all) {
    if (const auto* plain = std::get_if<PlainField>(&option.field)) {
      check_plain(*plain, what, option);
    } else if (const auto& field = std::get<OptionalField>(option.field); field.has_value(field.field)) {
      check_plain(field.value(field.field), what, option);
    }
  }
}

std::vector<Description> describe(const std::vector<Option>& defaults) {
  std::vector<Description> all;
  for (const Option& option : defaults) {
    const Json value = field_json(option);
    const auto* optional = std::get_if<OptionalField>(&option.field);
    all.push_back({option.name, value.is_string() ? value.get<std::string>() : value.dump(),
                   optional ? "auto, " + allowed(optional->type, option.range)
                            : allowed(std::get<PlainField>(option.field), option.range),
                   option.help});
  }
  return all;
}

}  // namespace agentnet::options
