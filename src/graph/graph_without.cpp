#include "graph/graph_without.h"

#include <utility>
#include <vector>

#include "agentnet/error.h"

namespace agentnet {
namespace {

void append_row(const DenseRows& rows, std::uint64_t row, std::vector<float>& to) {
  const std::size_t at = to.size();
  to.resize(at + static_cast<std::size_t>(rows.width));
  rows.copy(row, to.data() + at);
}

void append_row(const CategoryRows& rows, std::uint64_t row, std::vector<std::int32_t>& to) {
  for (int c = 0; c < rows.width; ++c) to.push_back(rows.value(row, static_cast<std::size_t>(c)));
}

// The nodes with a new number, and the edges between them that `stays(from, to)`.
template <class F>
Graph copy_of_part(const GraphView& graph, std::span<const std::int64_t> new_number, const F& stays) {
  GraphParts parts;
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    if (new_number[u] < 0) continue;
    ++parts.num_nodes;
    append_row(graph.node_dense, u, parts.node_dense);
    append_row(graph.node_categories, u, parts.node_categories);
    for (auto [e, last] = graph.entries_of(u); e < last; ++e) {
      const std::uint64_t v = graph.neighbour(e);
      if (new_number[v] < 0 || !stays(u, v)) continue;
      for (auto [r, last_row] = graph.edge_rows_of(e); r < last_row; ++r) {
        parts.from.push_back(static_cast<std::uint32_t>(new_number[u]));
        parts.to.push_back(static_cast<std::uint32_t>(new_number[v]));
        append_row(graph.edge_dense, r, parts.edge_dense);
        append_row(graph.edge_categories, r, parts.edge_categories);
      }
    }
  }
  try {
    return Graph(std::move(parts));
  } catch (const Error& error) {  // features that are none, in a file that was not checked
    if (graph.file != nullptr) graph.damaged(error.what());
    throw;
  }
}

}  // namespace

Graph graph_without_nodes(const GraphView& graph, std::span<const char> gone) {
  std::vector<std::int64_t> new_number(graph.num_nodes, -1);
  std::int64_t kept = 0;
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    if (gone[u] == 0) new_number[u] = kept++;
  }
  return copy_of_part(graph, new_number, [](std::uint64_t, std::uint64_t) { return true; });
}

Graph graph_without_edge(const GraphView& graph, std::uint64_t from, std::uint64_t to, bool both_directions) {
  std::vector<std::int64_t> same(graph.num_nodes);
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) same[u] = static_cast<std::int64_t>(u);
  return copy_of_part(graph, same, [&](std::uint64_t u, std::uint64_t v) {
    return !(u == from && v == to) && !(both_directions && u == to && v == from);
  });
}

}  // namespace agentnet
