// PNA: Principal Neighbourhood Aggregation (Corso et al., NeurIPS 2020), as its authors have it for ZINC.
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kPna;

}  // namespace agentnet
