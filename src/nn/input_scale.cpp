#include "nn/input_scale.h"

#include <fmt/core.h>

#include <cmath>

#include "agentnet/error.h"
#include "core/json.h"

namespace agentnet {
namespace {

Json columns_json(const std::vector<ColumnScale>& columns) {
  Json list = Json::array();
  for (const ColumnScale& column : columns) list.push_back({column.centre, column.spread});
  return list;
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kUsage, what, "copy the file again, or train the model again");
}

std::vector<ColumnScale> read_columns(const Json& all, const char* what, int expected) {
  const auto list = all.find(what);
  if (list == all.end() || !list->is_array()) refuse(fmt::format("there is no list '{}'", what));
  if (!list->empty() && list->size() != static_cast<std::size_t>(expected)) {
    refuse(fmt::format("'{}' has {} columns, the shape {}", what, list->size(), expected));
  }
  std::vector<ColumnScale> columns;
  for (const Json& pair : *list) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number()) {
      refuse(fmt::format("'{}' has an entry that is no pair of numbers", what));
    }
    columns.push_back({pair[0].get<double>(), pair[1].get<double>()});
    if (std::isfinite(columns.back().centre) && std::isfinite(columns.back().spread) && columns.back().spread > 0) {
      continue;
    }
    refuse(fmt::format("column {} of '{}' has no finite centre and spread", columns.size() - 1, what));
  }
  return columns;
}

}  // namespace

std::string to_json(const InputScale& scale) {
  Json all = Json::object();
  all["nodes"] = columns_json(scale.nodes);
  all["edges"] = columns_json(scale.edges);
  return all.dump();
}

InputScale input_scale_from_json(std::string_view json, const DataShape& shape) {
  // A pair of numbers for every column that a model may have.
  constexpr JsonLimits kLimits{.depth = 8, .bytes = std::size_t{64} << 20};
  const Json all = parse_json(json, "inputs", ErrorKind::kUsage, kLimits);
  if (!all.is_object()) refuse("it is no object");
  return {read_columns(all, "nodes", shape.node_features), read_columns(all, "edges", shape.edge_features)};
}

}  // namespace agentnet
