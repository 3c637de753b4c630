#include "paper/aligned_table.h"

#include <fmt/core.h>

#include <algorithm>

namespace agentnet {

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string aligned_markdown(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      text += "| " + rows[r][c] + std::string(widths[c] - width_of(rows[r][c]) + 1, ' ');
    }
    text += "|\n";
    if (r > 0) continue;
    for (const std::size_t width : widths) text += "| " + std::string(std::max<std::size_t>(width, 3), '-') + " ";
    text += "|\n";
  }
  return text;
}

std::string training_time(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  return seconds < 6000 ? fmt::format("{:.1f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace agentnet
