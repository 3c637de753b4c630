#include "commands.h"

namespace agentnet {

std::span<const Command> commands() { return {}; }

}  // namespace agentnet
