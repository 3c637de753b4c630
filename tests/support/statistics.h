// Is a sample what it should be? For tests with fixed seeds: they never flicker.
#pragma once

#include <cstdint>
#include <span>

namespace agentnet {

// The chance that counts drawn from `probabilities` (which sum to 1) differ from their expectation at least as much
// as `observed` do: Pearson's chi-square. Correct code gives a uniform value, wrong code one near 0. Every
// expected count should be 5 or more; a cell of probability 0 must be empty, else the result is 0.
[[nodiscard]] double chi_square_p_value(std::span<const std::uint64_t> observed, std::span<const double> probabilities);

// The same for equal probabilities.
[[nodiscard]] double uniform_p_value(std::span<const std::uint64_t> observed);

}  // namespace agentnet
