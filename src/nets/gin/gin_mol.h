// GIN for molecules, with edge features and with or without a virtual node, as OGB's examples have it (Hu et al.,
// 2020).
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kGinMol;

}  // namespace agentnet
