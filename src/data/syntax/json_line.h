// A JSON value on one line, read from left to right, with the column of whatever is wrong with it.
//
//   JsonLine json(lines);
//   json.begin_object();
//   while (json.next_key()) { if (json.key() == "y") ... else json.skip(); }
//   json.expect_end();
#pragma once

#include <string>
#include <string_view>

#include "data/io/lines.h"

namespace agentnet {

class JsonLine {
 public:
  explicit JsonLine(const Lines& lines) : lines_(lines), at_(lines.line().data()), end_(at_ + lines.line().size()) {}

  void begin_object() { expect('{'); }
  // Moves to the value of the next key; false, behind the brace, after the last.
  [[nodiscard]] bool next_key();
  [[nodiscard]] const std::string& key() const { return key_; }

  [[nodiscard]] bool at_object() { return peek() == '{'; }
  [[nodiscard]] bool at_array() { return peek() == '['; }
  void begin_array() { expect('['); }
  // Moves to the next element; false, behind the bracket, after the last. Arrays may be nested.
  [[nodiscard]] bool next_element();

  // A number, string, true, false or null: its text, without quotes; null is empty. Valid until the next call.
  [[nodiscard]] std::string_view scalar();
  [[nodiscard]] bool was_quoted() const { return quoted_; }  // the last scalar
  // A whole number from 0.
  [[nodiscard]] std::uint64_t count(std::string_view what);
  void skip();  // any value
  void expect_end();

  [[nodiscard]] const char* position();  // of what comes next
  [[noreturn]] void fail(const char* at, std::string_view message, std::string_view hint = {}) const {
    lines_.fail(at, message, hint);
  }

 private:
  [[nodiscard]] char peek();
  [[nodiscard]] char peek_inside();  // what must be there, as the object is not closed
  void expect(char c);
  void skip_space();
  void read_string(std::string& out);
  void append_escape(std::string& out);
  [[nodiscard]] std::uint32_t hex4();

  const Lines& lines_;
  const char* at_;
  const char* end_;
  bool quoted_ = false;
  bool first_ = false;  // nothing was read yet of the object or array that begins here
  std::string key_, text_;
};

}  // namespace agentnet
