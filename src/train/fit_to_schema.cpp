#include "train/fit_to_schema.h"

#include <algorithm>
#include <string>
#include <vector>

namespace agentnet {
namespace {

std::vector<int> category_sizes(const FeatureSchema& schema) {
  std::vector<int> sizes;
  for (const CategoryColumn& column : schema.categories) sizes.push_back(static_cast<int>(column.values.size()) + 1);
  return sizes;
}

}  // namespace

void fit_to_schema(ModelConfig& config, const Schema& schema) {
  config.node_features = static_cast<int>(schema.nodes.dense.size());
  config.node_categories = category_sizes(schema.nodes);
  config.edge_features = static_cast<int>(schema.edges.dense.size());
  config.edge_categories = category_sizes(schema.edges);
  const std::size_t outputs =
      schema.task == Task::kClassification ? std::max<std::size_t>(2, schema.classes.size()) : schema.targets.size();
  config.outputs = std::max(1, static_cast<int>(outputs));
}

void zero_unseen_categories(const ModelConfig& config, const ParameterLayout& layout, std::span<float> parameters) {
  const auto zero_last_row = [&](const std::string& name, int rows) {
    const Parameter& tensor = layout.at(name);
    const auto width = static_cast<std::size_t>(config.hidden);
    std::fill_n(
        parameters.begin() + static_cast<std::ptrdiff_t>(tensor.offset + (static_cast<std::size_t>(rows) - 1) * width),
        width, 0.0F);
  };
  for (std::size_t j = 0; j < config.node_categories.size(); ++j) {
    zero_last_row("embed.node.table." + std::to_string(j) + ".weight", config.node_categories[j]);
  }
  for (std::size_t j = 0; j < config.edge_categories.size() && !config.edge_kernel; ++j) {
    zero_last_row("embed.edge.table." + std::to_string(j) + ".weight", config.edge_categories[j]);
  }
}

}  // namespace agentnet
