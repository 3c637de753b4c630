#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "set_file_property.h"
#include "set_use_property.h"

// libFuzzer's own mutator.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);  // NOLINT

namespace {

// Numbers that are just inside or far outside of what a file can mean.
std::uint64_t interesting(std::mt19937_64& random, std::uint64_t old, std::uint64_t size) {
  switch (random() % 8) {
    case 0:
      return 0;
    case 1:
      return ~std::uint64_t{0};
    case 2:
      return old + 1;
    case 3:
      return old - 1;
    case 4:
      return old ^ (std::uint64_t{1} << (random() % 64));
    case 5:
      return size;
    case 6:
      return std::uint64_t{1} << 31;
    default:
      return random() % (2 * size + 2);
  }
}

}  // namespace

// Changes a number of a section, or its bytes, and mends the checksums, so that what lies behind them is reached.
// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  static const std::string kSamples[] = {agentnet::bytes_of_set(agentnet::sample_of_everything()),
                                         agentnet::bytes_of_set(agentnet::sample_with_hub())};
  std::mt19937_64 random(seed);
  std::string file(reinterpret_cast<const char*>(data), size);
  auto sections = agentnet::sections_of_set(file);
  std::erase_if(sections, [](const auto& section) { return section.bytes == 0; });
  if (sections.empty()) {
    file = kSamples[random() % 2];
    sections = agentnet::sections_of_set(file);
    std::erase_if(sections, [](const auto& section) { return section.bytes == 0; });
  }
  for (std::uint64_t times = 1 + random() % 3; times > 0; --times) {
    const auto& section = sections[random() % sections.size()];
    if (random() % 4 == 0) {  // any bytes, of the same length
      std::vector<std::uint8_t> bytes(file.begin() + static_cast<std::ptrdiff_t>(section.offset),
                                      file.begin() + static_cast<std::ptrdiff_t>(section.offset + section.bytes));
      LLVMFuzzerMutate(bytes.data(), bytes.size(), bytes.size());
      std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(section.offset));
      continue;
    }
    const std::size_t width = section.bytes >= 8 && random() % 2 == 0 ? 8 : section.bytes >= 4 ? 4 : 1;
    const std::uint64_t at = section.offset + random() % (section.bytes / width) * width;
    std::uint64_t value = 0;
    std::memcpy(&value, file.data() + at, width);
    value = interesting(random, value, section.bytes / width);
    std::memcpy(file.data() + at, &value, width);
  }
  file = agentnet::with_checksums(std::move(file));
  if (file.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(file.begin(), file.end(), data);
  return file.size();
}

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  agentnet::check_use_of_set(std::as_bytes(std::span(data, size)));
  return 0;
}
