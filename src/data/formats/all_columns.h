// The columns of a table, for whoever wants all of them beside something else.
#pragma once

#include <string>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

// What DataOptions::keep can name: the columns of a table of molecules, or of graphs.csv, in their order. Nothing for
// other formats.
[[nodiscard]] std::vector<std::string> all_columns(const std::string& source, const DataOptions& options);

}  // namespace agentnet
