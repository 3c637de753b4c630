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
#include <utility>
#include <vector>

#include "data/formats/readers.h"
#include "data/formats/single_graph.h"
#include "data/io/lines.h"
#include "data/syntax/edge_list_syntax.h"
#include "data/tables/builder.h"

namespace agentnet {
namespace {

using Ids = std::vector<std::uint64_t>;

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
    const auto take_weight = [this](const char* at, std::string_view text) {
      add_weight_column();
      weights_.push_back(set_.edges.value(0, text, failing_at(lines_, at)));
    };
    while (lines_.next_nonempty()) {
      const auto edge = syntax_.read(lines_, take_weight);
      if (!edge) continue;
      from_.push_back(edge->from);
      to_.push_back(edge->to);
      largest_ = std::max({largest_, edge->from, edge->to});
    }
    if (syntax_.weighted()) add_weight_column();
    const std::string end = lines_.place() + ":" + std::to_string(lines_.number() + 1) + ":1";
    set_.add(finished(), {}, [&] { return end; });
    return std::move(set_).finish(source_, "edgelist");
  }

 private:
  void add_weight_column() {
    if (set_.edges.size() == 0) set_.edges.add({syntax_.weight_name()}, kind_of_weights(options_.edge_features));
  }

  GraphParts finished() {
    GraphParts parts;
    const std::uint64_t declared = syntax_.declared();
    const bool numbered = declared > largest_ && plausible_nodes(declared, from_.size());
    if (numbered || from_.empty()) {
      parts.num_nodes = numbered ? declared : 0;
    } else {
      parts.num_nodes = compact(from_, to_, largest_);
      if (parts.num_nodes > kMostSingleNodes)
        lines_.fail_at_end("the graph has more than 2^32 nodes", "split the graph");
    }
    parts.from = narrowed(std::exchange(from_, {}));
    parts.to = narrowed(std::exchange(to_, {}));
    parts.edge_dense = std::move(weights_);
    const bool both_ways = syntax_.both_ways();
    set_.set_default_direction(both_ways ? Direction::kUndirected : Direction::kDirected);
    const bool undirected =
        options_.direction == Direction::kUndirected || (options_.direction == Direction::kAsFormat && both_ways);
    // Without weights a reverse that is listed as well does no harm, and need not be looked for.
    parts.undirected = undirected && !syntax_.weighted();
    return parts;
  }

  Lines lines_;
  std::string source_;
  const DataOptions& options_;
  SetBuilder set_;
  EdgeListSyntax syntax_;
  std::uint64_t largest_ = 0;
  Ids from_, to_;
  std::vector<float> weights_;
};

}  // namespace

Dataset read_edge_list(const Input& input, const DataOptions& options) { return EdgeListReader(input, options).read(); }

}  // namespace agentnet
