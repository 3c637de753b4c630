// JSON text becomes a tree here and nowhere else (scripts/check-layers holds everybody to it).
//
// The text may come from a stranger. A tree that is nested 80,000 deep overflows the stack of whoever copies, prints or
// destroys it, so depth and size have limits; a name that stands twice in an object is refused, because its readers
// would differ in which of the two they believe; and time and memory are linear in the text, which they are not when
// nlohmann's ordered objects look every new name up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "agentnet/error.h"
#include "core/checked.h"

namespace agentnet {

using Json = nlohmann::ordered_json;

struct JsonLimits {
  std::size_t depth = 64;           // of lists and objects in each other
  std::size_t bytes = 100'000'000;  // of the text
};

// Throws Error of this kind, "WHERE: byte N: ..."; `where` says which file and which part of it.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& where, ErrorKind kind = ErrorKind::kData,
                              const JsonLimits& limits = {});

// For readers that say in their own words what they expected: nothing where parse_json would throw.
[[nodiscard]] std::optional<Json> parse_json_if_valid(std::string_view text, const JsonLimits& limits = {});

// The member `name` of an object, as a bool, a number, a text, or whatever else nlohmann converts to. Throws Error
// (kData)
// "'epoch' is 1e300, not a whole number from 0 to 18446744073709551615": nlohmann would convert that without a look.
template <class T>
void read_member(const Json& object, const char* name, T& value);

// A value for a message: short and printable, whatever it is.
[[nodiscard]] std::string shown(const Json& value);

template <class T>
void read_member(const Json& object, const char* name, T& value) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::kData, "'" + std::string(name) + "' " + what, "the text is damaged: make it again");
  };
  const auto at = object.find(name);
  if (at == object.end()) return refuse("is missing");
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const std::optional<T> whole = at->is_number_unsigned()  ? checked_cast<T>(at->template get<std::uint64_t>())
                                   : at->is_number_integer() ? checked_cast<T>(at->template get<std::int64_t>())
                                                             : std::nullopt;
    if (!whole) {
      refuse("is " + shown(*at) + ", not a whole number from " + std::to_string(std::numeric_limits<T>::min()) +
             " to " + std::to_string(std::numeric_limits<T>::max()));
    }
    value = *whole;
  } else {
    try {
      at->get_to(value);
    } catch (const Json::exception&) {
      refuse("is " + shown(*at) + ", which is of another type than expected");
    }
  }
}

}  // namespace agentnet
