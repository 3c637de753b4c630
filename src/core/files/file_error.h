// What to say when writing fails.
#pragma once

#include <filesystem>

namespace agentnet {

// Throws Error (kFailure): "cannot write PATH: failed to ACTION: REASON", with a hint that suits the errno value.
[[noreturn]] void throw_write_error(const std::filesystem::path& path, const char* action, int error);

}  // namespace agentnet
