// Looking an edge up by its ends.
#pragma once

#include <cstdint>
#include <optional>

#include "agentnet/graph.h"

namespace agentnet {

// The entry of the neighbour lists that leads from one node to another; nothing if none does. Halves the list, so that
// a hub's costs a few reads.
[[nodiscard]] inline std::optional<std::uint64_t> find_edge(const GraphView& graph, std::uint64_t from,
                                                            std::uint64_t to) {
  auto [low, high] = graph.entries_of(from);
  const std::uint64_t end = high;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (graph.neighbour(middle) < to) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low < end && graph.neighbour(low) == to) return low;
  return std::nullopt;
}

}  // namespace agentnet
