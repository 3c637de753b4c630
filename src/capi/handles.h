// What stands behind the opaque types of the C API. A handle never changes once it was handed out, so that any number
// of threads may use it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "agentnet/agentnet.h"
#include "agentnet/data.h"
#include "agentnet/model.h"

struct agentnet_error {
  int code = AGENTNET_OK;
  std::string message, hint;
};

struct agentnet_set {
  std::shared_ptr<const agentnet::Dataset> data;
  agentnet::DataOptions reading = {};  // the options that it was read with, which a model trained on it keeps
};

struct agentnet_model {
  agentnet::Model model;
};

namespace agentnet::capi {

// A set of the same graphs that may be changed: its arrays are borrowed from `base`, which it keeps alive, and copied
// as they are written to.
[[nodiscard]] Dataset borrowed_from(const std::shared_ptr<const Dataset>& base);

[[nodiscard]] inline agentnet_set* new_set(Dataset data, DataOptions reading = {}) {
  return new agentnet_set{std::make_shared<const Dataset>(std::move(data)), std::move(reading)};
}

}  // namespace agentnet::capi
