#include "graph/shards.h"

#include <algorithm>
#include <cstddef>

namespace agentnet {
namespace {

// Cuts the graphs first .. last - 1, none above the target, into shards of about total / parts.
void cut_evenly(std::span<const std::uint64_t> cost, std::size_t first, std::size_t last, std::uint64_t target,
                std::vector<Shard>& shards) {
  std::uint64_t total = 0;
  for (std::size_t i = first; i < last; ++i) total += cost[i];
  const std::uint64_t parts = std::max<std::uint64_t>(1, total / target + (total % target != 0 ? 1 : 0));

  // A graph belongs to the part that its middle falls into; all in integers, so that it is the same everywhere.
  const auto end_of_part = [&](std::uint64_t part) {
    return total / parts * (part + 1) + total % parts * (part + 1) / parts;
  };
  std::uint64_t before = 0;  // cost of all graphs before this one
  std::uint64_t part = 0;
  bool open = false;
  for (std::size_t i = first; i < last; ++i) {
    while (part + 1 < parts && before + cost[i] / 2 >= end_of_part(part)) {
      ++part;
      open = false;
    }
    if (!open) shards.emplace_back();
    open = true;
    shards.back().members.push_back(static_cast<std::uint32_t>(i));
    before += cost[i];
  }
}

}  // namespace

std::vector<Shard> make_shards(std::span<const std::uint64_t> cost_per_graph, std::uint64_t target_cost) {
  const std::uint64_t target = std::max<std::uint64_t>(1, target_cost);
  std::vector<Shard> shards;
  std::size_t first = 0;  // of the run of small graphs that is being collected
  for (std::size_t i = 0; i <= cost_per_graph.size(); ++i) {
    const bool at_end = i == cost_per_graph.size();
    if (!at_end && cost_per_graph[i] <= target) continue;
    if (first < i) cut_evenly(cost_per_graph, first, i, target, shards);
    if (!at_end) shards.push_back({{static_cast<std::uint32_t>(i)}});
    first = i + 1;
  }
  return shards;
}

}  // namespace agentnet
