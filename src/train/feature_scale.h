// What columns of numbers look like in the training part, and the scale that a model reads them by.
//
// A column becomes its deviation from the mean in units of its standard deviation, both of values cut to those between
// the 0.5 % and the 99.5 % quantile: for most columns this is the usual z-score, a few outliers do not press all other
// values together, and a column that is zero for most nodes still has a spread, which quartiles would not give it.
// What moves or stretches a whole column leaves the result as it is. Columns that have no such spread are read so that
// they keep their meaning in sums over neighbours:
//
//   one value      it is read as 1, as nodes without features are; zeros stay zeros
//   two values     0 and 1: what says yes or no is as it was
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "agentnet/data.h"
#include "nn/input_scale.h"

namespace agentnet {

struct ColumnSummary {
  double least = 0, most = 0;
  double mean = 0, deviation = 0;  // of the cut values
  std::size_t different = 0;       // values: 1, 2, or 3 for more
  ColumnScale scale;
};

struct FeatureSummary {
  std::vector<ColumnSummary> nodes, edges;  // of the dense columns; empty where there are no rows
};

// Over these graphs. Of very many rows a fixed sample is looked at, so that the cost has a limit; no row is read twice,
// and the same graphs give the same numbers.
[[nodiscard]] FeatureSummary summarise_features(const GraphSet& graphs, std::span<const std::size_t> chosen);

// Empty where nothing would change.
[[nodiscard]] InputScale scale_of(const FeatureSummary& summary);

}  // namespace agentnet
