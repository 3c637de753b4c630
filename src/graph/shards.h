// A batch is cut into shards: runs of graphs that one worker takes at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace agentnet {

struct Shard {
  std::vector<std::uint32_t> members;  // indices into the batch, consecutive
};

// Cuts a batch into shards of similar cost, of about `target_cost` (at least 1) each. The cut is fixed by
// the costs alone, never by the number of threads: gradients are summed in shard order, so the cut is
// part of the result's last bits. Graphs stay in order, each in exactly one shard; a graph that costs
// more than the target is alone in its shard. An empty batch has no shards.
[[nodiscard]] std::vector<Shard> make_shards(std::span<const std::uint64_t> cost_per_graph, std::uint64_t target_cost);

}  // namespace agentnet
