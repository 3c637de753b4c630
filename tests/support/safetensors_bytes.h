// Safetensors files put together by hand, good and bad.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace agentnet {

// Length, header and payload as they stand in a file; `announced` replaces the true length.
inline std::vector<std::byte> file_bytes(const std::string& header, std::size_t payload, std::uint64_t announced) {
  std::vector<std::byte> bytes(8 + header.size() + payload);
  std::memcpy(bytes.data(), &announced, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  for (std::size_t i = 0; i < payload; ++i) bytes[8 + header.size() + i] = static_cast<std::byte>(i + 1);
  return bytes;
}

inline std::vector<std::byte> file_bytes(const std::string& header, std::size_t payload = 0) {
  return file_bytes(header, payload, header.size());
}

// "NAME":{"dtype":DTYPE,"shape":SHAPE,"data_offsets":OFFSETS}
inline std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                         const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

}  // namespace agentnet
