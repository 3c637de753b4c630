// Files beside a huge edge list that say something of its nodes, a line each, in any order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace agentnet {

// The number of the node with this id; nothing if there is none.
using NodeOfId = std::function<std::optional<std::uint64_t>(std::uint64_t id)>;

struct NodeLabels {
  std::vector<std::string> values;    // numbers in ascending order, then words in alphabetical order
  std::vector<std::int32_t> numbers;  // [nodes] into values
  std::uint64_t unused_lines = 0;     // of ids that are no nodes
};

// Lines "id label": the label is any text up to the end of the line. Nodes without a line have the empty label. Throws
// Error: kData for a line that is none or an id with two labels, kUsage if `memory` bytes are not enough.
[[nodiscard]] NodeLabels read_node_labels(const std::filesystem::path& path, std::uint64_t nodes, const NodeOfId& find,
                                          std::uint64_t memory);

struct NodeNumbers {
  std::size_t width = 0;
  std::vector<float> rows;  // [nodes, width]
  std::uint64_t unused_lines = 0;
};

// Lines "id x1 x2 ...", as many numbers on every line. The same errors, and kData for a node without a line.
[[nodiscard]] NodeNumbers read_node_numbers(const std::filesystem::path& path, std::uint64_t nodes,
                                            const NodeOfId& find, std::uint64_t memory);

}  // namespace agentnet
