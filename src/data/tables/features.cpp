#include "data/tables/features.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/tables/keep_columns.h"
#include "data/tables/targets.h"
#include "graph/narrow.h"
#include "graph/set_arrays.h"

namespace agentnet {
namespace {

// `values` ([rows, 1]) becomes a further column of `array` ([rows, width]).
template <class T>
void add_column(Array<T>& array, int& width, const std::vector<T>& values) {
  const auto old_width = static_cast<std::size_t>(width);
  std::vector<T> wider;
  wider.reserve(array.size() + values.size());
  for (std::size_t r = 0; r < values.size(); ++r) {
    const auto row = array.all().subspan(r * old_width, old_width);
    wider.insert(wider.end(), row.begin(), row.end());
    wider.push_back(values[r]);
  }
  array = Array<T>(std::move(wider));
  ++width;
}

void add_constant(Dataset& data) {
  SetArrays& set = data.graphs.arrays();
  add_column(set.node_dense, set.node_dense_width, std::vector<float>(set.num_nodes(), 1.0F));
  data.schema.nodes.dense.emplace_back("constant");
}

void add_degree(Dataset& data) {
  std::vector<std::int32_t> degrees;
  std::map<std::int32_t, std::int32_t> number;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView graph = data.graphs.view(g);
    for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
      degrees.push_back(static_cast<std::int32_t>(std::min<std::uint64_t>(graph.degree(u), INT32_MAX)));
      number[degrees.back()] = 0;
    }
  }
  CategoryColumn column{"degree", {}};
  for (auto& [degree, n] : number) {
    n = static_cast<std::int32_t>(column.values.size());
    column.values.push_back(std::to_string(degree));
  }
  for (std::int32_t& degree : degrees) degree = number[degree];
  SetArrays& set = data.graphs.arrays();
  set.forget_labels();
  add_column(set.node_categories, set.node_category_width, degrees);
  data.schema.nodes.categories.push_back(std::move(column));
}

double distance(std::span<const float> positions, std::uint64_t u, std::uint64_t v) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double difference = double{positions[3 * u + i]} - double{positions[3 * v + i]};
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

// A graph of all pairs. A pair that was an edge keeps its feature rows, any other gets zeros and the category `none` of
// each column; the distance is a further dense column.
GraphParts complete_graph(const GraphView& graph, std::span<const float> positions,
                          std::span<const std::int32_t> none) {
  GraphParts parts;
  parts.num_nodes = graph.num_nodes;
  const auto dense = static_cast<std::size_t>(graph.edge_dense.width);
  const auto add_row = [&](std::uint64_t u, std::uint64_t v, const std::uint64_t* row) {
    parts.from.push_back(static_cast<std::uint32_t>(u));
    parts.to.push_back(static_cast<std::uint32_t>(v));
    parts.edge_dense.resize(parts.edge_dense.size() + dense, 0.0F);
    if (row != nullptr && dense > 0)
      graph.edge_dense.copy(*row, parts.edge_dense.data() + parts.edge_dense.size() - dense);
    parts.edge_dense.push_back(static_cast<float>(distance(positions, u, v)));
    const auto categories = row != nullptr ? graph.edge_categories.row(*row) : none;
    parts.edge_categories.insert(parts.edge_categories.end(), categories.begin(), categories.end());
  };
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    auto [entry, last] = graph.entries_of(u);
    for (std::uint64_t v = 0; v < graph.num_nodes; ++v) {
      const bool listed = entry < last && graph.neighbour(entry) == v;
      if (!listed && u != v) add_row(u, v, nullptr);
      if (!listed) continue;
      for (auto [row, last_row] = graph.edge_rows_of(entry); row < last_row; ++row) add_row(u, v, &row);
      ++entry;
    }
  }
  return parts;
}

constexpr std::uint64_t kMostNodesInPairs = 4096;

