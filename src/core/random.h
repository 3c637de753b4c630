// Counter-based random numbers: a draw is a pure function of what it is for.
//
// Philox4x32-10 (Salmon et al., SC 2011) maps a 128-bit counter and a 64-bit key to 128 random bits.
// The full key of a draw is (seed, purpose, epoch, graph, agent, step, candidate): the first three
// make the Philox key, the others the counter. Nothing depends on the thread, shard or batch in
// which a draw happens, so results are the same for any number of threads, and a single draw can be
// repeated without replaying those before it.
//
//   k0, k1   seed, purpose and epoch, mixed to 64 bits (random_key)
//   c0       block: four candidates share one, candidate j takes word j % 4 of block j / 4
//   c1       agent
//   c2       graph, low 32 bits
//   c3       graph, bits 32..47, in the upper half; step in the lower half
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace agentnet {

// One per kind of draw. The numbers are part of every stream: new purposes go to the end.
enum class Purpose : std::uint32_t { kInit, kStart, kMove, kDropout, kShuffle, kData, kTest, kSplit, kNeighbours };

struct RandomKey {
  std::uint32_t k0 = 0, k1 = 0;
  bool operator==(const RandomKey&) const = default;
};

struct RandomCounter {
  std::uint32_t c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  bool operator==(const RandomCounter&) const = default;
};

// A chain of bijective 64-bit mixers (the finaliser of splitmix64), so that for two of the three
// arguments fixed, different values of the third never share a key.
[[nodiscard]] RandomKey random_key(std::uint64_t seed, Purpose purpose, std::uint64_t epoch);

// Limits: graph < 2^48, step < 2^16. Unchecked, since it runs per draw: a larger value would alias.
[[nodiscard]] constexpr RandomCounter random_counter(std::uint64_t graph, std::uint32_t agent, std::uint32_t step,
                                                     std::uint32_t block) {
  const auto graph_high = static_cast<std::uint32_t>(graph >> 32);
  return {block, agent, static_cast<std::uint32_t>(graph), (graph_high << 16) | (step & 0xFFFFu)};
}

// In the header because src/tensor vectorises the same rounds and is tested against this one.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox(RandomCounter counter, RandomKey key) {
  constexpr int kRounds = 10;
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t p0 = kMultiplier0 * counter.c0;
    const std::uint64_t p1 = kMultiplier1 * counter.c2;
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter.c1 ^ key.k0, static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter.c3 ^ key.k1, static_cast<std::uint32_t>(p0)};
    key = {key.k0 + kWeyl0, key.k1 + kWeyl1};
  }
  return {counter.c0, counter.c1, counter.c2, counter.c3};
}

// Uniform in the open interval (0, 1): never 0 or 1, so that its logarithms are finite.
[[nodiscard]] constexpr double to_unit_double(std::uint32_t bits) {
  return (static_cast<double>(bits) + 0.5) * 0x1p-32;
}

// The draws of one (seed, purpose, epoch, graph, agent) in order, for code that just needs a stream:
// initialisation, shuffling, synthetic data, tests. Not for two threads at once.
class RandomSequence {
 public:
  RandomSequence(std::uint64_t seed, Purpose purpose, std::uint64_t epoch = 0, std::uint64_t graph = 0,
                 std::uint32_t agent = 0);

  [[nodiscard]] std::uint32_t next_u32();
  [[nodiscard]] std::uint64_t next_u64();
  // In (0, 1), with 32 random bits.
  [[nodiscard]] double uniform();
  // N(0, 1). Takes two words of the stream, always.
  [[nodiscard]] double normal();
  // Uniform over 0 .. n - 1, without bias; n = 0 throws std::invalid_argument.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);

  // Every order equally likely.
  template <class Range>
  void shuffle(Range&& range) {
    using std::swap;
    const auto first = std::begin(range);
    for (auto left = std::end(range) - first; left > 1; --left) {
      const auto chosen = static_cast<decltype(left)>(below(static_cast<std::uint64_t>(left)));
      swap(first[left - 1], first[chosen]);
    }
  }

 private:
  RandomKey key_;
  std::uint64_t graph_;
  std::uint32_t agent_;
  std::uint64_t next_block_ = 0;
  std::array<std::uint32_t, 4> words_{};
  std::size_t used_ = 4;  // words of words_ already handed out
};

}  // namespace agentnet
