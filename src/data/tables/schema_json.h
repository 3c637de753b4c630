// A schema as JSON: in the metadata of a mapped set, and in model files.
#pragma once

#include <string>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

// And back: anything malformed throws Error (kData) that begins with `place`; further keys are ignored.
[[nodiscard]] std::string schema_to_json(const Schema& schema);
[[nodiscard]] Schema schema_from_json(const std::string& json, const std::string& place);

// The metadata of a mapped set: the schema, and the names of kept text columns.
[[nodiscard]] std::string set_metadata(const Schema& schema, const std::vector<std::string>& columns = {});

}  // namespace agentnet
