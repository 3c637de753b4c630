// How a model reads columns of numbers: as deviations from a centre, in units of a spread. Data stays as it is; every
// network reads its rows through this, at the moment when it gathers them, so that the cost depends on what is read.
//
//   what a network sees of a column = (number - centre) / spread
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/network.h"

namespace agentnet {

struct ColumnScale {
  double centre = 0, spread = 1;  // spread is above 0

  [[nodiscard]] bool changes_nothing() const { return centre == 0 && spread == 1; }
  bool operator==(const ColumnScale&) const = default;
};

// Of the dense columns of nodes and of edges, in their order. No columns: numbers are read as they are.
struct InputScale {
  std::vector<ColumnScale> nodes, edges;

  [[nodiscard]] bool empty() const { return nodes.empty() && edges.empty(); }
  bool operator==(const InputScale&) const = default;
};

// A row of numbers as the network sees it, in place.
template <class S>
void scale_row(const std::vector<ColumnScale>& columns, S* row) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    row[c] = static_cast<S>((static_cast<double>(row[c]) - columns[c].centre) / columns[c].spread);
  }
}

// The gradient of such a row as that of the numbers that the data has, in place.
template <class S>
void unscale_gradient(const std::vector<ColumnScale>& columns, S* row) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    row[c] = static_cast<S>(static_cast<double>(row[c]) / columns[c].spread);
}

// As a model file has it: {"nodes": [[centre, spread], ...], "edges": [...]}.
[[nodiscard]] std::string to_json(const InputScale& scale);
// Throws Error (kUsage) unless there is a finite centre and a finite spread above 0 for each column of the shape, or
// for none.
[[nodiscard]] InputScale input_scale_from_json(std::string_view json, const DataShape& shape);

}  // namespace agentnet
