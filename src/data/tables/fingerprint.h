// Whether two sets of graphs are the same.
#pragma once

#include <string>

#include "agentnet/data.h"

namespace agentnet {

// A checksum of the schema and of all that the graphs are; of mapped sets, which may be of any size, of the checksums
// that their file has of its parts.
[[nodiscard]] std::string fingerprint(const Dataset& data);

}  // namespace agentnet
