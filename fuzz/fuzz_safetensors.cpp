#include <cstddef>
#include <cstdint>
#include <span>

#include "safetensors_mutator.h"
#include "safetensors_property.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  agentnet::check_safetensors(std::as_bytes(std::span(data, size)));
  return 0;
}
