// HIMP: messages between atoms, and between the rings and bonds of their junction tree (Fey et al., 2020).
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kHimp;

}  // namespace agentnet
