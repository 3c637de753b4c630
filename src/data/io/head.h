// The beginning of a file, by which its format is recognised.
#pragma once

#include <string>

#include "data/io/input.h"

namespace agentnet {

inline constexpr std::size_t kHeadBytes = 4096;

// The first bytes of an input that is one file, unpacked, UTF-16 as UTF-8.
[[nodiscard]] std::string head_of(const Input& input);

}  // namespace agentnet
