// Numbers out of text, the same in every locale. std::stod and its kin are not used: they throw on numbers that are
// merely very small, and stop in the middle of a word without a complaint.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace agentnet {

// The finite number that all of the text is. What is too small for a double is zero; what is too large, and what is no
// number, is nothing. A leading '+' is allowed; spaces are not.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

// A whole number from 0 on that all of the text is; nothing if it is none, or too large.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);

// The number with so many significant digits: what comes from floats has nine, more would be noise. What is not finite
// stays as it is, and -0 becomes 0.
[[nodiscard]] double rounded_to_digits(double value, int digits);

}  // namespace agentnet
