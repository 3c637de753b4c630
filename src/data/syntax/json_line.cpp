#include "data/syntax/json_line.h"

#include <fmt/core.h>

#include "core/text.h"

namespace agentnet {
namespace {

constexpr int kDeepest = 64;

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

}  // namespace

void JsonLine::skip_space() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
}

char JsonLine::peek() {
  skip_space();
  return at_ == end_ ? '\0' : *at_;
}

const char* JsonLine::position() {
  skip_space();
  return at_;
}

char JsonLine::peek_inside() {
  skip_space();
  if (at_ == end_) {
    fail(at_, "the line ends before the object does",
         "write each object on one line; if the file was cut off, get it again");
  }
  return *at_;
}

void JsonLine::expect(char c) {
  if (peek_inside() != c) fail(at_, fmt::format("'{}' should be here", c));
  ++at_;
  first_ = true;
}

bool JsonLine::next_key() {
  if (peek_inside() == '}') {
    ++at_;
    first_ = false;
    return false;
  }
  if (!first_) expect(',');
  first_ = false;
  if (peek_inside() != '"') fail(at_, "a key in quotes should be here");
  read_string(key_);
  expect(':');
  first_ = false;
  return true;
}

bool JsonLine::next_element() {
  if (peek_inside() == ']') {
    ++at_;
    first_ = false;
    return false;
  }
  if (!first_) expect(',');
  first_ = false;
  return true;
}

std::uint32_t JsonLine::hex4() {
  std::uint32_t code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ == end_ ? '\0' : *at_;
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) fail(at_, "four hexadecimal digits should follow \\u");
    code = 16 * code + static_cast<std::uint32_t>(digit);
  }
  return code;
}

void JsonLine::append_escape(std::string& out) {
  const char* escape = at_ - 1;
  const char c = at_ == end_ ? '\0' : *at_++;
  switch (c) {
    case '"':
    case '\\':
    case '/':
      out.push_back(c);
      return;
    case 'b':
      out.push_back('\b');
      return;
    case 'f':
      out.push_back('\f');
      return;
    case 'n':
      out.push_back('\n');
      return;
    case 'r':
      out.push_back('\r');
      return;
    case 't':
      out.push_back('\t');
      return;
    case 'u':
      break;
    default:
      fail(escape, "this is no escape sequence of JSON");
  }
  std::uint32_t code = hex4();
  if (code >= 0xD800 && code < 0xDC00 && end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u') {
    at_ += 2;
    const std::uint32_t low = hex4();
    if (low < 0xDC00 || low > 0xDFFF) fail(escape, "half of a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  } else if (code >= 0xD800 && code <= 0xDFFF) {
    fail(escape, "half of a surrogate pair");
  }
  append_utf8(out, code);
}

// at_ is on the opening quote.
void JsonLine::read_string(std::string& out) {
  const char* opening = at_++;
  out.clear();
  for (;;) {
    const char* first = at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\') ++at_;
    out.append(first, at_);
    if (at_ == end_) fail(opening, "this string has no closing quote");
    if (*at_++ == '"') break;
    append_escape(out);
  }
  if (valid_utf8_prefix(out) != out.size()) fail(opening, "this string is not UTF-8", "save the file as UTF-8");
}

std::string_view JsonLine::scalar() {
  const char c = peek_inside();
  quoted_ = c == '"';
  if (quoted_) {
    read_string(text_);
    return text_;
  }
  const char* first = at_;
  constexpr std::string_view kEnds = ",]} \t\n\r:";
  while (at_ != end_ && kEnds.find(*at_) == std::string_view::npos) ++at_;
  const std::string_view text(first, static_cast<std::size_t>(at_ - first));
  if (text == "null") return {};
  if (text == "true" || text == "false" || text == "NaN" || text == "Infinity" || text == "-Infinity") return text;
  if (c == '{' || c == '[') fail(first, "a single value should be here");
  if (!to_number(text)) {
    fail(first, text.empty() ? "a value should be here" : fmt::format("{} is no JSON value", in_quotes(text)),
         "text needs quotes");
  }
  return text;
}

std::uint64_t JsonLine::count(std::string_view what) {
  const char* first = position();
  // The common case by hand: a few digits.
  std::uint64_t value = 0;
  const char* c = at_;
  while (c != end_ && *c >= '0' && *c <= '9' && c - first < 18)
    value = 10 * value + static_cast<std::uint64_t>(*c++ - '0');
  // What ends with the line is a number, too: whoever reads on says that the line is cut off.
  if (c != first &&
      (c == end_ || *c == ',' || *c == ']' || *c == '}' || *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r')) {
    at_ = c;
    return value;
  }
  const std::string_view text = scalar();
  fail(first, fmt::format("the {} should be a whole number from 0, but is {}", what, in_quotes(text)));
}

void JsonLine::skip() {
  int depth = 0;
  do {
    const char c = peek();
    if (c == '{' || c == '[') {
      if (++depth > kDeepest) fail(at_, fmt::format("brackets are nested more than {} deep", kDeepest));
      ++at_;
    } else if (c == '}' || c == ']') {
      --depth;
      ++at_;
    } else if (depth > 0 && (c == ',' || c == ':')) {
      ++at_;
    } else {
      static_cast<void>(scalar());
    }
    if (depth < 0) fail(at_ - 1, "this bracket closes nothing");
  } while (depth > 0);
  first_ = false;
}

void JsonLine::expect_end() {
  if (position() != end_) fail(at_, "there is something behind the end of the object", "write one graph per line");
}

}  // namespace agentnet
