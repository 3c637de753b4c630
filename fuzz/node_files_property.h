// What must hold of any bytes given as a file of labels or features of nodes.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>

#include "data/huge/node_files.h"
#include "file_property.h"

namespace agentnet {

// Returns whether the bytes can be read as labels or as features of five nodes, whose ids are 0, 2, 4, 6 and 8.
inline bool check_node_files(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kNodes = 5, kMemory = std::uint64_t{1} << 20;
  const auto find = [](std::uint64_t id) {
    return id % 2 == 0 && id / 2 < kNodes ? std::optional(id / 2) : std::nullopt;
  };
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
  };
  const bool labels = check_file(bytes, [&](const std::filesystem::path& path) {
    const NodeLabels read = read_node_labels(path, kNodes, find, kMemory);
    require(read.numbers.size() == kNodes, "not every node has a label");
    for (const std::int32_t number : read.numbers) {
      require(number >= 0 && static_cast<std::size_t>(number) < read.values.size(), "a label that is not listed");
    }
  });
  const bool numbers = check_file(bytes, [&](const std::filesystem::path& path) {
    const NodeNumbers read = read_node_numbers(path, kNodes, find, kMemory);
    require(read.width > 0 && read.rows.size() == kNodes * read.width, "not every node has its features");
    for (const float value : read.rows) require(std::isfinite(value), "a feature that is not finite");
  });
  return labels || numbers;
}

}  // namespace agentnet
