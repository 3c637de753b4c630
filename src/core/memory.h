// How much memory the machine has for this program.
#pragma once

#include <cstdint>

namespace agentnet {

// Bytes of memory of the machine, or what a container or a limit of the process leaves of it. Never 0.
[[nodiscard]] std::uint64_t usable_memory();

// From now on usable_memory() says no more than this, in the whole process. For programs, not for the library.
void limit_memory(std::uint64_t bytes);

}  // namespace agentnet
