// The JSON header of a safetensors file, as text and back. Used by the reader and the writer only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/safetensors.h"

namespace agentnet {

inline constexpr std::size_t kSafetensorsLengthBytes = 8;  // in front of the header
inline constexpr std::uint64_t kSafetensorsMaxHeader = 100'000'000;

struct SafetensorsEntry {
  std::string name;
  Dtype dtype = Dtype::kF32;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes of the payload
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<SafetensorsEntry> entries;  // as listed
};

// Checks the form of the header (JSON, names, types), not whether its numbers fit together. Throws Error
// (kData) whose message starts with `source`; byte positions count from the start of the file.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& source);

// Compact JSON in the reference crate's order of keys: metadata, then tensors as listed. Throws Error
// (kUsage) if a name or text is not UTF-8.
[[nodiscard]] std::string format_safetensors_header(const SafetensorsHeader& header);

}  // namespace agentnet
