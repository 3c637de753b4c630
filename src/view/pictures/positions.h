// Coordinates in space as places on a page.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace agentnet {

// `positions` is [n, 3]. What lies in a plane z = constant keeps its x and y, with y upwards; anything else is seen
// from the side on which it is flattest.
[[nodiscard]] std::vector<std::array<double, 2>> flat_positions(std::span<const float> positions,
                                                                std::span<const std::uint64_t> nodes);

}  // namespace agentnet
