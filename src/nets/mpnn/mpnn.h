// MPNN with an edge network, a GRU and a set2set readout (Gilmer et al., ICML 2017), and DropMPNN.
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kMpnn;
extern const NetworkKind kDropMpnn;

}  // namespace agentnet
