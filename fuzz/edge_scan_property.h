// What must hold of any bytes given to the fast reader of edge lists: it means what the reader in memory means.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "data/formats/readers.h"
#include "data/formats/single_graph.h"
#include "data/huge/edge_scan.h"
#include "reader_property.h"

namespace agentnet {

struct Scanned {
  std::vector<Edge> edges;
  EdgeListFacts facts;
  std::string error;      // empty: none
  bool weighted = false;  // which it leaves to the other reader
};

inline Scanned scanned(const std::string& text, std::size_t block) {
  Scanned result;
  try {
    const Input input = Input::from_text("input", text);
    const auto stream = input.stream();
    const auto take = [&](std::span<const Edge> edges, std::uint64_t, const EdgeListFacts&) {
      result.edges.insert(result.edges.end(), edges.begin(), edges.end());
    };
    result.facts = scan_edge_list(*stream, "input", take, block);
  } catch (const Error& error) {
    result.error = error.what();
    result.weighted = error.kind() == ErrorKind::kUsage;
  }
  return result;
}

// The graph of these edges, numbered as docs/data.md says, the slow way.
inline Graph graph_of(const Scanned& list) {
  const bool numbered =
      list.facts.declared > list.facts.largest && plausible_nodes(list.facts.declared, list.edges.size());
  std::vector<std::uint64_t> ids;
  for (const Edge& edge : list.edges) ids.insert(ids.end(), {edge.from, edge.to});
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  const auto node = [&](std::uint64_t id) {
    const auto rank = static_cast<std::uint64_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
    return static_cast<std::uint32_t>(numbered ? id : rank);
  };
  GraphParts parts;
  parts.num_nodes = numbered ? list.facts.declared : ids.size();
  parts.undirected = list.facts.both_ways;
  for (const Edge& edge : list.edges) {
    parts.from.push_back(node(edge.from));
    parts.to.push_back(node(edge.to));
  }
  return Graph(std::move(parts));
}

// Whether the bytes are an edge list.
inline bool check_edge_scan(std::span<const std::byte> bytes) {
  const std::string text = text_of(bytes);
  // The reader in memory takes UTF-16, too; the other one is for lists of gigabytes, which nobody keeps so.
  if (text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE")) return false;
  const Scanned list = scanned(text, 64), whole = scanned(text, 1 << 13);
  require_of_reader(list.error == whole.error && list.edges == whole.edges, "what is read depends on the blocks");
  try {
    const Dataset data = read_edge_list(Input::from_text("input", text), {});
    if (list.weighted) return true;
    require_of_reader(list.error.empty(), "refused, though the reader in memory accepts it");
    const Graph graph = graph_of(list);
    const GraphView a = graph.view(), b = data.graphs.view(0);
    require_of_reader(a.num_nodes == b.num_nodes && a.num_edges() == b.num_edges() &&
                          std::equal(a.offsets, a.offsets + a.num_nodes + 1, b.offsets) &&
                          std::equal(a.neighbours, a.neighbours + a.num_edges(), b.neighbours),
                      "another graph than the reader in memory gives");
    return true;
  } catch (const Error& error) {
    const bool empty = list.error.empty() && list.edges.empty();  // a graph without nodes, which only the other sees
    require_of_reader(list.weighted || empty || list.error == error.what(),
                      "another complaint than that of the reader in memory");
    return false;
  }
}

}  // namespace agentnet
