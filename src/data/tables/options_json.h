// DataOptions as JSON: for config files, and for models, which must read new data as they read their training data.
#pragma once

#include <functional>
#include <string>

#include "agentnet/data.h"

namespace agentnet {

// Calls f(name, default value, allowed values, help) for each of these options.
void describe_data_options(
    const std::function<void(const char*, const std::string&, const std::string&, const char*)>& f);

}  // namespace agentnet
