// DataOptions as JSON: for config files, and for models, which must read new data as they read their training data.
#pragma once

#include <functional>
#include <string>

#include "agentnet/data.h"

namespace agentnet {

// All options but `threads`, `official` and `keep`, which change nothing that a model sees.
[[nodiscard]] std::string to_json(const DataOptions& options);
// Sets what the JSON object has, on top of `options`. Unknown keys and wrong values throw Error (kUsage).
void apply_json(DataOptions& options, const std::string& json);
// Calls f(name, default value, allowed values, help) for each of these options.
void describe_data_options(
    const std::function<void(const char*, const std::string&, const std::string&, const char*)>& f);

}  // namespace agentnet
