// In how many structures a node is, and what that is as columns of zeros and ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nets/taped/simple_graph.h"
#include "nn/kind.h"

namespace agentnet {

// Cycles of 3 .. longest_cycle nodes (with and without chords), then cliques of 3 .. largest_clique; below 3: none.
struct Structures {
  int longest_cycle = 0;
  int largest_clique = 0;

  [[nodiscard]] std::size_t cycle_columns() const {
    return static_cast<std::size_t>(longest_cycle > 2 ? longest_cycle - 2 : 0);
  }
  [[nodiscard]] std::size_t clique_columns() const {
    return static_cast<std::size_t>(largest_clique > 2 ? largest_clique - 2 : 0);
  }
  [[nodiscard]] std::size_t columns() const { return cycle_columns() + clique_columns(); }
};

// [n, columns]: how many of them go through each node. Empty: there are more than `most` of one kind.
[[nodiscard]] std::vector<std::int64_t> count_structures(const SimpleGraph& graph, const Structures& structures,
                                                         std::uint64_t most);

// The counts that a set has, ascending, one list per column; a count is known by the place of the largest value that is
// not above it.
class CountValues {
 public:
  // Texts such as "0 1 2 6". A column without one knows 0 .. 7. Throws Error (kUsage), naming the option.
  CountValues(const char* option, const std::vector<std::string>& texts, std::size_t columns);
  [[nodiscard]] const std::vector<std::vector<std::int64_t>>& columns() const { return values_; }
  [[nodiscard]] std::size_t width() const;  // of all columns of zeros and ones
  // The place of a count among the values of a column, or the number of them if it is below all.
  [[nodiscard]] std::size_t place(std::size_t column, std::int64_t count) const;

 private:
  std::vector<std::vector<std::int64_t>> values_;
};

// The values of a set as advice for `cycle_values` and `clique_values`, for the sizes up to these. Where a set has too
// many cycles to count them all first, `max_cycle` is lower, and cliques are counted as well.
[[nodiscard]] std::vector<OptionChoice> advise_counts(const SetSize& set, const Structures& structures);

}  // namespace agentnet
