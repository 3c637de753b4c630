#include "core/number.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace agentnet {
namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 40;  // beyond every exponent and every length of a text

// The exponent that stands behind 'e', as far as it matters how large it is.
std::int64_t stated_exponent(std::string_view digits) {
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t value = 0;
  for (const char c : digits) value = std::min(kHuge, 10 * value + (c - '0'));
  return negative ? -value : value;
}

// Whether a decimal number that no double can hold is too small rather than too large. The library does not say which.
bool is_tiny(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const std::int64_t place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  return place + (e < text.size() ? stated_exponent(text.substr(e + 1)) : 0) < 0;
}

template <class T>
std::optional<T> parsed(std::string_view text, std::errc& problem) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  problem = error;
  if (end != text.data() + text.size()) problem = std::errc::invalid_argument;
  return problem == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::errc problem{};
  const auto value = parsed<double>(text, problem);
  if (problem == std::errc::result_out_of_range && is_tiny(text)) return 0.0;
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::errc problem{};
  return parsed<std::uint64_t>(text, problem);
}

double rounded_to_digits(double value, int digits) {
  if (!std::isfinite(value)) return value;
  return parse_number(fmt::format("{:.{}g}", value, digits)).value_or(value) + 0.0;  // no -0.0
}

}  // namespace agentnet
