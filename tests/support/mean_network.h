// The smallest network there can be: a linear readout of the mean of the dense node features. It has nothing in common
// with AgentNet (no walks, no draws, graphs that are shards of their own, a running statistic), so that whatever works
// with both knows networks only by nn/network.h.
//
//   y = W mean_v x_v + b     [B, C], [C, f], [C]
//
// Its one buffer, seen.mean [f], follows the mean input of training batches; it changes no output.
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kMeanNetwork;

// It, and the networks of the program.
[[nodiscard]] const KindTable& kinds_with_mean_network();

}  // namespace agentnet
