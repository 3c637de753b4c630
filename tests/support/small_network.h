// A small AgentNet for data of a schema: quick to train.
#pragma once

#include <memory>

#include "agentnet/config.h"
#include "agentnet/predict.h"
#include "nets/agentnet/agentnet.h"

namespace agentnet {

[[nodiscard]] inline AgentNetConfig small_agentnet(const Schema& schema, int hidden = 4) {
  AgentNetConfig config;
  config.hidden = hidden;
  config.agents = 2;
  config.steps = 2;
  config.set_shape(shape_of(schema));
  return config;
}

[[nodiscard]] inline std::shared_ptr<const Network<float>> network_of(const AgentNetConfig& config) {
  return std::make_shared<const AgentNet<float>>(config);
}

}  // namespace agentnet
