#include <cstddef>
#include <cstdint>
#include <span>

#include "data/formats/network_readers.h"
#include "reader_property.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  agentnet::check_reader(agentnet::read_graph6, std::as_bytes(std::span(data, size)));
  return 0;
}
