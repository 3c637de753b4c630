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
    if (dict_) {
      read_dict(lines, row.position(), take_weight);
      return edge;
    }
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
  struct Dict {
    std::string_view key, value;  // both empty: {}
  };

  // What networkx writes behind an edge: {} or {'weight': 3}.
  static std::optional<Dict> parse_dict(std::string_view text) {
    const auto trim = [](std::string_view& t) {
      while (!t.empty() && (t.front() == ' ' || t.front() == '\t')) t.remove_prefix(1);
      while (!t.empty() && (t.back() == ' ' || t.back() == '\t')) t.remove_suffix(1);
    };
    trim(text);
    if (text.size() < 2 || text.front() != '{' || text.back() != '}') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    trim(text);
    if (text.empty()) return Dict{};
    const char quote = text.front();
    const std::size_t end = text.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) return std::nullopt;
    Dict dict{text.substr(1, end - 1), text.substr(end + 1)};
    trim(dict.value);
    if (!dict.value.starts_with(':')) return std::nullopt;
    dict.value.remove_prefix(1);
    trim(dict.value);
    if (dict.value.empty() || dict.value.find(',') != std::string_view::npos) return std::nullopt;
    return dict;
  }

  template <class TakeWeight>
  void read_dict(const Lines& lines, const char* at, const TakeWeight& take_weight) const {
    const std::string_view text(at, static_cast<std::size_t>(lines.line().data() + lines.line().size() - at));
    const auto dict = parse_dict(text);
    if (!dict) {
      lines.fail(at, "behind the ids there should be {} or one value, as {'weight': 3}",
                 "write several attributes with networkx.write_gml or write_graphml, which are read");
    }
    if (dict->key != (weighted_ ? std::string_view(weight_name_) : std::string_view())) {
      lines.fail(at, "the attributes are not those of the first edge", "give every edge the same");
    }
    if (weighted_) take_weight(dict->value.data(), dict->value);
  }

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
    const std::size_t brace = lines.line().find('{');
    if (brace != std::string_view::npos && first >= '0' && first <= '9') {
      dict_ = true;
      const auto dict = parse_dict(lines.line().substr(brace));
      weighted_ = dict && !dict->key.empty();
      if (weighted_) weight_name_ = std::string(dict->key);
      return false;
    }
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
  bool dict_ = false;  // networkx's list: a dictionary of attributes behind every edge
  char separator_ = ' ';
  std::string weight_name_;
  std::uint64_t declared_ = 0;
};

}  // namespace agentnet
