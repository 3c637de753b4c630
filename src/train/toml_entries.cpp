#include "train/toml_entries.h"

#include <fmt/format.h>
#include <toml++/impl/preprocessor.h>

// toml++ 3.3 takes some things for granted of texts that it has not checked ("[=]" is enough): an abort in debug
// builds, undefined behaviour in others. Here they are checked always, and are errors of the text like any other.
struct TomlMisstep {};
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : throw TomlMisstep{})
#define TOML_ASSERT_ASSUME(expr) TOML_ASSERT(expr)
#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "agentnet/error.h"
#include "core/text.h"

namespace agentnet {
namespace {

constexpr std::size_t kLongestText = 1 << 20;
constexpr std::ptrdiff_t kMostDots = 1000;  // in a line: a key of a million parts would be a tree of that depth

struct Place {
  std::size_t line = 1, column = 1;
};

Place place_of(const toml::source_region& region) {
  return {std::max<std::size_t>(1, region.begin.line), std::max<std::size_t>(1, region.begin.column)};
}

std::string place_text(const std::string& name, Place place) {
  return fmt::format("{}:{}:{}", printable(name), place.line, place.column);
}

constexpr const char* kHint =
    "write sections [data], [model] and [train], and in them lines like  agents = 32  or  split = \"official\"";

// Where a misstep happens: at the end of the shortest beginning of the text that has it.
Place place_of_misstep(std::string_view text) {
  const auto missteps = [&](std::size_t length) {
    try {
      static_cast<void>(toml::parse(text.substr(0, length)));
    } catch (const TomlMisstep&) {
      return true;
    } catch (const toml::parse_error&) {
    }
    return false;
  };
  std::size_t good = 0, bad = text.size();
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (missteps(middle) ? bad : good) = middle;
  }
  Place place;
  for (const char c : text.substr(0, good)) {
    place = c == '\n' ? Place{place.line + 1, 1} : Place{place.line, place.column + 1};
  }
  return place;
}

// What toml++ says, without its preface "Error while parsing ...: ".
Error refusal(const std::string& name, const toml::parse_error& error) {
  std::string what(error.description());
  if (what.starts_with("Error")) {
    if (const std::size_t colon = what.find(": "); colon != std::string::npos) what.erase(0, colon + 2);
  }
  const std::string place = place_text(name, place_of(error.source()));
  if (what.find("redefine") != std::string::npos) {
    const std::size_t first = what.find('\''), last = what.rfind('\'');
    const std::string key = first < last ? what.substr(first + 1, last - first - 1) : "a key";
    return {ErrorKind::kUsage, fmt::format("{}: {} is given twice", place, in_quotes(key)), "keep one of them"};
  }
  return {ErrorKind::kUsage, fmt::format("{}: not TOML: {}", place, printable(what)), kHint};
}

// Nothing if it is no value of a setting.
std::optional<Json> value_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return Json(text->get());
  if (const auto* whole = node.as_integer()) return Json(whole->get());
  if (const auto* number = node.as_floating_point()) return Json(number->get());
  if (const auto* flag = node.as_boolean()) return Json(flag->get());
  const toml::array* list = node.as_array();
  if (list == nullptr) return std::nullopt;
  Json values = Json::array();
  for (const toml::node& entry : *list) {
    if (entry.is_array()) return std::nullopt;
    const auto value = value_of(entry);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

const char* kind_of(const toml::node& node) {
  if (node.is_table()) return "a table";
  return node.is_array() ? "a list of tables, dates or lists" : "a date or time";
}

class Collector {
 public:
  explicit Collector(const std::string& name) : name_(name) {}

  void add(const std::string& section, const toml::key& key, const toml::node& node) {
    const Place place = place_of(key.source());
    const auto value = value_of(node);
    if (!value) {
      found_.push_back({place, {section, std::string(key.str()), nullptr, place_text(name_, place)}, kind_of(node)});
    } else {
      found_.push_back({place, {section, std::string(key.str()), *value, place_text(name_, place)}, nullptr});
    }
  }
  void add_section(const toml::key& key) {
    const Place place = place_of(key.source());
    found_.push_back({place, {std::string(key.str()), "", nullptr, place_text(name_, place)}, nullptr});
  }

  // toml++ sorts by name; the first mistake in the text is the one to report.
  std::vector<TomlEntry> take() {
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
    });
    std::vector<TomlEntry> entries;
    for (Found& found : found_) {
      if (found.unfit != nullptr) {
        throw Error(
            ErrorKind::kUsage, fmt::format("{}: {} is {}", found.entry.place, in_quotes(found.entry.key), found.unfit),
            "settings are texts, numbers, true, false or a list of texts; sections are [data], [model], [train]");
      }
      entries.push_back(std::move(found.entry));
    }
    return entries;
  }

 private:
  struct Found {
    Place place;
    TomlEntry entry;
    const char* unfit;  // what the value is, if it cannot be one
  };
  const std::string& name_;
  std::vector<Found> found_;
};

void check_size(std::string_view text, const std::string& name) {
  if (text.size() > kLongestText) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: too long for settings ({} bytes)", place_text(name, {}), text.size()),
                "is it the right file?");
  }
  Place place;
  for (std::size_t at = 0; at < text.size(); ++place.line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(end),
                   '.') > kMostDots) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: a line with too many dots", place_text(name, place)),
                  "is it the right file?");
    }
    at = end + 1;
  }
}

std::string quoted(const std::string& text) {
  // JSON's escapes are TOML's too; but for one character that TOML does not take as it is.
  std::string out;
  for (const char c : Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '\x7f') {
      out += "\\u007F";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::vector<TomlEntry> read_toml(std::string_view text, const std::string& name) {
  check_size(text, name);
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw refusal(name, error);
  } catch (const TomlMisstep&) {
    const std::string place = place_text(name, place_of_misstep(text));
    throw Error(ErrorKind::kUsage, fmt::format("{}: not TOML: this cannot stand here", place), kHint);
  }
  Collector collector(name);
  for (const auto& [key, node] : table) {
    const toml::table* section = node.as_table();
    if (section == nullptr) {
      collector.add("", key, node);
      continue;
    }
    collector.add_section(key);
    for (const auto& [inner, value] : *section) collector.add(std::string(key.str()), inner, value);
  }
  return collector.take();
}

Json read_toml_value(std::string_view text) {
  if (text.size() > kLongestText || std::count(text.begin(), text.end(), '.') > kMostDots) return nullptr;
  try {
    const toml::table table = toml::parse("v = " + std::string(text));
    const toml::node* node = table.get("v");
    if (node == nullptr || table.size() != 1) return nullptr;
    return value_of(*node).value_or(Json());
  } catch (const toml::parse_error&) {
    return nullptr;
  } catch (const TomlMisstep&) {
    return nullptr;
  }
}

std::string toml_value(const Json& value) {
  if (value.is_string()) return quoted(value.get<std::string>());
  if (value.is_array()) {
    std::string list;
    for (const Json& entry : value) list += (list.empty() ? "" : ", ") + toml_value(entry);
    return "[" + list + "]";
  }
  if (!value.is_number_float()) return value.dump();
  std::string number = fmt::format("{}", value.get<double>());
  if (number.find_first_of(".en") == std::string::npos) number += ".0";  // a whole number would be another type
  return number;
}

}  // namespace agentnet
