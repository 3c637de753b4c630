#include "nets/agentnet/window.h"

#include <algorithm>
#include <vector>

namespace agentnet {
namespace {

constexpr Index identity_bit(int i) { return 2 * (i - 1); }
constexpr Index edge_bit(int i) { return 2 * (i - 1) + 1; }

// Appends (candidate, bit) for every candidate of `here` that an edge from `there` leads to: the shorter of the two
// lists is looked up in the longer one.
template <class S>
void meet(const Terrain<S>& terrain, const Place& here, const Place& there, Index bit, std::vector<CandidateBit>& out) {
  if (here.degree <= there.degree) {
    const Index* list = terrain.candidates(here);
    for (Index c = 0; c < here.degree; ++c) {
      if (terrain.find_neighbour(there, list[c]) != kNone) out.push_back({c, bit});
    }
    return;
  }
  const Index* list = terrain.candidates(there);
  for (Index j = 0; j < there.degree; ++j) {
    const Index c = terrain.find_neighbour(here, list[j]);
    if (c != kNone) out.push_back({c, bit});
  }
}

}  // namespace

template <class S>
void read_window(const Walk<S>& walk, int t, WindowRecord<S>& record) {
  const auto A = static_cast<std::size_t>(walk.A);
  const int s = std::min(walk.config().window, t);
  auto* seen = walk.scratch->template take<std::uint64_t>(A);
  for (Index a = 0; a < walk.A; ++a) {
    const Index here = walk.position[a];
    std::uint64_t bits = 0;
    for (int i = 1; i <= s; ++i) {
      const Index there = walk.trail[t - i][a];
      if (there == here) bits |= std::uint64_t{1} << identity_bit(i);
      if (walk.terrain->find_neighbour(walk.terrain->place(there), here) != kNone) {
        bits |= std::uint64_t{1} << edge_bit(i);
      }
    }
    seen[a] = bits;
  }
  auto* different = walk.scratch->template take<std::uint64_t>(A);
  std::copy_n(seen, A, different);
  std::sort(different, different + A);
  const std::uint64_t* end = std::unique(different, different + A);

  const Index width = 2 * walk.config().window;
  record.patterns = static_cast<Index>(end - different);
  record.bits = walk.keep().template zero_matrix<S>(record.patterns, width);
  for (Index p = 0; p < record.patterns; ++p) {
    for (Index j = 0; j < width; ++j) record.bits.row(p)[j] = static_cast<S>((different[p] >> j) & 1);
  }
  auto* pattern = walk.keep().template take<Index>(A);
  for (std::size_t a = 0; a < A; ++a) {
    pattern[a] = static_cast<Index>(std::lower_bound<const std::uint64_t*>(different, end, seen[a]) - different);
  }
  record.pattern = pattern;
}

template <class S>
CandidateBits read_candidate_bits(const Walk<S>& walk, const Occupied<S>& occupied, int step) {
  const Terrain<S>& terrain = *walk.terrain;
  const int s = std::min(walk.config().window, step);
  auto* first = walk.keep().template take<std::int64_t>(static_cast<std::size_t>(walk.A) + 1);
  std::vector<CandidateBit>& found = *walk.candidate_bits;
  found.clear();
  first[0] = 0;
  for (Index slot = 0; slot < walk.A; ++slot) {
    const Index agent = occupied.agents[slot];
    const Index here = walk.position[agent];
    const Place& place = terrain.place(here);
    for (int i = 1; i <= s; ++i) {
      const Index there = walk.trail[step - i][agent];
      const Index same = there == here ? place.self : terrain.find_neighbour(place, there);
      if (same != kNone) found.push_back({same, identity_bit(i)});
      if (there == here) continue;  // its edges lead to all candidates
      const Place& other = terrain.place(there);
      meet(terrain, place, other, edge_bit(i), found);
      // Staying is no neighbour, unless the data has a loop here.
      if (place.self == place.degree && terrain.find_neighbour(other, here) != kNone) {
        found.push_back({place.self, edge_bit(i)});
      }
    }
    first[slot + 1] = static_cast<std::int64_t>(found.size());
  }
  auto* bits = walk.keep().template take<CandidateBit>(found.size());
  std::copy(found.begin(), found.end(), bits);
  return {first, bits};
}

#define AGENTNET_INSTANTIATE(S)                                     \
  template void read_window(const Walk<S>&, int, WindowRecord<S>&); \
  template CandidateBits read_candidate_bits(const Walk<S>&, const Occupied<S>&, int);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)
#undef AGENTNET_INSTANTIATE

}  // namespace agentnet
