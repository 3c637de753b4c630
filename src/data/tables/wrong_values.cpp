#include "data/tables/wrong_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "agentnet/error.h"
#include "core/text.h"
#include "graph/set_arrays.h"

namespace agentnet {
namespace {

// The graph that a row of all graphs belongs to, and the row's number in it.
std::pair<std::size_t, std::uint64_t> graph_of_row(std::span<const std::uint64_t> first, std::uint64_t row) {
  const auto after = std::upper_bound(first.begin(), first.end(), row);
  const std::size_t graph = after == first.begin() ? 0 : static_cast<std::size_t>(after - first.begin() - 1);
  return {graph, row - first[graph]};
}

std::optional<WrongValue> first_unlisted(std::span<const std::int32_t> values,
                                         const std::vector<CategoryColumn>& columns,
                                         std::span<const std::uint64_t> first, const char* owner) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::size_t listed = columns[c].values.size();
    for (std::size_t i = c; i < values.size(); i += columns.size()) {
      const auto value = static_cast<std::size_t>(values[i]);
      if (value < listed) continue;
      const auto [graph, row] = graph_of_row(first, i / columns.size());
      return WrongValue{fmt::format("graph {}, {} {}: column {} holds a value that is none of those it lists", graph,
                                    owner, row, in_quotes(columns[c].name)),
                        value == listed};
    }
  }
  return std::nullopt;
}

bool is_class(double target, const Schema& schema) {
  return target >= 0 && target < static_cast<double>(schema.classes.size()) && target == std::floor(target);
}

bool is_possible(double target, const Schema& schema) {
  switch (schema.task) {
    case Task::kClassification:
      return is_class(target, schema);
    case Task::kMultilabel:
      return target == 0 || target == 1;
    case Task::kRegression:
      return std::isfinite(target);
    case Task::kNone:
      break;
  }
  return true;
}

std::string impossible(std::size_t graph, double target, const std::string& column) {
  return fmt::format("graph {}: target {} cannot be {}", graph, in_quotes(column), target);
}

}  // namespace

std::optional<WrongValue> unlisted_category(const Dataset& data) {
  const SetArrays& set = data.graphs.arrays();
  if (auto found =
          first_unlisted(set.node_categories.all(), data.schema.nodes.categories, set.first_node.all(), "node"))
    return found;
  const Array<std::uint64_t>& first = set.first_row.empty() ? set.first_edge : set.first_row;
  return first_unlisted(set.edge_categories.all(), data.schema.edges.categories, first.all(), "edge row");
}

std::optional<WrongValue> wrong_target(const Dataset& data) {
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const auto row = data.graphs.targets(g);
    for (std::size_t t = 0; t < row.size(); ++t) {
      if (std::isnan(row[t]) || is_possible(row[t], data.schema)) continue;
      return WrongValue{impossible(g, row[t], data.schema.targets.at(t)), false};
    }
  }
  return std::nullopt;
}

std::size_t class_of_target(const Dataset& data, std::size_t graph, double target) {
  if (is_class(target, data.schema)) return static_cast<std::size_t>(target);
  throw Error(ErrorKind::kData,
              fmt::format("{}: {}", data.source,
                          impossible(graph, target, data.schema.targets.empty() ? "class" : data.schema.targets[0])),
              fmt::format("classes are numbered from 0 to {}", data.schema.classes.size() - 1));
}

}  // namespace agentnet
