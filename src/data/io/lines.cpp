#include "data/io/lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "agentnet/error.h"
#include "core/number.h"
#include "core/text.h"
#include "data/io/utf16.h"

namespace agentnet {
namespace {

constexpr std::size_t kFirstBuffer = std::size_t{1} << 18;
constexpr std::size_t kSpare = 8;
constexpr std::size_t kLongestLine = std::size_t{1} << 30;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

template <class T>
std::optional<T> whole_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> to_integer(std::string_view text) { return whole_number<std::int64_t>(text); }

std::optional<double> to_number(std::string_view text) { return parse_number(text); }

Lines::Lines(std::unique_ptr<ByteStream> stream, std::string place)
    : stream_(stream != nullptr ? as_utf8(std::move(stream), place) : nullptr),
      place_(std::move(place)),
      buffer_(kFirstBuffer + kSpare) {}

// More bytes behind those in the buffer; false if there are none.
bool Lines::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size() - kSpare) {
    if (buffer_.size() >= kLongestLine) {
      ++number_;
      line_ = {};
      fail_line("this line is longer than 1 GiB", "is it a text file?");
    }
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t got = stream_->read(buffer_.data() + end_, buffer_.size() - kSpare - end_);
  end_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

bool Lines::next() {
  std::size_t searched = 0;  // bytes after begin_ known to hold no line end
  const void* found = nullptr;
  for (;;) {
    found = std::memchr(buffer_.data() + begin_ + searched, '\n', end_ - begin_ - searched);
    if (found != nullptr) break;
    searched = end_ - begin_;
    if (!fill()) break;
  }
  if (found == nullptr && begin_ == end_) {
    line_ = {};
    return false;
  }
  const char* first = buffer_.data() + begin_;
  const char* last = found != nullptr ? static_cast<const char*>(found) : buffer_.data() + end_;
  begin_ = static_cast<std::size_t>(last - buffer_.data()) + (found != nullptr ? 1 : 0);
  line_ = {first, static_cast<std::size_t>(last - first)};
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  if (number_++ == 0 && line_.starts_with(kByteOrderMark)) line_.remove_prefix(kByteOrderMark.size());
  return true;
}

bool Lines::next_nonempty() {
  while (next()) {
    if (line_.find_first_not_of(" \t") != std::string_view::npos) return true;
  }
  return false;
}

std::string Lines::where(const char* at) const {
  const std::string_view before(line_.data(), static_cast<std::size_t>(at - line_.data()));
  // A text that is shown as one line may have several; lines that are read have none inside, and need no counting.
  const bool shown = stream_ == nullptr;
  const auto lines = shown ? static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) : 0;
  const std::size_t column = lines == 0 ? before.size() : before.size() - before.rfind('\n') - 1;
  return fmt::format("{}:{}:{}", place_, number_ + lines, column + 1);
}

void Lines::fail(const char* at, std::string_view message, std::string_view hint) const {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", where(at), message),
              std::string(hint.empty() ? "correct the line" : hint));
}

void Lines::fail_line(std::string_view message, std::string_view hint) const { fail(line_.data(), message, hint); }

void Lines::fail_at_end(std::string_view message, std::string_view hint) const {
  throw Error(ErrorKind::kData, fmt::format("{}:{}:1: {}", place_, number_ + 1, message),
              std::string(hint.empty() ? "is the file cut short?" : hint));
}

void Fields::missing(std::string_view what) const {
  lines_.fail(at_, fmt::format("the line ends where its {} should be", what));
}

std::string_view Fields::next(std::string_view what) {
  if (at_ == end_) missing(what);
  const char* first = at_;
  if (separator_ == ' ') {
    while (at_ != end_ && !space(*at_)) ++at_;
    const std::string_view field(first, static_cast<std::size_t>(at_ - first));
    skip_space();
    return field;
  }
  while (at_ != end_ && *at_ != separator_) ++at_;
  const char* last = at_;
  while (last != first && space(last[-1])) --last;
  if (at_ != end_) {
    ++at_;
    skip_space();
    if (at_ == end_) missing("field after the last separator");
  }
  return {first, static_cast<std::size_t>(last - first)};
}

std::string_view Fields::text(std::string_view what) { return next(what); }

std::uint64_t Fields::count_of_any_form(std::string_view what) {
  const char* first = at_;
  const std::string_view field = next(what);
  const auto value = whole_number<std::uint64_t>(field);
  if (!value) fail(first, fmt::format("the {} should be a whole number from 0, but is {}", what, in_quotes(field)));
  return *value;
}

std::int64_t Fields::integer(std::string_view what) {
  const char* first = at_;
  const std::string_view field = next(what);
  const auto value = to_integer(field);
  if (!value) fail(first, fmt::format("the {} should be a whole number, but is {}", what, in_quotes(field)));
  return *value;
}

double Fields::number(std::string_view what) {
  const char* first = at_;
  const std::string_view field = next(what);
  const auto value = to_number(field);
  if (!value) {
    fail(first, fmt::format("the {} should be a finite number, but is {}", what, in_quotes(field)),
         "replace missing and infinite values");
  }
  return *value;
}

void Fields::expect_end(std::string_view what) {
  if (at_ != end_) {
    const char* first = at_;
    fail(first, fmt::format("there is more on the line than {}: {}", what, in_quotes(next(what))));
  }
}

}  // namespace agentnet
