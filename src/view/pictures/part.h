// Which nodes of a large graph are worth drawing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agentnet/explain.h"

namespace agentnet {

// Indices into Explanation::nodes, ascending, at most `most`; all of them if there are no more. Grows from the most
// visited node along edges, the most visited neighbour first; where no visited node is left beside what is chosen, it
// starts anew at the most visited one elsewhere.
[[nodiscard]] std::vector<std::uint32_t> part_to_draw(const Explanation& explanation, std::size_t most);

}  // namespace agentnet
