// Some graphs of a set, or all of them again. A Dataset can be moved, not copied: its graphs may be gigabytes in memory
// or in a mapped file, which nobody should copy by accident.
//
//   Dataset half = subset(data, make_split(data, "random").train);
//   Dataset same = copy_of(data);
#pragma once

#include <cstddef>
#include <span>

#include "agentnet/data.h"

namespace agentnet {

// The graphs of these numbers, in this order, in memory, with what belongs to them: schema, rows of the source, kept
// columns. A number may stand more than once. Rows that are no graphs, and the official split, are those of the whole
// and are left out. Throws std::out_of_range for a number that is not below the set's size.
[[nodiscard]] Dataset subset(const Dataset& data, std::span<const std::size_t> graphs);

// All of it, rows that are no graphs and the official split included.
[[nodiscard]] Dataset copy_of(const Dataset& data);

}  // namespace agentnet
