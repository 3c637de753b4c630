#include "core/files/checksum.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <new>

namespace agentnet {
namespace {

std::string hex_of(XXH128_hash_t hash) { return fmt::format("{:016x}{:016x}", hash.high64, hash.low64); }

}  // namespace

std::uint64_t xxh3_64(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string xxh3_64_hex(std::span<const std::byte> bytes) { return fmt::format("{:016x}", xxh3_64(bytes)); }

std::string xxh3_128_hex(std::span<const std::byte> bytes) { return hex_of(XXH3_128bits(bytes.data(), bytes.size())); }

namespace {

struct XxhState {
  XXH3_state_t* xxh3;
  XxhState() : xxh3(XXH3_createState()) {
    if (xxh3 == nullptr) throw std::bad_alloc();
  }
  ~XxhState() { XXH3_freeState(xxh3); }
  XxhState(const XxhState&) = delete;
  XxhState& operator=(const XxhState&) = delete;
};

}  // namespace

struct Checksum::State : XxhState {
  State() { XXH3_128bits_reset(xxh3); }
};

Checksum::Checksum() : state_(std::make_unique<State>()) {}
Checksum::~Checksum() = default;
Checksum::Checksum(Checksum&&) noexcept = default;
Checksum& Checksum::operator=(Checksum&&) noexcept = default;

void Checksum::update(std::span<const std::byte> bytes) {
  // An empty span may carry a null pointer, which xxhash takes for an error.
  if (!bytes.empty()) XXH3_128bits_update(state_->xxh3, bytes.data(), bytes.size());
}

std::string Checksum::hex() const { return hex_of(XXH3_128bits_digest(state_->xxh3)); }

struct Checksum64::State : XxhState {
  State() { XXH3_64bits_reset(xxh3); }
};

Checksum64::Checksum64() : state_(std::make_unique<State>()) {}
Checksum64::~Checksum64() = default;
Checksum64::Checksum64(Checksum64&&) noexcept = default;
Checksum64& Checksum64::operator=(Checksum64&&) noexcept = default;

void Checksum64::update(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH3_64bits_update(state_->xxh3, bytes.data(), bytes.size());
}

std::uint64_t Checksum64::value() const { return XXH3_64bits_digest(state_->xxh3); }

}  // namespace agentnet
