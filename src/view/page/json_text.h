// Writes JSON piece by piece. A page holds a million small numbers: a tree of them would take ten times the memory, and
// all their digits five times the room.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace agentnet {

class JsonText {
 public:
  JsonText& open(char bracket) {
    comma();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  JsonText& close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  JsonText& key(std::string_view name) {
    string(name);
    text_ += ':';
    first_ = true;  // what follows is its value, no further entry
    return *this;
  }
  // Bytes that are not UTF-8 become replacement characters; '<' is written so that no text can end a script element.
  JsonText& string(std::string_view value) {
    comma();
    for (const char c : nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {
      if (c == '<') {
        text_ += "\\u003c";
      } else {
        text_ += c;
      }
    }
    return *this;
  }
  // With as many digits as are given; null if it is not finite.
  JsonText& number(double value, int digits = 6) {
    if (!std::isfinite(value)) return null();
    comma();
    text_ += fmt::format("{:.{}g}", value + 0.0, digits);  // not format_to(), see data/io/output.h
    return *this;
  }
  JsonText& integer(std::uint64_t value) {
    comma();
    text_ += std::to_string(value);
    return *this;
  }
  JsonText& boolean(bool value) { return word(value ? "true" : "false"); }
  JsonText& null() { return word("null"); }
  // What another of these wrote.
  JsonText& raw(std::string_view json) { return word(json); }

  template <class Values, class Write>
  JsonText& list(const Values& values, const Write& write) {
    open('[');
    for (const auto& value : values) write(value);
    return close(']');
  }

  [[nodiscard]] std::size_t size() const { return text_.size(); }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void comma() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  JsonText& word(std::string_view value) {
    comma();
    text_ += value;
    return *this;
  }

  std::string text_;
  bool first_ = true;
};

}  // namespace agentnet
