// Text line by line, and the fields of a line, with file:line:column for whatever is wrong with them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/io/input.h"

namespace agentnet {

// Lines of a stream in a buffer that is reused: a line is valid until the next is asked for. Windows line ends and a
// byte-order mark are not part of a line. Lines may be of any length up to 1 GiB.
class Lines {
 public:
  // `place` is the file's name in messages.
  Lines(std::unique_ptr<ByteStream> stream, std::string place);
  Lines(const Input& input, std::string_view member) : Lines(input.stream(member), input.place(member)) {}

  // False at the end.
  [[nodiscard]] bool next();
  [[nodiscard]] bool next_nonempty();  // the same, leaving out lines of white space

  // For a reader that finds the lines itself: this is the current one. 8 bytes behind it must be readable.
  void show(std::string_view line, std::uint64_t number) {
    line_ = line;
    number_ = number;
  }

  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }  // of the current line, from 1
  [[nodiscard]] const std::string& place() const { return place_; }

  // "file:line:column" of a position in the current line.
  [[nodiscard]] std::string where(const char* at) const;
  // Throws Error (kData) at a position in the current line, at its beginning, or at the end of the file. There is a
  // general hint for want of a better one.
  [[noreturn]] void fail(const char* at, std::string_view message, std::string_view hint = {}) const;
  [[noreturn]] void fail_line(std::string_view message, std::string_view hint = {}) const;
  [[noreturn]] void fail_at_end(std::string_view message, std::string_view hint = {}) const;

 private:
  [[nodiscard]] bool fill();

  std::unique_ptr<ByteStream> stream_;
  std::string place_;
  std::vector<char> buffer_;         // the last 8 bytes are for leading_digits() to look at
  std::size_t begin_ = 0, end_ = 0;  // what was read but not yet handed out
  bool at_end_ = false;
  std::string_view line_;
  std::uint64_t number_ = 0;
};

// The number that the first digits of [at, end) make, if these are at most 7; returns how many they are, 0 if more.
// Reads 8 bytes whatever `end` is: the buffer of Lines has them.
[[nodiscard]] inline std::ptrdiff_t leading_digits(const char* at, const char* end, std::uint64_t& value) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof(bytes));
  const std::uint64_t digits = bytes ^ 0x3030303030303030U;  // 0 to 9 where there is a digit
  const std::uint64_t others = ((digits + 0x7676767676767676U) | digits) & 0x8080808080808080U;
  if (others == 0) return 0;
  const std::ptrdiff_t count = std::min<std::ptrdiff_t>(std::countr_zero(others) / 8, end - at);
  if (count == 0) return 0;
  // Digits move to the end, zeros before them; then pairs, fours and all eight are put together.
  std::uint64_t v = digits << (8 * (8 - count));
  v = (v * 10 + (v >> 8)) & 0x00FF00FF00FF00FFU;
  v = (v * 100 + (v >> 16)) & 0x0000FFFF0000FFFFU;
  value = (v * 10000 + (v >> 32)) & 0xFFFFFFFFU;
  return count;
}

// The fields of the current line, from left to right. `what` names a field in messages: "node id".
class Fields {
 public:
  // Separated by white space, or, if `separator` is not a space, by it and any white space around it.
  explicit Fields(const Lines& lines, char separator = ' ')
      : lines_(lines), at_(lines.line().data()), end_(at_ + lines.line().size()), separator_(separator) {
    skip_space();
  }

  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] const char* position() const { return at_; }
  [[nodiscard]] std::string_view text(std::string_view what);  // any field
  [[nodiscard]] std::uint64_t count(std::string_view what) {   // a whole number from 0
    // The common case inline: up to seven digits, all at once, then white space or the separator.
    std::uint64_t value = 0;
    const char* c = at_ + leading_digits(at_, end_, value);
    if (c == at_ || (c != end_ && !space(*c) && *c != separator_)) return count_of_any_form(what);
    const char* first = at_;
    at_ = c;
    skip_space();
    if (at_ == end_ || separator_ == ' ') return value;
    if (*at_ == separator_) {
      ++at_;
      skip_space();
      if (at_ != end_) return value;
    }
    at_ = first;
    return count_of_any_form(what);
  }
  [[nodiscard]] std::int64_t integer(std::string_view what);  // a whole number
  [[nodiscard]] double number(std::string_view what);         // finite
  void expect_end(std::string_view what);                     // no further field

  [[noreturn]] void fail(const char* at, std::string_view message, std::string_view hint = {}) const {
    lines_.fail(at, message, hint);
  }

 private:
  [[nodiscard]] bool space(char c) const { return c == ' ' || c == '\t'; }
  void skip_space() {
    while (at_ != end_ && space(*at_)) ++at_;
  }
  [[nodiscard]] std::uint64_t count_of_any_form(std::string_view what);
  void missing(std::string_view what) const;
  [[nodiscard]] std::string_view next(std::string_view what);

  const Lines& lines_;
  const char* at_;
  const char* end_;
  char separator_;
};

// Whole text -> value; nothing if it is anything else. Numbers are finite; a leading plus is accepted.
[[nodiscard]] std::optional<std::int64_t> to_integer(std::string_view text);
[[nodiscard]] std::optional<double> to_number(std::string_view text);

}  // namespace agentnet
