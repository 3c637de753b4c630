#include "data/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/lines.h"
#include "data/targets.h"
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
    std::uint64_t entry = graph.offsets[u];
    for (std::uint64_t v = 0; v < graph.num_nodes; ++v) {
      const bool listed = entry < graph.offsets[u + 1] && graph.neighbours[entry] == v;
      if (!listed && u != v) add_row(u, v, nullptr);
      if (!listed) continue;
      for (std::uint64_t row = graph.first_edge_row(entry); row < graph.last_edge_row(entry); ++row)
        add_row(u, v, &row);
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

// The features of nodes or of edges, as columns.
struct Block {
  Array<float>& dense;
  int& dense_width;
  Array<std::int32_t>& categories;
  int& category_width;
  FeatureSchema& schema;

  [[nodiscard]] std::size_t rows() const {
    if (dense_width > 0) return dense.size() / static_cast<std::size_t>(dense_width);
    return category_width > 0 ? categories.size() / static_cast<std::size_t>(category_width) : 0;
  }
};

struct Found {
  bool dense = false;
  std::size_t column = 0;
};

std::optional<Found> find_column(const FeatureSchema& schema, std::string_view name) {
  for (std::size_t i = 0; i < schema.dense.size(); ++i) {
    if (schema.dense[i] == name) return Found{true, i};
  }
  for (std::size_t i = 0; i < schema.categories.size(); ++i) {
    if (schema.categories[i].name == name) return Found{false, i};
  }
  return std::nullopt;
}

// The data's columns for the model's: by name if every name is there, else by position if the kinds agree in number.
std::vector<Found> match_columns(const FeatureSchema& data, const FeatureSchema& model, const char* owner) {
  std::vector<std::string> names = model.dense;
  for (const CategoryColumn& column : model.categories) names.push_back(column.name);
  std::vector<Found> found;
  for (const std::string& name : names) {
    if (const auto column = find_column(data, name)) found.push_back(*column);
  }
  if (found.size() == names.size()) return found;
  if (data.dense.size() == model.dense.size() && data.categories.size() == model.categories.size()) {
    found.clear();
    for (std::size_t i = 0; i < data.dense.size(); ++i) found.push_back({true, i});
    for (std::size_t i = 0; i < data.categories.size(); ++i) found.push_back({false, i});
    return found;
  }
  throw Error(ErrorKind::kMismatch,
              fmt::format("the model reads {} dense and {} categorical {} columns ({}), the data has {} and {}",
                          model.dense.size(), model.categories.size(), owner, fmt::join(names, ", "), data.dense.size(),
                          data.categories.size()),
              "give the data the columns that the model was trained with");
}

float number_of(const std::string& value, const std::string& column) {
  const auto number = to_number(value);
  if (number && std::abs(*number) <= std::numeric_limits<float>::max()) return static_cast<float>(*number);
  throw Error(ErrorKind::kMismatch,
              fmt::format("the model reads column {} as numbers, but the data has {} there", in_quotes(column),
                          in_quotes(value)),
              "correct the data");
}

// Rewrites the block's columns to those of `model`; counts values that it does not know.
std::uint64_t adopt(Block block, const FeatureSchema& model, const char* owner, UnseenValues& unseen) {
  const std::vector<Found> source = match_columns(block.schema, model, owner);
  const std::size_t rows = block.rows();
  const auto old_dense = static_cast<std::size_t>(block.dense_width);
  const auto old_categories = static_cast<std::size_t>(block.category_width);
  std::vector<float> dense(rows * model.dense.size());
  std::vector<std::int32_t> categories(rows * model.categories.size());
  std::uint64_t count = 0;

  for (std::size_t c = 0; c < model.dense.size(); ++c) {
    const auto [is_dense, column] = source[c];
    std::vector<float> numbers;  // of the data's categories
    if (!is_dense) {
      for (const std::string& value : block.schema.categories[column].values) {
        numbers.push_back(number_of(value, model.dense[c]));
      }
    }
    for (std::size_t r = 0; r < rows; ++r) {
      dense[r * model.dense.size() + c] =
          is_dense ? block.dense[r * old_dense + column]
                   : numbers.at(static_cast<std::size_t>(block.categories[r * old_categories + column]));
    }
  }
  for (std::size_t c = 0; c < model.categories.size(); ++c) {
    const auto [is_dense, column] = source[model.dense.size() + c];
    const CategoryColumn& wanted = model.categories[c];
    std::map<std::string, std::int32_t> known;
    for (const std::string& value : wanted.values) known.emplace(value, static_cast<std::int32_t>(known.size()));
    const auto number = [&](const std::string& value) {
      const auto entry = known.find(value);
      return entry != known.end() ? entry->second : static_cast<std::int32_t>(wanted.values.size());
    };
    std::vector<std::int32_t> renumbered;
    if (!is_dense) {
      for (const std::string& value : block.schema.categories[column].values) renumbered.push_back(number(value));
    }
    for (std::size_t r = 0; r < rows; ++r) {
      std::string spelling;
      std::int32_t chosen = 0;
      if (is_dense) {
        spelling = fmt::format("{}", block.dense[r * old_dense + column]);
        chosen = number(spelling);
      } else {
        const auto old = static_cast<std::size_t>(block.categories[r * old_categories + column]);
        chosen = renumbered.at(old);
        if (chosen == static_cast<std::int32_t>(wanted.values.size())) {
          spelling = block.schema.categories[column].values[old];
        }
      }
      if (chosen == static_cast<std::int32_t>(wanted.values.size())) {
        ++count;
        ++unseen.by_value[wanted.name + "=" + spelling];
      }
      categories[r * model.categories.size() + c] = chosen;
    }
  }
  block.dense = Array<float>(std::move(dense));
  block.dense_width = static_cast<int>(model.dense.size());
  block.categories = Array<std::int32_t>(std::move(categories));
  block.category_width = static_cast<int>(model.categories.size());
  block.schema = model;
  return count;
}

}  // namespace

void add_features(Dataset& data, const DataOptions& options) {
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
  if (options.degree || options.constant || options.distances) add_features(data, options);
}

UnseenValues apply_vocabulary(Dataset& data, const Schema& schema) {
  SetArrays& set = data.graphs.arrays();
  UnseenValues unseen;
  unseen.nodes =
      adopt({set.node_dense, set.node_dense_width, set.node_categories, set.node_category_width, data.schema.nodes},
            schema.nodes, "node", unseen);
  if (set.num_edges() == 0) {  // such graphs fit any edge columns
    set.edge_dense_width = static_cast<int>(schema.edges.dense.size());
    set.edge_category_width = static_cast<int>(schema.edges.categories.size());
    data.schema.edges = schema.edges;
  } else {
    unseen.edges =
        adopt({set.edge_dense, set.edge_dense_width, set.edge_categories, set.edge_category_width, data.schema.edges},
              schema.edges, "edge", unseen);
  }
  return unseen;
}

}  // namespace agentnet
