#include <cstddef>
#include <cstdint>
#include <span>

#include "edge_scan_property.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  agentnet::check_edge_scan(std::as_bytes(std::span(data, size)));
  return 0;
}
