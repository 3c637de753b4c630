// What must hold of any bytes given to the reader of a graph format. Shared by the fuzz targets, which invent the
// bytes, and by a plain test, which replays the files in fuzz/corpus and fuzz/regressions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/error.h"
#include "core/text.h"
#include "data/io/input.h"

namespace agentnet {

inline void require_of_reader(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

inline void require_sound(const GraphView& graph, const Schema& schema) {
  require_of_reader(graph.num_nodes > 0, "a graph without nodes");
  const auto require_features = [](const DenseRows& dense, const CategoryRows& categories, const FeatureSchema& columns,
                                   std::uint64_t rows) {
    for (std::uint64_t i = 0; i < rows * static_cast<std::uint64_t>(dense.width); ++i) {
      require_of_reader(std::isfinite(dense.f32[i]), "a feature is not finite");
    }
    for (std::uint64_t row = 0; categories.width > 0 && row < rows; ++row) {
      for (std::size_t c = 0; c < columns.categories.size(); ++c) {
        const auto value = static_cast<std::size_t>(categories.row(row)[c]);
        require_of_reader(value < columns.categories[c].values.size(), "a category is not in its vocabulary");
      }
    }
  };
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    require_of_reader(graph.offsets[u] <= graph.offsets[u + 1], "offsets do not ascend");
    std::int64_t last = -1;
    for (const std::uint32_t v : graph.neighbours_of(u)) {
      require_of_reader(v < graph.num_nodes && v > last, "neighbours are out of range or out of order");
      last = v;
    }
  }
  require_features(graph.node_dense, graph.node_categories, schema.nodes, graph.num_nodes);
  const std::uint64_t edges = graph.num_edges();
  require_features(graph.edge_dense, graph.edge_categories, schema.edges,
                   edges == 0 ? 0 : graph.edge_rows_of(edges - 1).last);
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Calls `read`, which gives a Dataset. Returns whether it did. An Error must be of kind kData, or kUsage where an
// option would help, with a message that names the input and can be printed, and a hint; a set must hold graphs that
// the engine can walk. Anything else throws something that is no Error.
template <class Read>
bool check_reading(const Read& read) {
  try {
    const Dataset data = read();
    require_of_reader(data.graphs.size() > 0, "a set without graphs");
    for (std::size_t g = 0; g < data.graphs.size(); ++g) require_sound(data.graphs.view(g), data.schema);
    return true;
  } catch (const Error& error) {
    const std::string message = error.what();
    require_of_reader(error.kind() == ErrorKind::kData || error.kind() == ErrorKind::kUsage,
                      "refused with the wrong kind of error");
    require_of_reader(message.starts_with("input"), "the message does not name the file");
    require_of_reader(printable(message) == message, "the message cannot be shown");
    require_of_reader(!error.hint().empty(), "there is no hint");
    return false;
  }
}

// Whether the bytes are a file of this reader's format.
template <class Reader>
bool check_reader(const Reader& reader, std::span<const std::byte> bytes) {
  return check_reading([&] { return reader(Input::from_text("input", text_of(bytes)), DataOptions{}); });
}

// The same for a format of several files: a line "== NAME" begins the file of that name.
template <class Reader>
bool check_folder_reader(const Reader& reader, std::span<const std::byte> bytes) {
  std::vector<std::pair<std::string, std::string>> members;
  const std::string text = text_of(bytes);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("== ")) {
      members.emplace_back(line.substr(3, line.find_last_not_of("\r\n") - 2), "");
    } else if (!members.empty()) {
      members.back().second += line;
    }
    at = end;
  }
  return check_reading([&] { return reader(Input::from_texts("input", std::move(members)), DataOptions{}); });
}

}  // namespace agentnet
