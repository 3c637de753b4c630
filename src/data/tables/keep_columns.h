// Feature columns that the user does not want, of sets whose columns are typed already: molecules, mapped sets,
// built-in ones. (FeatureColumns leaves those of text files out as they are read.)
#pragma once

#include <string>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

struct SetArrays;

// As DataOptions::node_columns and edge_columns. Throws Error (kUsage) for a name that no column has.
void keep_columns(Dataset& data, const std::vector<std::string>& nodes, const std::vector<std::string>& edges);

// Edges that are listed twice have two rows of features; where no column is left, they have none.
void forget_bare_rows(SetArrays& set);

}  // namespace agentnet
