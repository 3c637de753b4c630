// 1-GNN: the one of QM9 (three NNConv layers), Drop-1-GNN, and the one of k-gnn for sets without edge features
// (Morris et al., AAAI 2019).
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kGnn1;
extern const NetworkKind kDropGnn1;
extern const NetworkKind kKgnn1;

}  // namespace agentnet
