// 1-2 GNN and 1-2-3 GNN (Morris et al., AAAI 2019): nodes, then sets of two and three of them.
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kKgnn12;
extern const NetworkKind kKgnn123;

}  // namespace agentnet
