// A model's vocabulary for the categories of new data (agentnet/data.h, docs/data.md).
#include "data/tables/vocabulary.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/io/lines.h"
#include "data/io/name_index.h"
#include "data/tables/wrong_values.h"
#include "graph/set_arrays.h"

namespace agentnet {
namespace {

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

class ColumnIndex {
 public:
  explicit ColumnIndex(const FeatureSchema& schema) : dense_(schema.dense) {
    for (const CategoryColumn& column : schema.categories) categories_.add(column.name);
  }
  [[nodiscard]] std::optional<Found> find(std::string_view name) const {
    if (const auto place = dense_.find(name)) return Found{true, *place};
    if (const auto place = categories_.find(name)) return Found{false, *place};
    return std::nullopt;
  }

 private:
  NameIndex dense_, categories_;
};

std::vector<std::string> names_of(const std::vector<CategoryColumn>& columns) {
  std::vector<std::string> names;
  for (const CategoryColumn& column : columns) names.push_back(column.name);
  return names;
}

// Appends the data's columns for the model's of one kind, where may_match_by_place(): computed ones by their names.
void match_by_place(const std::vector<std::string>& data, const std::vector<std::string>& model, bool dense,
                    std::vector<Found>& found) {
  std::size_t next = 0;
  const NameIndex places(data);
  for (const std::string& name : model) {
    if (const auto same = places.find(name)) {
      found.push_back({dense, *same});
      continue;
    }
    while (is_computed_column(data.at(next))) ++next;
    found.push_back({dense, next++});
  }
}

// The data's columns for the model's: by name if every name is there, else by place if that is allowed.
std::vector<Found> match_columns(const FeatureSchema& data, const FeatureSchema& model, const char* owner) {
  std::vector<std::string> names = model.dense;
  for (const CategoryColumn& column : model.categories) names.push_back(column.name);
  std::vector<Found> found;
  const ColumnIndex columns(data);
  for (const std::string& name : names) {
    if (const auto column = columns.find(name)) found.push_back(*column);
  }
  if (found.size() == names.size()) return found;
  if (may_match_by_place(data, model)) {
    found.clear();
    match_by_place(data.dense, model.dense, /*dense=*/true, found);
    match_by_place(names_of(data.categories), names_of(model.categories), /*dense=*/false, found);
    return found;
  }
  const char* const hint = "give the data the columns that the model was trained with";
  if (data.dense.size() == model.dense.size() && data.categories.size() == model.categories.size()) {
    std::vector<std::string> others = data.dense;
    for (const CategoryColumn& column : data.categories) others.push_back(column.name);
    throw Error(
        ErrorKind::kMismatch,
        fmt::format("the model reads the {} columns {}, the data has {}", owner, list_some(names), list_some(others)),
        hint);
  }
  throw Error(ErrorKind::kMismatch,
              fmt::format("the model reads {} dense and {} categorical {} columns ({}), the data has {} and {}",
                          model.dense.size(), model.categories.size(), owner, list_some(names), data.dense.size(),
                          data.categories.size()),
              hint);
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

bool is_computed_column(std::string_view name) { return name == "degree" || name == "constant" || name == "distance"; }

bool may_match_by_place(const FeatureSchema& data, const FeatureSchema& model) {
  if (data.dense.size() != model.dense.size() || data.categories.size() != model.categories.size()) return false;
  // A computed column must be there on both sides, any other name must not.
  const auto allowed = [](const std::string& name, bool dense, const ColumnIndex& others) {
    const auto same = others.find(name);
    return is_computed_column(name) ? same && same->dense == dense : !same;
  };
  const auto all_allowed = [&](const FeatureSchema& columns, const ColumnIndex& others) {
    return std::all_of(columns.dense.begin(), columns.dense.end(),
                       [&](const std::string& name) { return allowed(name, true, others); }) &&
           std::all_of(columns.categories.begin(), columns.categories.end(),
                       [&](const CategoryColumn& column) { return allowed(column.name, false, others); });
  };
  return all_allowed(model, ColumnIndex(data)) && all_allowed(data, ColumnIndex(model));
}

UnseenValues apply_vocabulary(Dataset& data, const Schema& schema) {
  if (const auto wrong = unlisted_category(data)) {
    throw Error(ErrorKind::kData, fmt::format("{}: {}", data.source, wrong->what), "convert the data again");
  }
  SetArrays& set = data.graphs.arrays();
  UnseenValues unseen;
  set.forget_labels();
  set.spread_node_row();
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
