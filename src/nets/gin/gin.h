// GIN as its authors wrote it (Xu et al., ICLR 2019), GIN with random features, and DropGIN. docs/networks.md has the
// formulae.
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kGin;
extern const NetworkKind kDropGin;

}  // namespace agentnet
