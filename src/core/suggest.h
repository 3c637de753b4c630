// "Did you mean ...?"
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace agentnet {

// Insertions, deletions, substitutions and swaps of neighbouring letters that turn a into b; letters
// that differ only in case (ASCII) count as equal.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, the first of them on a tie; nothing if none is near enough to be
// what was meant (more than a third of the longer word's letters differ).
[[nodiscard]] std::optional<std::string> closest_match(std::string_view word, std::span<const std::string> candidates);

}  // namespace agentnet
