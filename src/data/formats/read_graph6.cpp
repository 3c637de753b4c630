// graph6, sparse6 and digraph6, a graph per line in printable characters of six bits each (McKay, nauty):
//
//   graph6    n, then the upper triangle of the adjacency matrix, column by column
//   sparse6   ':' and n, then edges as steps through the nodes, in words of 1 + ceil(log2 n) bits
//   digraph6  '&' and n, then the whole matrix, row by row
//
// n is one character below 63, else '~' and three, else '~~' and six. A file may begin with >>graph6<<.
#include <fmt/core.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "data/formats/network_readers.h"
#include "data/io/lines.h"
#include "data/tables/builder.h"

namespace agentnet {
namespace {

constexpr std::array<std::string_view, 3> kHeaders = {">>graph6<<", ">>sparse6<<", ">>digraph6<<"};
constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 32;

// The bits of a line, six per character.
class Bits {
 public:
  Bits(const Lines& lines, std::string_view text) : lines_(lines), text_(text) {
    for (const char& c : text) {
      if (c < 63 || c > 126) lines.fail(&c, "this character is none that graph6 and sparse6 use", "check the file");
    }
  }

  [[nodiscard]] std::uint64_t left() const { return 6 * text_.size() - at_; }
  [[nodiscard]] bool bit() {
    const int value = text_[at_ / 6] - 63;
    const bool set = ((value >> (5 - at_ % 6)) & 1) != 0;
    ++at_;
    return set;
  }
  [[nodiscard]] std::uint64_t number(int bits) {
    std::uint64_t value = 0;
    for (int i = 0; i < bits; ++i) value = 2 * value + (bit() ? 1 : 0);
    return value;
  }

  // The number of nodes, which a line begins with.
  [[nodiscard]] std::uint64_t size() {
    const std::size_t marks = text_.starts_with("~~") ? 2 : text_.starts_with('~') ? 1 : 0;
    const int bits = marks == 2 ? 36 : marks == 1 ? 18 : 6;
    at_ = 6 * marks;
    if (6 * text_.size() < at_ + static_cast<std::uint64_t>(bits))
      fail("the line ends before the number of nodes does");
    const std::uint64_t nodes = number(bits);
    if (nodes == 0) fail("the graph has no nodes", "leave empty graphs out");
    if (nodes >= kMostNodes) fail("the graph has more than 2^32 nodes", "split the graph");
    return nodes;
  }

  // Throws unless exactly `bits` are left, up to the end of a character.
  void require_left(std::uint64_t nodes, std::uint64_t per_node) const {
    // nodes * per_node bits: compared without multiplying what may overflow.
    const std::uint64_t characters = left() / 6;
    const bool plausible = per_node == 0 || nodes <= (6 * characters) / per_node;
    if (plausible && (nodes * per_node + 5) / 6 == characters) return;
    fail(fmt::format("the line has {} characters for the edges of {} nodes", characters, nodes),
         "is the line cut short?");
  }

  [[noreturn]] void fail(const std::string& message, const char* hint = "is the line cut short?") const {
    lines_.fail(text_.data(), message, hint);
  }

 private:
  const Lines& lines_;
  std::string_view text_;
  std::uint64_t at_ = 0;  // bits that were read
};

void decode_graph6(Bits bits, GraphParts& parts) {
  parts.num_nodes = bits.size();
  // n (n - 1) / 2 bits, as n or n - 1 times a half of the other.
  const std::uint64_t n = parts.num_nodes;
  n % 2 == 0 ? bits.require_left(n - 1, n / 2) : bits.require_left(n, (n - 1) / 2);
  for (std::uint64_t v = 1; v < n; ++v) {
    for (std::uint64_t u = 0; u < v; ++u) {
      if (!bits.bit()) continue;
      parts.from.push_back(static_cast<std::uint32_t>(u));
      parts.to.push_back(static_cast<std::uint32_t>(v));
    }
  }
  parts.undirected = true;
}

void decode_digraph6(Bits bits, GraphParts& parts) {
  parts.num_nodes = bits.size();
  bits.require_left(parts.num_nodes, parts.num_nodes);
  for (std::uint64_t u = 0; u < parts.num_nodes; ++u) {
    for (std::uint64_t v = 0; v < parts.num_nodes; ++v) {
      if (!bits.bit()) continue;
      parts.from.push_back(static_cast<std::uint32_t>(u));
      parts.to.push_back(static_cast<std::uint32_t>(v));
    }
  }
}

// Each word is a bit b and a number x of k bits. v begins at 0; if b, v goes on by one; then if x > v, v becomes x,
// else there is an edge x - v. Words that do not fit any more, or lead beyond the last node, are padding.
void decode_sparse6(Bits bits, GraphParts& parts) {
  const std::uint64_t n = parts.num_nodes = bits.size();
  const int k = n == 1 ? 0 : static_cast<int>(std::bit_width(n - 1));
  std::uint64_t v = 0;
  while (bits.left() > static_cast<std::uint64_t>(k)) {
    if (bits.bit()) ++v;
    const std::uint64_t x = bits.number(k);
    if (x >= n || v >= n) break;
    if (x > v) {
      v = x;
    } else {
      parts.from.push_back(static_cast<std::uint32_t>(x));
      parts.to.push_back(static_cast<std::uint32_t>(v));
    }
  }
  parts.undirected = true;
}

}  // namespace

Dataset read_graph6(const Input& input, const DataOptions& options) {
  Lines lines(input, input.only_member());
  SetBuilder set(options);
  bool first = true;
  while (lines.next_nonempty()) {
    std::string_view text = lines.line();
    for (const std::string_view header : kHeaders) {
      if (first && text.starts_with(header)) text.remove_prefix(header.size());
    }
    text = text.substr(0, text.find_last_not_of(" \t") + 1);
    if (std::exchange(first, false) && text.empty()) continue;  // the header had a line of its own
    if (text.starts_with(';')) lines.fail_line("incremental sparse6 is not read", "write sparse6 (:) instead");
    GraphParts parts;
    if (text.starts_with(':')) {
      decode_sparse6(Bits(lines, text.substr(1)), parts);
    } else if (text.starts_with('&')) {
      decode_digraph6(Bits(lines, text.substr(1)), parts);
    } else {
      decode_graph6(Bits(lines, text), parts);
    }
    set.add(std::move(parts), {}, [&] { return lines.where(lines.line().data()); });
  }
  return std::move(set).finish(input.name(), "graph6");
}

}  // namespace agentnet
