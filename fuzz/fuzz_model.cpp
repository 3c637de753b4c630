#include <cstddef>
#include <cstdint>
#include <span>

#include "model_property.h"
#include "safetensors_mutator.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  agentnet::check_model(std::as_bytes(std::span(data, size)));
  return 0;
}
