#include "data/tables/keep_columns.h"

#include <cstdint>
#include <utility>

#include "data/tables/columns.h"
#include "graph/set_arrays.h"

namespace agentnet {
namespace {

// Of `values` ([rows, width]) the columns `kept`, in their order.
template <class T>
void keep(Array<T>& values, int& width, const std::vector<std::size_t>& kept) {
  const auto old = static_cast<std::size_t>(width);
  if (kept.size() == old) return;
  const std::size_t rows = old == 0 ? 0 : values.size() / old;
  std::vector<T> fewer;
  fewer.reserve(rows * kept.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (const std::size_t c : kept) fewer.push_back(values[r * old + c]);
  }
  values = Array<T>(std::move(fewer));
  width = static_cast<int>(kept.size());
}

std::vector<std::string> names_of(const FeatureSchema& schema) {
  std::vector<std::string> names = schema.dense;
  for (const CategoryColumn& column : schema.categories) names.push_back(column.name);
  return names;
}

void keep_features(const ColumnChoice& choice, FeatureSchema& schema, Array<float>& dense, int& dense_width,
                   Array<std::int32_t>& categories, int& category_width) {
  std::vector<std::size_t> kept_dense, kept_categories;
  FeatureSchema fewer;
  for (std::size_t c = 0; c < schema.dense.size(); ++c) {
    if (!choice.wants(schema.dense[c])) continue;
    kept_dense.push_back(c);
    fewer.dense.push_back(schema.dense[c]);
  }
  for (std::size_t c = 0; c < schema.categories.size(); ++c) {
    if (!choice.wants(schema.categories[c].name)) continue;
    kept_categories.push_back(c);
    fewer.categories.push_back(std::move(schema.categories[c]));
  }
  keep(dense, dense_width, kept_dense);
  keep(categories, category_width, kept_categories);
  schema = std::move(fewer);
}

}  // namespace

void forget_bare_rows(SetArrays& set) {
  if (set.edge_dense_width > 0 || set.edge_category_width > 0) return;
  set.first_row = {};
  set.edge_rows = {};
}

void keep_columns(Dataset& data, const std::vector<std::string>& nodes, const std::vector<std::string>& edges) {
  SetArrays& set = data.graphs.arrays();
  if (const ColumnChoice choice(nodes); !choice.all()) {
    choice.require(names_of(data.schema.nodes), data.source, "node");
    set.forget_labels();
    set.spread_node_row();
    keep_features(choice, data.schema.nodes, set.node_dense, set.node_dense_width, set.node_categories,
                  set.node_category_width);
  }
  if (const ColumnChoice choice(edges); !choice.all()) {
    choice.require(names_of(data.schema.edges), data.source, "edge");
    keep_features(choice, data.schema.edges, set.edge_dense, set.edge_dense_width, set.edge_categories,
                  set.edge_category_width);
    forget_bare_rows(set);
  }
}

}  // namespace agentnet
