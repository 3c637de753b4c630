// CIN: messages between nodes, edges and rings (Bodnar et al., "Weisfeiler and Lehman Go Cellular", NeurIPS 2021).
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kCin;

}  // namespace agentnet
