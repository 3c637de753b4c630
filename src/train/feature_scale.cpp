#include "train/feature_scale.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "core/random.h"

namespace agentnet {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 16;
constexpr std::uint64_t kMostValues = std::uint64_t{1} << 24, kFewestRows = 256;  // of tables with very many columns
constexpr double kCut = 0.005;                                                    // of the values at either end
constexpr std::size_t kFewest = 16;                                               // values that something is cut from

// The rows of many graphs as one long list.
struct RowSource {
  std::function<std::uint64_t(const GraphView&)> count;
  std::function<const DenseRows&(const GraphView&)> dense;
};

// The values of every column, one column after the other.
struct Table {
  std::size_t rows = 0;
  std::vector<float> values;
};

// All rows, or one out of each of equally long stretches.
std::vector<std::uint64_t> rows_to_read(std::uint64_t all, std::uint64_t most) {
  std::vector<std::uint64_t> rows;
  if (all <= most) {
    for (std::uint64_t r = 0; r < all; ++r) rows.push_back(r);
    return rows;
  }
  RandomSequence random(0, Purpose::kData);
  const double stretch = static_cast<double>(all) / static_cast<double>(most);
  for (std::uint64_t i = 0; i < most; ++i) {
    const double at = (static_cast<double>(i) + random.uniform()) * stretch;
    rows.push_back(std::min(all - 1, static_cast<std::uint64_t>(at)));
  }
  return rows;
}

Table read_table(const GraphSet& graphs, std::span<const std::size_t> chosen, const RowSource& source, int width) {
  const auto columns = static_cast<std::size_t>(width);
  std::uint64_t all = 0;
  for (const std::size_t g : chosen) all += source.count(graphs.view(g));
  const std::uint64_t most = std::clamp(kMostValues / columns, kFewestRows, kMostRows);
  const std::vector<std::uint64_t> rows = rows_to_read(all, most);
  Table table{rows.size(), std::vector<float>(rows.size() * columns)};
  std::vector<float> row(columns);
  std::uint64_t first = 0;  // row of the graph in the list
  std::size_t next = 0;
  for (const std::size_t g : chosen) {
    if (next == rows.size()) break;
    const GraphView view = graphs.view(g);
    const std::uint64_t end = first + source.count(view);
    for (; next < rows.size() && rows[next] < end; ++next) {
      source.dense(view).copy(rows[next] - first, row.data());
      for (std::size_t c = 0; c < columns; ++c) table.values[c * rows.size() + next] = row[c];
    }
    first = end;
  }
  return table;
}

// Mean and standard deviation of the values, each moved into [low, high].
void measure(std::span<const float> values, double low, double high, ColumnSummary& summary) {
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const float value : values) sum += std::clamp(static_cast<double>(value), low, high);
  summary.mean = sum / count;
  for (const float value : values) {
    const double d = std::clamp(static_cast<double>(value), low, high) - summary.mean;
    squares += d * d;
  }
  summary.deviation = std::sqrt(squares / count);
}

// Reorders the values.
ColumnSummary summarise(std::span<float> values) {
  ColumnSummary summary;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const float low = *least, high = *most;
  summary.least = low;
  summary.most = high;
  const bool two = std::all_of(values.begin(), values.end(), [&](float v) { return v == low || v == high; });
  summary.different = low == high ? 1 : two ? 2 : 3;
  measure(values, low, high, summary);
  if (summary.different == 1) {
    summary.mean = low;
    summary.deviation = 0;
    if (low != 0) summary.scale.centre = summary.mean - 1;
    return summary;
  }
  if (two) {
    summary.scale = {summary.least, summary.most - summary.least};
    return summary;
  }
  if (values.size() >= kFewest) {
    const auto cut = static_cast<std::ptrdiff_t>(std::ceil(kCut * static_cast<double>(values.size())));
    const auto at_low = values.begin() + cut, at_high = values.end() - 1 - cut;
    std::nth_element(values.begin(), at_low, values.end());
    const float lower = *at_low;
    std::nth_element(values.begin(), at_high, values.end());
    const float upper = *at_high;
    if (lower < upper) measure(values, lower, upper, summary);  // else nearly all are the same, and all of them count
  }
  summary.scale = {summary.mean, summary.deviation};
  return summary;
}

std::vector<ColumnSummary> summarise_rows(const GraphSet& graphs, std::span<const std::size_t> chosen,
                                          const RowSource& source, int width) {
  std::vector<ColumnSummary> columns;
  if (width == 0) return columns;
  Table table = read_table(graphs, chosen, source, width);
  if (table.rows == 0) return columns;
  for (int c = 0; c < width; ++c) {
    columns.push_back(summarise(std::span(table.values).subspan(static_cast<std::size_t>(c) * table.rows, table.rows)));
  }
  return columns;
}

std::vector<ColumnScale> scales_of(const std::vector<ColumnSummary>& columns) {
  std::vector<ColumnScale> scales;
  for (const ColumnSummary& column : columns) scales.push_back(column.scale);
  if (std::all_of(scales.begin(), scales.end(), [](const ColumnScale& s) { return s.changes_nothing(); })) return {};
  return scales;
}

}  // namespace

FeatureSummary summarise_features(const GraphSet& graphs, std::span<const std::size_t> chosen) {
  if (chosen.empty()) return {};
  const GraphView first = graphs.view(chosen.front());
  const RowSource nodes{[](const GraphView& g) { return g.num_nodes; },
                        [](const GraphView& g) -> const DenseRows& { return g.node_dense; }};
  const RowSource edges{[](const GraphView& g) { return g.edge_dense.width > 0 ? g.edge_feature_rows() : 0; },
                        [](const GraphView& g) -> const DenseRows& { return g.edge_dense; }};
  int edge_width = first.edge_dense.width;
  for (const std::size_t g : chosen) edge_width = std::max(edge_width, graphs.view(g).edge_dense.width);
  return {summarise_rows(graphs, chosen, nodes, first.node_dense.width),
          summarise_rows(graphs, chosen, edges, edge_width)};
}

InputScale scale_of(const FeatureSummary& summary) { return {scales_of(summary.nodes), scales_of(summary.edges)}; }

}  // namespace agentnet
