// XXH3 checksums, as lower-case hexadecimal in the order in which the xxhsum program prints them.
// They find accidents (bad disks, cut transfers), not attackers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace agentnet {

[[nodiscard]] std::uint64_t xxh3_64(std::span<const std::byte> bytes);
[[nodiscard]] std::string xxh3_64_hex(std::span<const std::byte> bytes);
[[nodiscard]] std::string xxh3_128_hex(std::span<const std::byte> bytes);

// The 128-bit checksum of bytes that arrive in pieces; how they are cut does not matter.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  Checksum(Checksum&&) noexcept;
  Checksum& operator=(Checksum&&) noexcept;

  void update(std::span<const std::byte> bytes);
  // Of everything so far; more may follow.
  [[nodiscard]] std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The 64-bit checksum, xxh3_64(), of bytes that arrive in pieces.
class Checksum64 {
 public:
  Checksum64();
  ~Checksum64();
  Checksum64(Checksum64&&) noexcept;
  Checksum64& operator=(Checksum64&&) noexcept;

  void update(std::span<const std::byte> bytes);
  [[nodiscard]] std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace agentnet
