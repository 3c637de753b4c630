#include "core/text.h"

namespace agentnet {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

// Bytes of the character that `text` starts with; 0 if it starts with none. Overlong forms, surrogates
// and what lies beyond U+10FFFF are not characters (RFC 3629, section 4).
std::size_t first_character(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned lowest = 0x80, highest = 0xBF;  // of the second byte
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) lowest = 0xA0;
    if (lead == 0xED) highest = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) lowest = 0x90;
    if (lead == 0xF4) highest = 0x8F;
  }
  if (length == 0 || text.size() < length) return 0;
  if (byte_at(text, 1) < lowest || byte_at(text, 1) > highest) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

// C0 and C1 controls and DEL: they could move the cursor or recolour the reader's terminal. And what overrides the
// direction of writing (U+202A to U+202E, U+2066 to U+2069): with it a line shows something else than it says.
bool is_control(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  if (character.size() == 2) return first == 0xC2 && byte_at(character, 1) < 0xA0;
  if (character.size() != 3 || first != 0xE2) return false;
  const unsigned second = byte_at(character, 1), third = byte_at(character, 2);
  return (second == 0x80 && third >= 0xAA && third <= 0xAE) || (second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t character = first_character(text.substr(length));
    if (character == 0) break;
    length += character;
  }
  return length;
}

std::string printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const std::size_t length = first_character(text);
    const std::string_view piece = text.substr(0, length == 0 ? 1 : length);
    if (length != 0 && !is_control(piece)) {
      out += piece;
    } else {
      for (std::size_t i = 0; i < piece.size(); ++i) {
        out += "\\x";
        out += kHex[byte_at(piece, i) >> 4];
        out += kHex[byte_at(piece, i) & 15];
      }
    }
    text.remove_prefix(piece.size());
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  if (text.size() <= kLongest) return "'" + printable(text) + "'";
  // A character that the cut goes through is left out, unless the text is no UTF-8 anyway.
  std::string_view kept = text.substr(0, kLongest);
  if (const std::size_t whole = valid_utf8_prefix(kept); kLongest - whole < 4) kept = kept.substr(0, whole);
  return "'" + printable(kept) + "...'";
}

}  // namespace agentnet
