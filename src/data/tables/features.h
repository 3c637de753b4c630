// Features that are computed from the graph: degree, a constant, distances between positions.
#pragma once

#include "agentnet/data.h"

namespace agentnet {

// Adds what the options ask for, and a constant if the nodes have no features at all: a model must read something.
void add_features(Dataset& data, const DataOptions& options);

// The same for a set that was not read from text, built in or mapped: its columns are typed and its edges made. Targets
// can be chosen among those it has. Throws Error (kUsage) for an option that comes too late.
void apply_options(Dataset& data, const DataOptions& options);

}  // namespace agentnet
