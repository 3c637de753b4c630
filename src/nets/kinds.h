// The networks that this program has. A new one is a folder of src/nets and a line in kinds.cpp.
#pragma once

#include "nn/kind.h"

namespace agentnet {

[[nodiscard]] const KindTable& builtin_kinds();

}  // namespace agentnet
