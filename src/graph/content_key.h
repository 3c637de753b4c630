// What the random draws of a graph are keyed by, so that its answer belongs to the graph and not to the row of a table
// that it stands in: a hash of its structure and features.
//
// Graphs of up to kWholeGraph nodes and entries are hashed as a whole, independently of the order of their nodes and
// edges (wl_hash.h). Of larger ones a fixed number of places is read, because an answer may cost less than reading the
// graph: the sizes, and eight nodes spread evenly over the ids, with degree and first neighbour. Different graphs may
// share a key, which does no harm: it is as if they had been run with the same seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agentnet/graph.h"

namespace agentnet {

inline constexpr std::uint64_t kWholeGraph = std::uint64_t{1} << 15;

// Below 2^48, as core/random.h asks for. The same for a graph in memory and in a mapped file. Categories count as
// CategoryRows::value() gives them: as the model knows them, once the data was fitted to it. Throws Error (kData) where
// a damaged file says what cannot be.
[[nodiscard]] std::uint64_t content_key(const GraphView& graph);
[[nodiscard]] std::vector<std::uint64_t> content_keys(std::span<const GraphView> graphs);

}  // namespace agentnet
