// Splits that keep graphs together which should not be told apart: molecules of one scaffold, duplicates.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/splits/splits.h"

namespace agentnet {

// As chemprop's balanced split: groups with more graphs than half of the smaller of valid and test go first, all groups
// in a random order among themselves; each goes to train, valid or test, the first of them where it fits (test takes
// what fits nowhere). So test gets groups of all sizes, not only the rarest scaffolds.
[[nodiscard]] Split balanced_scaffold_split(std::span<const std::string> scaffolds, const SplitFractions& fractions,
                                            std::uint64_t seed);

// k splits without a valid part: groups, in a random order and then the largest first, each go to the fold that has
// fewest graphs so far. A k that is not from 2 to the number of scaffolds throws Error (kUsage).
[[nodiscard]] std::vector<Split> scaffold_k_folds(std::span<const std::string> scaffolds, std::size_t k,
                                                  std::uint64_t seed);

// Graphs that are probably the same (graph/wl_hash.h): groups of two or more. Where that hash sees all nodes of a graph
// alike, as in regular graphs without features, which it cannot tell apart, the graph is left out.
[[nodiscard]] std::vector<std::vector<std::size_t>> duplicate_groups(const Dataset& data);

// Moves the graphs of each group to the part that its first graph is in. Returns how many were moved in all splits.
std::size_t keep_together(const std::vector<std::vector<std::size_t>>& groups, std::vector<Split>& splits);

// Whether the splits of this spec keep duplicates together: "+apart" at its end says so of any set, "+duplicates" says
// that they may be anywhere; without either, those of molecules do, where a repeated row is a leak.
[[nodiscard]] bool keeps_duplicates_together(const Dataset& data, std::string_view spec);
// The spec without that ending.
[[nodiscard]] std::string_view without_ending(std::string_view spec);

}  // namespace agentnet
