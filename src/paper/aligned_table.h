// Tables for people: Markdown whose columns also line up on a screen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace agentnet {

// Columns on the screen that a text takes: bytes that begin a character.
[[nodiscard]] std::size_t width_of(const std::string& text);

// The first row is the heading; all rows have as many cells.
[[nodiscard]] std::string aligned_markdown(const std::vector<std::vector<std::string>>& rows);

// "12 s", "3.4 min", "2.1 h"
[[nodiscard]] std::string training_time(double seconds);

}  // namespace agentnet
