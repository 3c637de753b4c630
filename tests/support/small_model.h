// A model that reads data of a schema, with starting weights: quick to make, good enough to ask.
#pragma once

#include <algorithm>

#include "agentnet/config.h"
#include "agentnet/data.h"
#include "agentnet/model.h"
#include "data/tables/options_json.h"
#include "data/tables/schema_json.h"

namespace agentnet {

[[nodiscard]] inline Model small_model(const Schema& schema, const DataOptions& reading = {}) {
  AgentNetConfig config;
  config.hidden = 8;
  config.agents = 3;
  config.steps = 3;
  config.node_features = static_cast<int>(schema.nodes.dense.size());
  config.edge_features = static_cast<int>(schema.edges.dense.size());
  for (const CategoryColumn& column : schema.nodes.categories) {
    config.node_categories.push_back(static_cast<int>(column.values.size()) + 1);
  }
  for (const CategoryColumn& column : schema.edges.categories) {
    config.edge_categories.push_back(static_cast<int>(column.values.size()) + 1);
  }
  const std::size_t outputs =
      schema.task == Task::kClassification ? std::max<std::size_t>(2, schema.classes.size()) : schema.targets.size();
  config.outputs = static_cast<int>(outputs);
  Model model(config, 1);
  model.card().task = std::string(task_name(schema.task));
  model.card().schema = schema_to_json(schema);
  model.card().reading = to_json(reading);
  return model;
}

}  // namespace agentnet
