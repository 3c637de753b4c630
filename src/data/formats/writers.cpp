#include "data/formats/writers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/io/lines.h"
#include "data/tables/columns.h"
#include "data/tables/wrong_values.h"
#include "graph/set_arrays.h"

namespace agentnet {

LeftOut left_out(const Dataset& data, const std::vector<std::string>& held) {
  const SetArrays& set = data.graphs.arrays();
  LeftOut out;
  const auto consider = [&](bool present, const char* what) {
    if (present && std::find(held.begin(), held.end(), what) == held.end()) out.emplace_back(what);
  };
  consider(!set.first_id.empty(), "ids");
  consider(!set.positions.empty(), "positions");
  consider(!set.marks.empty(), "node marks");
  consider(!data.columns.empty(), "columns");
  consider(data.official.has_value(), "the split");
  return out;
}

bool has_distinct_ids(const GraphSet& graphs) {
  std::unordered_set<std::string_view> ids;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    if (!graphs.id(g).empty() && !ids.insert(graphs.id(g)).second) return false;
  }
  return true;
}

bool only_constant_features(const Dataset& data) {
  const SetArrays& set = data.graphs.arrays();
  const auto values = set.node_row.empty() ? set.node_dense.all() : set.node_row.all();
  return data.schema.nodes.categories.empty() && data.schema.nodes.dense == std::vector<std::string>{"constant"} &&
         std::all_of(values.begin(), values.end(), [](float value) { return value == 1.0F; });
}

bool reads_back_as_category(const std::string& value) {
  if (const auto whole = to_integer(value)) return std::to_string(*whole) == value && std::abs(*whole) < (1 << 23);
  return !is_blank(value) && !to_number(value);
}

void require_plain_categories(const FeatureSchema& schema, const char* format) {
  for (const CategoryColumn& column : schema.categories) {
    const auto odd = std::find_if_not(column.values.begin(), column.values.end(), reads_back_as_category);
    if (odd != column.values.end()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} cannot hold the category {} of column {}: it would read back as something else",
                              format, in_quotes(*odd), in_quotes(column.name)),
                  "write jsonl or agentset");
    }
    const bool numbers = std::all_of(column.values.begin(), column.values.end(),
                                     [](const std::string& value) { return to_integer(value).has_value(); });
    if (numbers && column.values.size() > 256) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} cannot hold the {} categories of column {}: they would read back as "
                              "numbers",
                              format, column.values.size(), in_quotes(column.name)),
                  "write jsonl or agentset");
    }
  }
}

std::string dense_text(float value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string target_text(const Dataset& data, std::size_t graph, std::size_t target) {
  const double value = data.graphs.targets(graph)[target];
  if (std::isnan(value)) return {};
  if (data.schema.task == Task::kClassification) return data.schema.classes[class_of_target(data, graph, value)];
  return fmt::format("{}", value);
}

}  // namespace agentnet
