#include "http/parser.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace agentnet {
namespace {

constexpr std::string_view kLineEnd = "\r\n", kHeadEnd = "\r\n\r\n";
constexpr std::size_t kChunkLine = 256;  // bytes of the line that says how long a chunk is, extensions included

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return (c < 0x80 && std::isalnum(c) != 0) || kMarks.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// Whether a header's value, or a target, has no control characters in it.
bool is_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lowered(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

// Digits of this base and nothing else; false too if the number is too large.
bool parse_length(std::string_view text, int base, std::size_t& length) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// Whether a list such as "keep-alive, Upgrade" has this word.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (same_letters(trimmed(list.substr(0, end)), word)) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace

RequestParser::State RequestParser::refuse(int status) {
  refusal_ = status;
  held_.clear();
  held_.shrink_to_fit();
  request_.body.clear();
  request_.body.shrink_to_fit();
  return State::kRefused;
}

RequestParser::State RequestParser::step() {
  if (refusal_ != 0) return State::kRefused;
  if (part_ == Part::kHead) {
    const State state = read_head();
    if (state != State::kHead) return state;
    if (!std::exchange(head_told_, true)) return State::kHead;
  }
  return read_body();
}

RequestParser::State RequestParser::read_head() {
  if (scanned_ == 0) {  // an empty line between requests is harmless
    std::size_t empty = 0;
    while (std::string_view(held_).substr(empty).starts_with(kLineEnd)) empty += kLineEnd.size();
    if (empty > limits_.head_bytes) return refuse(400);
    held_.erase(0, empty);
  }
  if (held_.empty()) return State::kIdle;
  if (held_ == "\r") return State::kReading;  // half of an empty line, perhaps
  const std::size_t from = scanned_ > kHeadEnd.size() ? scanned_ - kHeadEnd.size() : 0;
  const std::size_t end = held_.find(kHeadEnd, from);
  if (end == std::string::npos || end + kHeadEnd.size() > limits_.head_bytes) {
    scanned_ = held_.size();
    return held_.size() > limits_.head_bytes ? refuse(431) : State::kReading;
  }
  request_ = {};
  wants_continue_ = head_told_ = false;
  trailer_ = 0;
  if (!parse_head(std::string_view(held_).substr(0, end + kLineEnd.size()))) return refuse(refusal_);
  held_.erase(0, end + kHeadEnd.size());
  scanned_ = 0;
  return State::kHead;
}

bool RequestParser::parse_head(std::string_view head) {
  refusal_ = 400;  // unless somebody says otherwise, or all is well
  std::size_t lines = 0;
  while (!head.empty()) {
    const std::size_t end = head.find(kLineEnd);
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + kLineEnd.size());
    if (!is_text(line)) return false;  // a bare CR or LF among them
    if (lines > limits_.headers) {
      refusal_ = 431;
      return false;
    }
    if (!(lines++ == 0 ? parse_first_line(line) : parse_header(line))) return false;
  }
  if (!settle_body() || !settle_connection()) return false;
  refusal_ = 0;
  return true;
}

bool RequestParser::parse_first_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return false;
  const std::string_view method = line.substr(0, first), version = line.substr(second + 1);
  std::string_view target = line.substr(first + 1, second - first - 1);
  if (!is_token(method) || !version.starts_with("HTTP/")) return false;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    refusal_ = version.find(' ') == std::string_view::npos ? 505 : 400;
    return false;
  }
  version_1_0_ = version == "HTTP/1.0";
  if (!target.starts_with('/') || target.find('#') != std::string_view::npos) return false;
  const std::size_t question = std::min(target.find('?'), target.size());
  std::optional<std::string> path = percent_decoded(target.substr(0, question));
  if (!path) return false;
  request_.method = method;
  request_.path = std::move(*path);
  request_.query = target.substr(std::min(question + 1, target.size()));
  return true;
}

