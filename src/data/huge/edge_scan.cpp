#include "data/huge/edge_scan.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace agentnet {
namespace {

constexpr std::size_t kSpare = 32;  // readable bytes behind the text
constexpr std::size_t kLongestLine = std::size_t{1} << 30;
constexpr std::size_t kEdges = 4096;  // handed out at a time
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr std::uint64_t kPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

// Eight digits at once, each byte 0 to 9, the first in the lowest byte.
inline std::uint64_t eight_digits(std::uint64_t v) {
  v = (v * 10 + (v >> 8)) & 0x00FF00FF00FF00FFU;
  v = (v * 100 + (v >> 16)) & 0x0000FFFF0000FFFFU;
  return (v * 10000 + (v >> 32)) & 0xFFFFFFFFU;
}

// The number that begins at `at`, of at most 15 digits; returns how many there are, 0 if it is anything else. Reads up
// to 16 bytes.
inline std::size_t plain_number(const char* at, std::uint64_t& value) {
  const auto load = [](const char* from, std::uint64_t& digits) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, from, sizeof(bytes));
    digits = bytes ^ 0x3030303030303030U;
    return ((digits + 0x7676767676767676U) | digits) & 0x8080808080808080U;
  };
  std::uint64_t digits = 0;
  std::uint64_t others = load(at, digits);
  if (others != 0) {
    const auto count = static_cast<std::size_t>(std::countr_zero(others)) / 8;
    if (count == 0) return 0;
    value = eight_digits(digits << (8 * (8 - count)));
    return count;
  }
  const std::uint64_t high = eight_digits(digits);
  others = load(at + 8, digits);
  if (others == 0) return 0;
  const auto count = static_cast<std::size_t>(std::countr_zero(others)) / 8;
  value = count == 0 ? high : high * kPowers[count] + eight_digits(digits << (8 * (8 - count)));
  return 8 + count;
}

class Scan {
 public:
  Scan(ByteStream& stream, const std::string& place, const TakeEdges& take, std::size_t block)
      : stream_(stream), take_(take), lines_(nullptr, place), buffer_(std::max<std::size_t>(block, 64) + kSpare) {
    edges_.reserve(kEdges);
  }

  EdgeListFacts run() {
    while (fill()) {
      const char* first = buffer_.data() + begin_;
      const void* last = ::memrchr(first, '\n', end_ - begin_);
      if (last == nullptr) continue;  // a line that is longer than the block
      const char* end = static_cast<const char*>(last) + 1;
      read_lines(first, end);
      begin_ = static_cast<std::size_t>(end - buffer_.data());
    }
    if (begin_ < end_) read_line(buffer_.data() + begin_, buffer_.data() + end_);  // without a line end
    hand_out();
    facts_.end = fmt::format("{}:{}:1", lines_.place(), number_ + 1);
    return facts_;
  }

 private:
  bool fill() {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == buffer_.size() - kSpare) {
      if (buffer_.size() >= kLongestLine) {
        lines_.show({}, number_ + 1);
        lines_.fail_line("this line is longer than 1 GiB", "is it a text file?");
      }
      buffer_.resize(2 * buffer_.size());
    }
    const std::size_t got = stream_.read(buffer_.data() + end_, buffer_.size() - kSpare - end_);
    end_ += got;
    bytes_ += got;
    std::memset(buffer_.data() + end_, 0, kSpare);
    return got > 0;
  }

  // Whole lines: `last` follows a line end.
  void read_lines(const char* at, const char* last) {
    while (at != last) {
      if (syntax_.known() && !syntax_.weighted() && number_ > 0) at = read_plain_lines(at, last);
      if (at == last) return;
      const char* end = static_cast<const char*>(::memchr(at, '\n', static_cast<std::size_t>(last - at)));
      read_line(at, end);
      at = end + 1;
    }
  }

  // Lines as most are: number, separator, number, line end. Returns the first that is none of these.
  const char* read_plain_lines(const char* at, const char* last) {
    const bool comma = syntax_.separator() == ',';
    std::uint64_t largest = facts_.largest;
    while (at != last) {
      Edge edge;
      const std::size_t first = plain_number(at, edge.from);
      const char* c = at + first;
      if (first == 0 || !(comma ? *c == ',' : *c == '\t' || *c == ' ')) break;
      ++c;
      if (comma && *c == ' ') ++c;
      const std::size_t second = plain_number(c, edge.to);
      c += second;
      if (*c == '\r') ++c;
      if (second == 0 || *c != '\n') break;
      at = c + 1;
      ++number_;
      largest = std::max({largest, edge.from, edge.to});
      edges_.push_back(edge);
      if (edges_.size() < kEdges) continue;
      facts_.largest = largest;
      hand_out();
    }
    facts_.largest = largest;
    return at;
  }

  // One line of any kind, [first, last) without its end.
  void read_line(const char* first, const char* last) {
    std::string_view line(first, static_cast<std::size_t>(last - first));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number_++ == 0 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (line.find_first_not_of(" \t") == std::string_view::npos) return;
    lines_.show(line, number_);
    const auto edge = syntax_.read(lines_, [this](const char* at, std::string_view) {
      throw NeedsMemory(fmt::format("{}: a list with weights is converted in memory", lines_.where(at)),
                        "leave --memory out, or leave the weights out of the list");
    });
    facts_.declared = syntax_.declared();
    facts_.both_ways = syntax_.both_ways();
    if (!edge) return;
    facts_.largest = std::max({facts_.largest, edge->from, edge->to});
    edges_.push_back(*edge);
    if (edges_.size() >= kEdges) hand_out();
  }

  void hand_out() {
    facts_.listed += edges_.size();
    take_(edges_, bytes_ - (end_ - begin_), facts_);
    edges_.clear();
  }

  ByteStream& stream_;
  const TakeEdges& take_;
  Lines lines_;  // for lines that are not plain, and for messages
  EdgeListSyntax syntax_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // text that was not read yet
  std::uint64_t bytes_ = 0, number_ = 0;
  std::vector<Edge> edges_;
  EdgeListFacts facts_;
};

}  // namespace

EdgeListFacts scan_edge_list(ByteStream& stream, const std::string& place, const TakeEdges& take, std::size_t block) {
  return Scan(stream, place, take, block).run();
}

}  // namespace agentnet
