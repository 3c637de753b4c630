// Comparing computed numbers with recorded ones.
#pragma once

#include <string>
#include <vector>

namespace agentnet {

// Empty if no entry is off by more than `allowed`, else what is wrong. NaN is always off.
[[nodiscard]] std::string mismatch(const std::string& what, const std::vector<double>& actual,
                                   const std::vector<double>& expected, double allowed);

// The largest absolute value; 0 of nothing.
[[nodiscard]] double largest_entry(const std::vector<double>& values);

}  // namespace agentnet
