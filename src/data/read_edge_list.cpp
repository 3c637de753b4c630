// Edge lists as SNAP publishes them: two ids per line, separated by white space or a comma, and optionally a weight;
// lines that begin with # or % are comments.
//
// Ids are whole numbers from 0 up to 2^64 - 1. Those that occur become the nodes 0, 1, ... in ascending order; only a
// comment "Nodes: N" with N above every id says that the ids are the nodes' numbers, of which some may have no edge.
//
// Edges can be walked both ways unless the user says otherwise: SNAP lists undirected graphs once, twice, or mixed, and
// no line says which. A comment that ends in "Direction: as listed", as in one-way lists that we write, says so.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "data/builder.h"
#include "data/lines.h"
#include "data/readers.h"
#include "data/single_graph.h"

namespace agentnet {
namespace {

using Ids = std::vector<std::uint64_t>;

// "# Nodes: 36692 Edges: 367662" -> 36692
std::optional<std::uint64_t> declared_nodes(std::string_view comment) {
  constexpr std::string_view kWord = "Nodes:";
  const std::size_t found = comment.find(kWord);
  if (found == std::string_view::npos) return std::nullopt;
  comment.remove_prefix(found + kWord.size());
  comment.remove_prefix(std::min(comment.find_first_not_of(" \t"), comment.size()));
  const auto count = to_integer(comment.substr(0, comment.find_first_of(" \t,")));
  if (!count || *count < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*count);
}

// Replaces the ids by their ranks among those that occur; returns how many there are.
std::uint64_t compact(Ids& from, Ids& to, std::uint64_t largest) {
  if (largest / 8 <= from.size()) {  // a table of all numbers is small
    std::vector<std::uint32_t> rank(static_cast<std::size_t>(largest) + 1, 0);
    for (const Ids* ids : {&from, &to}) {
      for (const std::uint64_t id : *ids) rank[id] = 1;
    }
    std::uint32_t next = 0;
    for (std::uint32_t& r : rank) next += std::exchange(r, next);
    for (Ids* ids : {&from, &to}) {
      for (std::uint64_t& id : *ids) id = rank[id];
    }
    return next;
  }
  Ids known(from);
  known.insert(known.end(), to.begin(), to.end());
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (Ids* ids : {&from, &to}) {
    for (std::uint64_t& id : *ids) {
      id = static_cast<std::uint64_t>(std::lower_bound(known.begin(), known.end(), id) - known.begin());
    }
  }
  return known.size();
}

std::vector<std::uint32_t> narrowed(Ids ids) { return {ids.begin(), ids.end()}; }

class EdgeListReader {
 public:
  EdgeListReader(const Input& input, const DataOptions& options)
      : lines_(input, input.only_member()), source_(input.name()), options_(options), set_(options) {}

  Dataset read() {
    while (lines_.next_nonempty()) {
      const std::string_view line = lines_.line();
      const char first = line[line.find_first_not_of(" \t")];
      if (first == '#' || first == '%') {
        if (const auto nodes = declared_nodes(line)) declared_ = *nodes;
        if (line.ends_with(kOneWay)) both_ways_ = false;
      } else if (from_.empty() && !columns_known_) {
        read_first(first);
      } else {
        read_edge();
      }
    }
    const std::string end = lines_.place() + ":" + std::to_string(lines_.number() + 1) + ":1";
    set_.add(finished(), {}, [&] { return end; });
    return std::move(set_).finish(source_, "edgelist");
  }

 private:
  // The first line that is no comment tells how the others look. A comma-separated list may begin with names.
  void read_first(char first) {
    columns_known_ = true;
    if (lines_.line().find(',') != std::string_view::npos) separator_ = ',';
    std::size_t fields = 0;
    std::string last;
    for (Fields row(lines_, separator_); !row.at_end(); ++fields) last = row.text("field");
    const bool names = separator_ == ',' && (first < '0' || first > '9') && first != '-' && first != '+';
    weighted_ = fields > 2;
    if (weighted_) set_.edges.add({names ? last : "weight"}, kind_of_weights(options_.edge_features));
    if (!names) {
      read_edge();
    } else if (fields > 3 || fields < 2) {
      lines_.fail(lines_.line().data(), "the names should be those of two node ids and at most a weight",
                  "leave further columns out");
    }
  }

  void read_edge() {
    Fields row(lines_, separator_);
    const std::uint64_t from = row.count("first node id"), to = row.count("second node id");
    from_.push_back(from);
    to_.push_back(to);
    largest_ = std::max({largest_, from, to});
    if (weighted_) {
      const char* at = row.position();
      weights_.push_back(set_.edges.value(0, row.text("weight"), failing_at(lines_, at)));
    }
    if (!row.at_end()) row.expect_end(weighted_ ? "two node ids and a weight" : "two node ids, as the first line");
  }

  GraphParts finished() {
    GraphParts parts;
    const bool numbered = declared_ > largest_ && plausible_nodes(declared_, from_.size());
    if (numbered || from_.empty()) {
      parts.num_nodes = numbered ? declared_ : 0;
    } else {
      parts.num_nodes = compact(from_, to_, largest_);
      if (parts.num_nodes > kMostSingleNodes)
        lines_.fail_at_end("the graph has more than 2^32 nodes", "split the graph");
    }
    parts.from = narrowed(std::exchange(from_, {}));
    parts.to = narrowed(std::exchange(to_, {}));
    parts.edge_dense = std::move(weights_);
    set_.set_default_direction(both_ways_ ? Direction::kUndirected : Direction::kDirected);
    const bool undirected =
        options_.direction == Direction::kUndirected || (options_.direction == Direction::kAsFormat && both_ways_);
    // Without weights a reverse that is listed as well does no harm, and need not be looked for.
    parts.undirected = undirected && !weighted_;
    return parts;
  }

  Lines lines_;
  std::string source_;
  const DataOptions& options_;
  SetBuilder set_;
  bool columns_known_ = false, weighted_ = false;
  char separator_ = ' ';
  bool both_ways_ = true;  // unless the user says otherwise
  std::uint64_t declared_ = 0, largest_ = 0;
  Ids from_, to_;
  std::vector<float> weights_;
};

}  // namespace

Dataset read_edge_list(const Input& input, const DataOptions& options) { return EdgeListReader(input, options).read(); }

}  // namespace agentnet
