#include "output/safe_stream.h"

#include <algorithm>
#include <string_view>

#include "core/text.h"

namespace agentnet {
namespace {

// How many bytes at the end may be the beginning of a character.
std::size_t unfinished(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte >= 0xC2 && byte <= 0xF4) {
      const std::size_t length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
      return back < length ? back : 0;
    }
    if ((byte & 0xC0) != 0x80) return 0;
  }
  return 0;
}

// printable(), but newlines and tabs stay.
std::string printable_lines(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    safe += printable(text.substr(0, end));
    if (end < text.size()) safe += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return safe;
}

}  // namespace

std::streamsize SafeTextBuffer::xsputn(const char* text, std::streamsize size) {
  held_.append(text, static_cast<std::size_t>(size));
  const std::size_t whole = held_.size() - unfinished(held_);
  const std::string safe = printable_lines(std::string_view(held_).substr(0, whole));
  held_.erase(0, whole);
  target_.write(safe.data(), static_cast<std::streamsize>(safe.size()));
  return target_ ? size : 0;
}

SafeTextBuffer::int_type SafeTextBuffer::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char c = traits_type::to_char_type(character);
  return xsputn(&c, 1) == 1 ? character : traits_type::eof();
}

int SafeTextBuffer::sync() {
  const std::string safe = printable_lines(held_);
  held_.clear();
  target_.write(safe.data(), static_cast<std::streamsize>(safe.size()));
  target_.flush();
  return target_ ? 0 : -1;
}

}  // namespace agentnet
