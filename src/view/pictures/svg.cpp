#include "view/pictures/svg.h"

#include <fmt/core.h>

#include "core/text.h"

namespace agentnet {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// U+FFFE and U+FFFF are no XML characters either.
bool is_noncharacter(std::string_view rest) {
  return rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF");
}

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

void append_character(std::string& out, char c) {
  switch (c) {
    case '&':
      out += "&amp;";
      return;
    case '<':
      out += "&lt;";
      return;
    case '>':
      out += "&gt;";
      return;
    case '"':
      out += "&quot;";
      return;
    case '\t':
    case '\n':
    case '\r':
      out += ' ';
      return;
    default:
      if (static_cast<unsigned char>(c) < 0x20) {
        out += kReplacement;
      } else {
        out += c;
      }
  }
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t valid = valid_utf8_prefix(text);
    for (std::size_t i = 0; i < valid; ++i) {
      if (is_noncharacter(text.substr(i))) {
        out += kReplacement;
        i += 2;
      } else {
        append_character(out, text[i]);
      }
    }
    text.remove_prefix(valid);
    if (text.empty()) break;
    out += kReplacement;
    text.remove_prefix(1);
  }
  return out;
}

double text_width(std::string_view text, double size) {
  double width = 0;
  for (const char c : text) {
    if (!starts_character(c)) continue;
    const bool narrow = std::string_view("iljtfrI.,:;'|!()[] ").find(c) != std::string_view::npos;
    const bool wide = (c >= 'A' && c <= 'Z') || c == 'm' || c == 'w' || c == '%';
    width += narrow ? 0.32 : wide ? 0.72 : 0.57;
  }
  return width * size;
}

std::string cut_to_width(std::string_view text, double size, double room) {
  if (text_width(text, size) <= room) return std::string(text);
  std::size_t end = text.size();
  while (end > 0 && text_width(text.substr(0, end), size) + text_width("...", size) > room) {
    do --end;
    while (end > 0 && !starts_character(text[end]));
  }
  return std::string(text.substr(0, end)) + "...";
}

std::string svg_text(double x, double y, std::string_view text, const TextStyle& style) {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\"{}{}>{}</text>\n", x, y,
      style.size, style.anchor, style.fill, style.bold ? " font-weight=\"bold\"" : "",
      style.halo ? " stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"" : "", xml_text(text));
}

std::string svg_begin(double width, double height, std::string_view title) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<title>{2}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height, xml_text(title));
}

std::string short_number(double value) { return fmt::format("{:.3g}", value == 0 ? 0.0 : value); }

}  // namespace agentnet
