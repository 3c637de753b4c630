// Which columns of new data stand for a model's (agentnet/data.h has what users need of it).
#pragma once

#include <string_view>

#include "agentnet/data.h"

namespace agentnet {

// Whether a column of this name is computed, not read (data/features.h): "degree", "constant", "distance".
[[nodiscard]] bool is_computed_column(std::string_view name);

// Whether columns of other names may be taken by their places, as another format may call them anything: as many of
// each kind, and not one name in common, for then a name that is missing is a column that is missing. Computed columns
// are called the same in every format: they stand for themselves only.
[[nodiscard]] bool may_match_by_place(const FeatureSchema& data, const FeatureSchema& model);

}  // namespace agentnet
