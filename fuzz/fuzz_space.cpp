#include <cstddef>
#include <cstdint>
#include <span>

#include "space_property.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  agentnet::check_space(std::as_bytes(std::span(data, size)));
  return 0;
}
