// What the data decides of a network, as an option table: name, field, range, help (core/option_table.h).
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <limits>

#include "agentnet/error.h"
#include "agentnet/network.h"
#include "core/option_table.h"

namespace agentnet {

inline constexpr double kMostColumns = 1 << 20;

// Works on a DataShape, and on whatever else has its members.
inline constexpr auto kVisitShape = [](auto& c, const auto& f) {
  f("outputs", c.outputs, OptionRange{1, kMostColumns}, "C, classes or target values");
  f("node_features", c.node_features, OptionRange{0, kMostColumns}, "dense columns per node");
  f("node_categories", c.node_categories, OptionRange{1, std::numeric_limits<std::int32_t>::max()},
    "vocabulary size of each categorical node column");
  f("edge_features", c.edge_features, OptionRange{0, kMostColumns}, "dense columns per edge");
  f("edge_categories", c.edge_categories, OptionRange{1, std::numeric_limits<std::int32_t>::max()},
    "vocabulary size of each categorical edge column");
};

// Categorical columns of nodes, or of edges: each has its table.
inline constexpr std::size_t kMostCategoryColumns = 1 << 16;

// Throws Error (kUsage) for more of them than that.
inline void check_category_columns(const DataShape& shape) {
  for (const auto& [name, columns] : {std::pair{"node_categories", shape.node_categories.size()},
                                      {"edge_categories", shape.edge_categories.size()}}) {
    if (columns <= kMostCategoryColumns) continue;
    throw Error(ErrorKind::kUsage, fmt::format("model option '{}' lists {} columns", name, columns),
                fmt::format("the most is {}; give numbers as dense columns", kMostCategoryColumns));
  }
}

}  // namespace agentnet
