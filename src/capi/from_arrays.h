// Arrays of many graphs, as a caller has them, as a set.
#pragma once

#include <functional>
#include <memory>

#include "agentnet/agentnet.h"
#include "agentnet/data.h"

namespace agentnet::capi {

// Copies only what cannot be used as it is (agentnet/agentnet.h says what); `owner` is kept as long as the set, which
// borrows the rest. Throws Error: kData that names graph, row and column of what does not fit, kUsage for arrays that
// do not belong together.
[[nodiscard]] Dataset dataset_from_arrays(const agentnet_arrays& arrays, const char* schema,
                                          std::shared_ptr<const void> owner);

}  // namespace agentnet::capi
