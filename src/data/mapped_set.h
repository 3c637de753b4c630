// A whole Dataset as a mapped set (graph/set_file.h): the schema is the file's metadata.
#pragma once

#include <filesystem>

#include "agentnet/data.h"
#include "data/input.h"
#include "data/writers.h"

namespace agentnet {

// Opening costs a few pages, whatever the size of the set. Options that compute features read all of it.
[[nodiscard]] Dataset read_mapped_set(const Input& input, const DataOptions& options);
[[nodiscard]] LeftOut write_mapped_set(const Dataset& data, const std::filesystem::path& path);

// The schema as JSON, and back; anything malformed throws Error (kData) that begins with `place`.
[[nodiscard]] std::string schema_to_json(const Schema& schema);
[[nodiscard]] Schema schema_from_json(const std::string& json, const std::string& place);

}  // namespace agentnet
