// DGN: Directional Graph Networks (Beaini et al., ICML 2021), as its authors have it for ZINC.
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kDgn;

}  // namespace agentnet
