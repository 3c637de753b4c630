// How the lines of an edge list are read: shared by the reader in memory (read_edge_list.cpp, which describes the
// format) and by the one for lists that do not fit there (edge_scan.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/formats/single_graph.h"
#include "data/io/lines.h"

namespace agentnet {

struct Edge {
  std::uint64_t from = 0, to = 0;
  bool operator==(const Edge&) const = default;
};

class EdgeListSyntax {
 public:
  // Reads the current line, which is not blank; nothing if it is a comment or a line of names. Calls
  // take_weight(at, text) for the third field of a weighted list.
  template <class TakeWeight>
  std::optional<Edge> read(const Lines& lines, const TakeWeight& take_weight) {
    const std::string_view line = lines.line();
    const char first = line[line.find_first_not_of(" \t")];
    if (first == '#' || first == '%') {
      if (const auto nodes = declared_nodes(line)) declared_ = *nodes;
      if (line.ends_with(kOneWay)) both_ways_ = false;
      return std::nullopt;
    }
    if (!known_ && names(lines, first)) return std::nullopt;
    Fields row(lines, separator_);
    Edge edge;
    edge.from = row.count("first node id");
    edge.to = row.count("second node id");
    if (weighted_) {
      const char* at = row.position();
      take_weight(at, row.text("weight"));
    }
    if (!row.at_end()) row.expect_end(weighted_ ? "two node ids and a weight" : "two node ids, as the first line");
    return edge;
  }

  [[nodiscard]] bool known() const { return known_; }  // a line that is no comment was seen; it decides the next three
  [[nodiscard]] bool weighted() const { return weighted_; }
  [[nodiscard]] char separator() const { return separator_; }
  [[nodiscard]] const std::string& weight_name() const { return weight_name_; }
  [[nodiscard]] bool both_ways() const { return both_ways_; }         // unless the user says otherwise
  [[nodiscard]] std::uint64_t declared() const { return declared_; }  // nodes, 0 if no comment says it

 private:
  // "# Nodes: 36692 Edges: 367662" -> 36692
  static std::optional<std::uint64_t> declared_nodes(std::string_view comment) {
    constexpr std::string_view kWord = "Nodes:";
    const std::size_t found = comment.find(kWord);
    if (found == std::string_view::npos) return std::nullopt;
    comment.remove_prefix(found + kWord.size());
    comment.remove_prefix(std::min(comment.find_first_not_of(" \t"), comment.size()));
    const auto count = to_integer(comment.substr(0, comment.find_first_of(" \t,")));
    if (!count || *count < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*count);
  }

  // The first line that is no comment tells how the others look. A comma-separated list may begin with names: true.
  bool names(const Lines& lines, char first) {
    known_ = true;
    if (lines.line().find(',') != std::string_view::npos) separator_ = ',';
    std::size_t fields = 0;
    std::string last;
    for (Fields row(lines, separator_); !row.at_end(); ++fields) last = row.text("field");
    const bool names = separator_ == ',' && (first < '0' || first > '9') && first != '-' && first != '+';
    weighted_ = fields > 2;
    if (weighted_) weight_name_ = names ? last : "weight";
    if (names && (fields > 3 || fields < 2)) {
      lines.fail(lines.line().data(), "the names should be those of two node ids and at most a weight",
                 "leave further columns out");
    }
    return names;
  }

  bool known_ = false, weighted_ = false, both_ways_ = true;
  char separator_ = ' ';
  std::string weight_name_;
  std::uint64_t declared_ = 0;
};

}  // namespace agentnet
