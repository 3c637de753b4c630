// CRaWl: convolutions over random walks (Toenshoff et al., "Walking Out of the Weisfeiler Leman Hierarchy").
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kCrawl;

}  // namespace agentnet
