// SMP (Vignac et al., NeurIPS 2020): every node has a matrix of states, one row for each node of its graph.
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kSmp;

}  // namespace agentnet
