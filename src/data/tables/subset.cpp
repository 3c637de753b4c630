#include "agentnet/subset.h"

#include <numeric>
#include <vector>

namespace agentnet {

Dataset subset(const Dataset& data, std::span<const std::size_t> graphs) {
  Dataset some;
  some.source = data.source;
  some.format = data.format;
  some.schema = data.schema;
  some.graphs = data.graphs.subset(graphs);
  for (const std::size_t g : graphs) some.rows.push_back(data.rows.empty() ? g : data.rows.at(g));
  for (const auto& [name, values] : data.columns) {
    std::vector<std::string>& kept = some.columns[name];
    for (const std::size_t g : graphs) kept.push_back(values.at(g));
  }
  some.unused_columns = data.unused_columns;
  some.notes = data.notes;
  return some;
}

Dataset copy_of(const Dataset& data) {
  std::vector<std::size_t> all(data.graphs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Dataset copy = subset(data, all);
  copy.rows = data.rows;
  copy.bad_rows = data.bad_rows;
  copy.official = data.official;
  return copy;
}

}  // namespace agentnet
