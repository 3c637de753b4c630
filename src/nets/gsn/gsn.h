// GSN: messages that see in how many cycles and cliques their nodes are (Bouritsas et al., TPAMI 2022).
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kGsn;

}  // namespace agentnet
