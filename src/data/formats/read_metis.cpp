// METIS graph files: a line per node with its neighbours, counted from 1; every edge stands in both rows.
//
//   % comments
//   nodes edges [format [weights per node]]
//   [size] [weight...] neighbour [weight] neighbour [weight] ...
//
// The three digits of `format` say whether nodes have sizes, nodes have weights, and edges have weights. They become
// the features "size", "weight" (or "weight0", "weight1", ...) of nodes and "weight" of edges.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/formats/readers.h"
#include "data/formats/single_graph.h"
#include "data/io/lines.h"
#include "data/tables/builder.h"

namespace agentnet {
namespace {

class MetisReader {
 public:
  MetisReader(const Input& input, const DataOptions& options)
      : lines_(input, input.only_member()), source_(input.name()), options_(options), set_(options) {}

  Dataset read() {
    read_header();
    const std::string where = lines_.where(lines_.line().data());
    for (std::uint64_t u = 0; u < parts_.num_nodes; ++u) read_node(u);
    while (next_line()) {
      if (!Fields(lines_).at_end()) {
        lines_.fail_line(fmt::format("the file goes on after the last of its {} nodes", parts_.num_nodes),
                         "correct the number of nodes");
      }
    }
    check_edges();
    set_.add(std::move(parts_), {}, [&] { return where; });
    return std::move(set_).finish(source_, "metis");
  }

 private:
  // An empty line is a node without neighbours.
  bool next_line() {
    while (lines_.next()) {
      if (!lines_.line().starts_with('%')) return true;
    }
    return false;
  }

  void read_header() {
    if (!next_line()) lines_.fail_at_end("the file ends where the numbers of nodes and edges should be");
    Fields header(lines_);
    const char* nodes_at = header.position();
    parts_.num_nodes = header.count("number of nodes");
    if (parts_.num_nodes == 0) lines_.fail(nodes_at, "the graph has no nodes", "leave empty graphs out");
    if (parts_.num_nodes > kMostSingleNodes) {
      lines_.fail(nodes_at, "the graph has more than 2^32 nodes", "split the graph");
    }
    edges_at_ = lines_.where(header.position());
    edges_ = header.count("number of edges");
    const char* format_at = header.position();
    const std::string_view format = header.at_end() ? "0" : header.text("format");
    if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos) {
      lines_.fail(format_at, fmt::format("the format {} is not three digits 0 or 1", in_quotes(format)),
                  "node sizes, node weights, edge weights");
    }
    const std::string digits = std::string(3 - format.size(), '0').append(format);
    std::uint64_t weights = digits[1] == '1' ? 1 : 0;
    if (!header.at_end()) {
      const char* count_at = header.position();
      const std::uint64_t count = header.count("number of weights per node");
      if (count != 0 && weights == 0) {
        lines_.fail(count_at, fmt::format("nodes have {} weights, but the format {} none", count, in_quotes(format)),
                    "the second of three digits says whether nodes have weights");
      }
      if (count > 1000) lines_.fail(count_at, "nodes have more than 1000 weights", "check the header");
      if (weights != 0) weights = count;
      header.expect_end("nodes, edges, format and weights per node");
    }
    if (digits[0] == '1') set_.nodes.add({"size"}, kind_of_weights(options_.node_features));
    set_.nodes.add_numbered("weight", weights, kind_of_weights(options_.node_features));
    if (digits[2] == '1') set_.edges.add({"weight"}, kind_of_weights(options_.edge_features));
  }

  void read_node(std::uint64_t u) {
    if (!next_line()) lines_.fail_at_end(fmt::format("the file ends after {} of {} nodes", u, parts_.num_nodes));
    line_of_node_.push_back(lines_.number());
    Fields row(lines_);
    for (std::size_t c = 0; c < set_.nodes.size(); ++c) {
      const char* at = row.position();
      parts_.node_dense.push_back(set_.nodes.value(c, row.text("node weight"), failing_at(lines_, at)));
    }
    while (!row.at_end()) {
      const char* at = row.position();
      const std::uint64_t v = row.count("neighbour");
      if (v == 0 || v > parts_.num_nodes) {
        lines_.fail(at, fmt::format("the neighbour {} is not between 1 and {}", v, parts_.num_nodes),
                    "nodes count from 1");
      }
      if (v == u + 1) lines_.fail(at, fmt::format("node {} lists itself", v), "METIS knows no self loops");
      parts_.from.push_back(static_cast<std::uint32_t>(u));
      parts_.to.push_back(static_cast<std::uint32_t>(v - 1));
      if (set_.edges.size() != 0) {
        const char* weight_at = row.position();
        parts_.edge_dense.push_back(set_.edges.value(0, row.text("edge weight"), failing_at(lines_, weight_at)));
      }
    }
  }

  // Each edge stands in both rows, with the same weight, and their number is the header's.
  void check_edges() const {
    const auto& from = parts_.from;
    const auto& to = parts_.to;
    const auto weight = [this](std::size_t e) { return parts_.edge_dense.empty() ? 0.0F : parts_.edge_dense[e]; };
    std::vector<std::size_t> reverse(from.size());  // sorted by (to, from, weight); the list itself by from
    std::iota(reverse.begin(), reverse.end(), std::size_t{0});
    std::vector<std::size_t> forward(reverse);
    std::sort(reverse.begin(), reverse.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(to[a], from[a], weight(a)) < std::tuple(to[b], from[b], weight(b));
    });
    std::sort(forward.begin(), forward.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(from[a], to[a], weight(a)) < std::tuple(from[b], to[b], weight(b));
    });
    for (std::size_t i = 0; i < forward.size(); ++i) {
      const std::size_t a = forward[i], b = reverse[i];
      if (from[a] == to[b] && to[a] == from[b] && weight(a) == weight(b)) continue;
      const bool a_alone = std::tuple(from[a], to[a], weight(a)) < std::tuple(to[b], from[b], weight(b));
      const std::size_t alone = a_alone ? a : b;
      throw Error(ErrorKind::kData,
                  fmt::format("{}:{}:1: node {} lists node {}{}, which does not list it the same way", lines_.place(),
                              line_of_node_[from[alone]], from[alone] + 1, to[alone] + 1,
                              parts_.edge_dense.empty() ? "" : fmt::format(" with weight {}", weight(alone))),
                  "list every edge in the rows of both of its nodes");
    }
    if (from.size() / 2 != edges_) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}: the header says {} edges, but the rows list {}", edges_at_, edges_, from.size() / 2),
                  "count every edge once");
    }
  }

  Lines lines_;
  std::string source_;
  const DataOptions& options_;
  SetBuilder set_;
  GraphParts parts_;
  std::uint64_t edges_ = 0;
  std::string edges_at_;  // where the header says so
  std::vector<std::uint64_t> line_of_node_;
};

}  // namespace

Dataset read_metis(const Input& input, const DataOptions& options) { return MetisReader(input, options).read(); }

}  // namespace agentnet
