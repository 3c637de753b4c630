// A whole Dataset as a mapped set (graph/set_file.h): the schema is the file's metadata.
#pragma once

#include <filesystem>

#include "agentnet/data.h"
#include "data/formats/writers.h"
#include "data/io/input.h"
#include "data/tables/schema_json.h"

namespace agentnet {

// The one way into a mapped set for all who read it. A file of at most options.check_up_to bytes is read as a whole and
// checked: every checksum and index (open_set_file()), and that every category and class is one of those that the
// schema lists. Opening a larger one costs a few pages, whatever its size, and what it says is checked where it is
// used; its targets, which are few, are checked at once if they are asked for. Options that compute features read and
// check all of it, and so does unpacking a compressed file, which is then in memory. Throws Error (kData) for any
// damage.
[[nodiscard]] Dataset read_mapped_set(const Input& input, const DataOptions& options);
[[nodiscard]] LeftOut write_mapped_set(const Dataset& data, const std::filesystem::path& path);

}  // namespace agentnet
