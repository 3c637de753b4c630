// A whole Dataset as a mapped set (graph/set_file.h): the schema is the file's metadata.
#pragma once

#include <filesystem>

#include "agentnet/data.h"
#include "data/formats/writers.h"
#include "data/io/input.h"
#include "data/tables/schema_json.h"

namespace agentnet {

// Opening costs a few pages, whatever the size of the set. Options that compute features read and check all of it, and
// so does unpacking a compressed file, which is then in memory.
[[nodiscard]] Dataset read_mapped_set(const Input& input, const DataOptions& options);
[[nodiscard]] LeftOut write_mapped_set(const Dataset& data, const std::filesystem::path& path);

// Reads all of a set that read_mapped_set() gave: as check_set_file() does, and that every category and class is one of
// those that the schema lists. Throws Error (kData).
void check_mapped_set(const Dataset& data);
// The same for a set that takes no time to read; a larger one is checked piece by piece, as it is used.
void check_small_mapped_set(const Dataset& data);

}  // namespace agentnet
