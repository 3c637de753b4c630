// The bytes at the beginning of a graph set file (graph/set_file.h), for its reader and its writer.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agentnet {

static_assert(std::endian::native == std::endian::little,
              "the mapped file holds the numbers of a little-endian machine");

inline constexpr std::uint32_t kSetVersion = 2;
inline constexpr std::size_t kSetAlignment = 4096;
inline constexpr std::size_t kSectionName = 16;
inline constexpr std::uint32_t kMostSections = 256;
inline constexpr std::string_view kMetadataSection = "metadata";

struct SetHeader {
  std::array<char, 8> magic;
  std::uint32_t version, sections;
  std::uint64_t file_size;
  std::array<std::uint32_t, 5> widths;
  std::uint32_t zero;
};
static_assert(sizeof(SetHeader) == 48);

struct SetSection {
  std::array<char, kSectionName> name;
  std::uint64_t offset, bytes, checksum, zero;
};
static_assert(sizeof(SetSection) == 48);

[[nodiscard]] constexpr std::uint64_t section_aligned(std::uint64_t size) {
  return (size + kSetAlignment - 1) / kSetAlignment * kSetAlignment;
}

}  // namespace agentnet
