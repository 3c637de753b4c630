// Small pieces of SVG text.
#pragma once

#include <string>
#include <string_view>

namespace agentnet {

// Text for between tags and for values in quotes. What XML cannot hold (control characters, bytes that are not UTF-8)
// becomes U+FFFD: a picture is for looking at.
[[nodiscard]] std::string xml_text(std::string_view text);

// Roughly how wide the text is in a sans-serif font of this size, and as much of it as has room, with "..." if it is
// cut.
[[nodiscard]] double text_width(std::string_view text, double size);
[[nodiscard]] std::string cut_to_width(std::string_view text, double size, double room);

struct TextStyle {
  double size = 12;
  const char* anchor = "start";  // start, middle, end
  const char* fill = "#222";
  bool bold = false;
  bool halo = false;  // white around the letters, where lines run below them
};

[[nodiscard]] std::string svg_text(double x, double y, std::string_view text, const TextStyle& style = {});

// The first tag and a white ground; the end is "</svg>\n". `title` is what readers who do not see the picture get.
[[nodiscard]] std::string svg_begin(double width, double height, std::string_view title);

// Three digits, no trailing zeros: "0.25", "1.3e-05".
[[nodiscard]] std::string short_number(double value);

}  // namespace agentnet
