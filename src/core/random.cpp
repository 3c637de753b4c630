#include "core/random.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace agentnet {
namespace {

// One step of splitmix64: adds the golden ratio, then mixes. A bijection of 64 bits.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

RandomKey random_key(std::uint64_t seed, Purpose purpose, std::uint64_t epoch) {
  const std::uint64_t key = mix(mix(mix(seed) ^ static_cast<std::uint64_t>(purpose)) ^ epoch);
  return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
}

RandomSequence::RandomSequence(std::uint64_t seed, Purpose purpose, std::uint64_t epoch, std::uint64_t graph,
                               std::uint32_t agent)
    : key_(random_key(seed, purpose, epoch)), graph_(graph), agent_(agent) {}

std::uint32_t RandomSequence::next_u32() {
  if (used_ == words_.size()) {
    // A stream longer than 2^32 blocks goes on in the bits of the step, of which it has no other use.
    const auto step = static_cast<std::uint32_t>(next_block_ >> 32);
    words_ = philox(random_counter(graph_, agent_, step, static_cast<std::uint32_t>(next_block_)), key_);
    ++next_block_;
    used_ = 0;
  }
  return words_[used_++];
}

std::uint64_t RandomSequence::next_u64() {
  const std::uint64_t low = next_u32();
  const std::uint64_t high = next_u32();
  return high << 32 | low;
}

double RandomSequence::uniform() { return to_unit_double(next_u32()); }

double RandomSequence::normal() {
  // Box-Muller; its second value is dropped so that every normal costs the same two words.
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  return radius * std::cos(angle);
}

std::uint64_t RandomSequence::below(std::uint64_t n) {
  if (n == 0) throw std::invalid_argument("RandomSequence::below(0): there is no number below 0");
  if (n > std::numeric_limits<std::uint32_t>::max()) {
    // Draws above the largest multiple of n are rejected: they would favour the small remainders.
    const std::uint64_t excess = (0 - n) % n;  // 2^64 mod n
    std::uint64_t draw = next_u64();
    while (draw > std::numeric_limits<std::uint64_t>::max() - excess) draw = next_u64();
    return draw % n;
  }
  // Lemire's method: the upper half of a product, rejecting the few draws that make it uneven.
  const auto small = static_cast<std::uint32_t>(n);
  const std::uint32_t threshold = (0u - small) % small;  // 2^32 mod n
  std::uint64_t product = 0;
  do {
    product = n * next_u32();
  } while (static_cast<std::uint32_t>(product) < threshold);
  return product >> 32;
}

}  // namespace agentnet
