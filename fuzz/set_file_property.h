// What must hold of any bytes given as a mapped graph set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "core/files/checksum.h"
#include "data/formats/writers.h"
#include "data/huge/mapped_set.h"
#include "reader_property.h"

namespace agentnet {

// The bytes with checksums that match, as far as there is a table: no fuzzer finds them by itself.
inline std::string with_checksums(std::string bytes) {
  constexpr std::size_t kHeader = 48, kSection = 48, kMostSections = 256;
  const auto load = [&](std::size_t at, auto value) {
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  };
  const auto store = [&](std::size_t at, std::uint64_t value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
  };
  if (bytes.size() < kHeader) return bytes;
  store(16, bytes.size());
  const std::size_t sections = load(12, std::uint32_t{}), end = kHeader + sections * kSection;
  if (sections > kMostSections || end + 8 > bytes.size()) return bytes;
  const auto checksum = [&](std::uint64_t at, std::uint64_t size) {
    return xxh3_64(std::as_bytes(std::span(bytes)).subspan(at, size));
  };
  for (std::size_t s = 0; s < sections; ++s) {
    const std::size_t entry = kHeader + s * kSection + 16;
    const auto offset = load(entry, std::uint64_t{}), size = load(entry + 8, std::uint64_t{});
    if (offset <= bytes.size() && size <= bytes.size() - offset) store(entry + 16, checksum(offset, size));
  }
  store(end, checksum(0, end));
  return bytes;
}

// Returns whether the bytes, with their checksums mended, are a set. What passes the checks can be walked.
inline bool check_set_file_bytes(std::span<const std::byte> bytes) {
  const auto check = [](const std::string& text) {
    return check_reading([&] { return read_mapped_set(Input::from_text("input", text), DataOptions{}); });
  };
  static_cast<void>(check(text_of(bytes)));
  return check(with_checksums(text_of(bytes)));
}

}  // namespace agentnet