bool RequestParser::parse_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
  request_.headers.emplace_back(lowered(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  return true;
}

// How long the body is. A request that says it twice, or in two ways, means different things to different readers.
bool RequestParser::settle_body() {
  length_ = 0;
  part_ = Part::kDone;
  if (request_.has_header("transfer-encoding")) {
    const auto coding = request_.header("transfer-encoding");
    if (request_.has_header("content-length") || version_1_0_ || !coding) return false;
    if (!same_letters(*coding, "chunked")) {
      refusal_ = 501;
      return false;
    }
    part_ = Part::kChunkSize;
  } else if (request_.has_header("content-length")) {
    const auto said = request_.header("content-length");
    if (!said || !std::all_of(said->begin(), said->end(), [](char c) { return c >= '0' && c <= '9'; })) return false;
    if (said->empty()) return false;
    if (!parse_length(*said, 10, length_) || length_ > limits_.body_bytes) {
      part_ = Part::kTooLong;
    } else if (length_ > 0) {
      part_ = Part::kBody;
    }
  }
  return true;
}

bool RequestParser::settle_connection() {
  std::string_view connection;
  for (const auto& [name, value] : request_.headers) {
    if (name == "connection") connection = value;
  }
  request_.keep_alive = version_1_0_ ? lists(connection, "keep-alive") : !lists(connection, "close");
  if (request_.has_header("expect")) {
    const auto expected = request_.header("expect");
    if (!expected || !same_letters(*expected, "100-continue")) {
      refusal_ = 417;
      return false;
    }
    wants_continue_ = !version_1_0_ && part_ != Part::kDone;
  }
  return true;
}

RequestParser::State RequestParser::read_body() {
  std::size_t at = 0;  // of held_: bytes before it were taken
  const auto rest = [&] { return std::string_view(held_).substr(at); };
  const auto waiting = [&] {
    held_.erase(0, at);
    return State::kReading;
  };
  while (true) {
    switch (part_) {
      case Part::kHead:
        return State::kIdle;
      case Part::kTooLong:
        return refuse(413);
      case Part::kBody:
      case Part::kChunk: {
        const std::size_t count = std::min(length_, rest().size());
        request_.body.append(rest().substr(0, count));
        at += count;
        length_ -= count;
        if (length_ > 0) return waiting();
        part_ = part_ == Part::kBody ? Part::kDone : Part::kChunkEnd;
        break;
      }
      case Part::kChunkEnd:
        if (rest().size() < kLineEnd.size()) return kLineEnd.starts_with(rest()) ? waiting() : refuse(400);
        if (!rest().starts_with(kLineEnd)) return refuse(400);
        at += kLineEnd.size();
        part_ = Part::kChunkSize;
        break;
      case Part::kChunkSize: {
        const std::size_t end = rest().find(kLineEnd);
        if (std::min(end, rest().size()) > kChunkLine) return refuse(400);
        if (end == std::string_view::npos) return waiting();
        const std::string_view line = rest().substr(0, end);
        const std::string_view digits = trimmed(line.substr(0, std::min(line.find(';'), line.size())));
        if (!is_text(line) || !parse_length(digits, 16, length_)) return refuse(400);
        if (length_ > limits_.body_bytes - request_.body.size()) return refuse(413);
        at += end + kLineEnd.size();
        part_ = length_ == 0 ? Part::kTrailer : Part::kChunk;
        break;
      }
      case Part::kTrailer: {
        const std::size_t end = rest().find(kLineEnd);
        if (std::min(end, rest().size()) + trailer_ > limits_.head_bytes) return refuse(431);
        if (end == std::string_view::npos) return waiting();
        trailer_ += end + kLineEnd.size();
        at += end + kLineEnd.size();
        if (end == 0) part_ = Part::kDone;
        break;
      }
      case Part::kDone:
        held_.erase(0, at);
        return State::kWhole;
    }
  }
}

HttpRequest RequestParser::take() {
  part_ = Part::kHead;
  scanned_ = 0;
  return std::move(request_);
}

}  // namespace agentnet
