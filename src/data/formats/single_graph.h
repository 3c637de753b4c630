// What the readers of single graphs (edge lists, MatrixMarket, METIS) share.
#pragma once

#include <cstdint>
#include <string_view>

#include "agentnet/data.h"
#include "data/io/lines.h"

namespace agentnet {

inline constexpr std::uint64_t kMostSingleNodes = std::uint64_t{1} << 32;

// Whether a file with `listed` edges may declare this many nodes. Nodes without edges need no line in these formats, so
// that a few bytes could otherwise ask for all the memory there is.
[[nodiscard]] constexpr bool plausible_nodes(std::uint64_t nodes, std::uint64_t listed) {
  return nodes <= (std::uint64_t{1} << 20) || (nodes <= kMostSingleNodes && nodes / 64 <= listed);
}

// In a comment of an edge list that we write: its edges go one way. (SNAP's own headers say "Directed graph" of all.)
inline constexpr std::string_view kOneWay = " Direction: as listed";

// Weights are numbers unless the user says that they are categories.
[[nodiscard]] inline FeatureKind kind_of_weights(FeatureKind wanted) {
  return wanted == FeatureKind::kAuto ? FeatureKind::kDense : wanted;
}

// Lines::fail at a place, as FeatureColumns::value wants it.
[[nodiscard]] inline auto failing_at(const Lines& lines, const char* at) {
  return [&lines, at](std::string_view message, std::string_view hint) { lines.fail(at, message, hint); };
}

}  // namespace agentnet
