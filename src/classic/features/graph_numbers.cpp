#include "classic/features/graph_numbers.h"

#include <algorithm>

namespace agentnet {
namespace {

constexpr std::size_t kOfStructure = 6, kMostMeans = 256;

std::size_t means_of(int columns) { return std::min(static_cast<std::size_t>(columns), kMostMeans); }

void add_means(const DenseRows& rows, std::uint64_t count, std::size_t columns, std::vector<float>& out) {
  std::vector<double> sums(columns, 0), row(static_cast<std::size_t>(rows.width));
  for (std::uint64_t r = 0; r < count && columns <= row.size(); ++r) {
    rows.copy(r, row.data());
    for (std::size_t c = 0; c < columns; ++c) sums[c] += row[c];
  }
  for (const double sum : sums)
    out.push_back(static_cast<float>(sum / static_cast<double>(std::max<std::uint64_t>(count, 1))));
}

}  // namespace

std::size_t num_graph_numbers(const DataShape& shape) {
  return kOfStructure + means_of(shape.node_features) + means_of(shape.edge_features);
}

void graph_numbers(const GraphView& graph, const DataShape& shape, std::vector<float>& out) {
  std::uint64_t largest = 0, alone = 0, single = 0;
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    const std::uint64_t degree = graph.degree(u);
    largest = std::max(largest, degree);
    alone += degree == 0 ? 1 : 0;
    single += degree == 1 ? 1 : 0;
  }
  const auto n = static_cast<double>(graph.num_nodes);
  const auto entries = static_cast<double>(graph.num_edges());
  for (const double number : {n, entries, entries / n, static_cast<double>(largest), static_cast<double>(alone) / n,
                              static_cast<double>(single) / n}) {
    out.push_back(static_cast<float>(number));
  }
  add_means(graph.node_dense, graph.num_nodes, means_of(shape.node_features), out);
  add_means(graph.edge_dense, graph.edge_dense.width > 0 ? graph.edge_feature_rows() : 0, means_of(shape.edge_features),
            out);
}

}  // namespace agentnet
