// PPGN (Maron et al., NeurIPS 2019), whose states belong to pairs of nodes: the authors' version, and that of the
// AgentNet repository, which is SMP's.
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kPpgn;
extern const NetworkKind kPpgnSmp;

}  // namespace agentnet