void add_distances(Dataset& data) {
  if (data.graphs.arrays().positions.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("{} has no positions to take distances of", data.source),
                "positions are the key pos of a JSONL file");
  }
  std::vector<std::int32_t> none;
  for (CategoryColumn& column : data.schema.edges.categories) {
    none.push_back(static_cast<std::int32_t>(column.values.size()));
    column.values.emplace_back("none");
  }
  data.schema.edges.dense.emplace_back("distance");
  GraphSet pairs;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView graph = data.graphs.view(g);
    require_narrow(graph);
    if (graph.num_nodes > kMostNodesInPairs) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("graph {} has {} nodes, too many to join all pairs of them", g, graph.num_nodes),
                  fmt::format("distances are for graphs of at most {} nodes", kMostNodesInPairs));
    }
    GraphParts parts = complete_graph(graph, data.graphs.notes(g).positions, none);
    const auto copy_nodes = [&](auto& to, const auto* from, int width) {
      if (width > 0) to.assign(from, from + graph.num_nodes * static_cast<std::uint64_t>(width));
    };
    copy_nodes(parts.node_dense, graph.node_dense.f32, graph.node_dense.width);
    copy_nodes(parts.node_categories, graph.node_categories.data, graph.node_categories.width);
    pairs.add(Graph(std::move(parts)), data.graphs.targets(g), data.graphs.id(g), data.graphs.notes(g));
  }
  data.graphs = std::move(pairs);
}

}  // namespace

void add_features(Dataset& data, const DataOptions& options) {
  if (options.constant || options.distances) data.graphs.arrays().spread_node_row();
  if (options.degree) add_degree(data);
  const SetArrays& set = data.graphs.arrays();
  if (options.constant || (set.node_dense_width == 0 && set.node_category_width == 0)) add_constant(data);
  if (options.distances) add_distances(data);
}

void apply_options(Dataset& data, const DataOptions& options) {
  const auto too_late = [&](bool given, const char* option) {
    if (given) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} has no effect on {}: its graphs are made already", option, data.source),
                  "give the option when the set is read from text");
    }
  };
  too_late(options.direction != Direction::kAsFormat, "--directed or --undirected");
  too_late(options.node_features != FeatureKind::kAuto, "--node-features");
  too_late(options.edge_features != FeatureKind::kAuto, "--edge-features");
  too_late(!options.id_column.empty(), "--id-column");
  too_late(!options.smiles_column.empty(), "--smiles-column");
  too_late(options.bounds != Bounds::kRefuse, "--bounds");
  too_late(options.largest_fragment, "--largest-fragment");
  too_late(options.max_atoms != DataOptions{}.max_atoms, "--max-atoms");
  if (options.task && *options.task != data.schema.task && *options.task != Task::kNone) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} is a set for {}, not for {}", data.source, task_name(data.schema.task),
                            task_name(*options.task)),
                "leave --task out");
  }
  if (options.task == Task::kNone || !options.targets.empty()) {
    const std::vector<std::size_t> chosen = options.task == Task::kNone
                                                ? std::vector<std::size_t>()
                                                : choose_targets(data.schema.targets, options.targets, data.source);
    std::vector<double> values;
    std::vector<std::string> names;
    for (const std::size_t c : chosen) names.push_back(data.schema.targets[c]);
    for (std::size_t g = 0; g < data.graphs.size(); ++g) {
      for (const std::size_t c : chosen) values.push_back(data.graphs.targets(g)[c]);
    }
    if (options.task == Task::kNone) data.schema.classes.clear();
    if (options.task) data.schema.task = *options.task;
    data.schema.targets = std::move(names);
    data.graphs.arrays().targets = std::move(values);
    data.graphs.arrays().num_targets = static_cast<int>(chosen.size());
  }
  keep_columns(data, options.node_columns, options.edge_columns);
  const bool bare =
      !options.node_columns.empty() && data.schema.nodes.dense.empty() && data.schema.nodes.categories.empty();
  if (options.degree || options.constant || options.distances || bare) add_features(data, options);
}

}  // namespace agentnet
