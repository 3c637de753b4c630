// Text given to a reader, as if it were a file; and what came of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/error.h"
#include "data/io/input.h"

namespace agentnet {

using Reader = Dataset (*)(const Input&, const DataOptions&);

inline Dataset read_text_as(Reader reader, const std::string& text, const DataOptions& options = {}) {
  return reader(Input::from_text("file", text), options);
}

// "message | hint" of the Error (kData) that reading this text throws, without the general hints of Lines.
inline std::string error_of(Reader reader, const std::string& text, const DataOptions& options = {}) {
  try {
    static_cast<void>(read_text_as(reader, text, options));
    return "accepted";
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) return std::string("the wrong kind of error: ") + error.what();
    const bool general = error.hint() == "correct the line" || error.hint() == "is the file cut short?";
    return error.what() + (error.hint().empty() || general ? "" : " | " + error.hint());
  }
}

using Ends = std::vector<std::pair<int, int>>;

// Directed edges in the order of the neighbour lists.
inline Ends edges_of(const GraphView& graph) {
  Ends edges;
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    for (const std::uint32_t v : graph.neighbours_of(u)) edges.emplace_back(static_cast<int>(u), static_cast<int>(v));
  }
  return edges;
}

// The dense features of edges, row by row, where an entry has exactly one row.
inline std::vector<float> edge_values(const GraphView& graph) {
  const auto width = static_cast<std::uint64_t>(graph.edge_dense.width);
  return {graph.edge_dense.f32, graph.edge_dense.f32 + graph.num_edges() * width};
}

inline std::vector<float> node_values(const GraphView& graph) {
  const auto width = static_cast<std::uint64_t>(graph.node_dense.width);
  return {graph.node_dense.f32, graph.node_dense.f32 + graph.num_nodes * width};
}

}  // namespace agentnet
