// ESAN (Bevilacqua et al., ICLR 2022): a graph is seen as a bag of subgraphs. DS looks at each by itself, DSS also at
// what they have in common.
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kEsanDs;
extern const NetworkKind kEsanDss;

}  // namespace agentnet
