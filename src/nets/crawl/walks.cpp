#include "nets/crawl/walks.h"

#include <algorithm>
#include <stdexcept>

namespace agentnet {

bool WalkTerrain::adjacent(Index from, Index to) const {
  constexpr std::int64_t kFew = 8;  // entries that are looked at one by one
  const Index *first = targets.data() + offsets[from], *last = targets.data() + offsets[from + 1];
  return last - first <= kFew ? std::find(first, last, to) != last : std::binary_search(first, last, to);
}

void take_walks(const WalkTerrain& terrain, std::span<const Index> starts, Index length, WalkMode mode,
                const WalkDraw& draw, Index* nodes, Index* edges) {
  for (std::size_t j = 0; j < starts.size(); ++j) {
    Index* at = nodes + j * static_cast<std::size_t>(length);
    Index* along = edges + j * static_cast<std::size_t>(length - 1);
    at[0] = starts[j];
    for (Index i = 0; i + 1 < length; ++i) {
      const auto degree = static_cast<std::uint64_t>(terrain.degree(at[i]));
      const std::int64_t first = terrain.offsets[at[i]];
      const std::uint64_t r = draw(static_cast<Index>(j), i);
      std::uint64_t k = r % degree;
      const auto target = [&] { return terrain.targets[static_cast<std::size_t>(first) + k]; };
      if (mode == WalkMode::kNonBacktracking && i > 0 && target() == at[i - 1]) {
        // The same number chooses among the other edges; at a dead end there is none, and the walk turns back.
        k = (k + 1 + r % (degree > 1 ? degree - 1 : 1)) % degree;
      }
      along[i] = static_cast<Index>(first) + static_cast<Index>(k);
      at[i + 1] = target();
    }
  }
}

template <class S>
void window_features(const WalkTerrain& terrain, std::span<const Index> nodes, Index length,
                     const WindowColumns& columns, S* out) {
  const Index width = columns.count(), s = columns.size;
  const Index adjacency = columns.identity ? s : 0;
  std::fill_n(out, nodes.size() * static_cast<std::size_t>(width), S(0));
  for (std::size_t row = 0; row < nodes.size(); ++row) {
    const auto position = static_cast<Index>(row % static_cast<std::size_t>(length));
    S* to = out + row * static_cast<std::size_t>(width);
    for (Index back = 1; back <= std::min(s, position); ++back) {
      const Index before = nodes[row - static_cast<std::size_t>(back)];
      if (columns.identity && before == nodes[row]) to[s - back] = S(1);
      if (columns.adjacency && back > 1 && terrain.adjacent(before, nodes[row])) to[adjacency + s - back] = S(1);
    }
  }
}

template void window_features(const WalkTerrain&, std::span<const Index>, Index, const WindowColumns&, float*);
template void window_features(const WalkTerrain&, std::span<const Index>, Index, const WindowColumns&, double*);

std::vector<Index> published_starts(const WalkTerrain& terrain, std::span<const std::int64_t> first, std::size_t walks,
                                    std::span<const std::int64_t> permutation,
                                    std::span<const std::int64_t> node_draws) {
  const std::size_t graphs = first.size() - 1;
  if (walks < graphs || node_draws.size() < walks || permutation.size() < walks - graphs) {
    throw std::logic_error("published_starts: too few draws for these walks");
  }
  std::vector<Index> starts;
  for (std::size_t j = 0; j < walks; ++j) {
    std::size_t graph = j;
    if (j >= graphs) {
      const auto above = std::upper_bound(first.begin(), first.end(), permutation[j - graphs]);
      graph = static_cast<std::size_t>(above - first.begin()) - 1;
    }
    const auto start = static_cast<Index>(first[graph] + node_draws[j] % (first[graph + 1] - first[graph]));
    if (terrain.degree(start) > 0) starts.push_back(start);
  }
  return starts;
}

std::vector<Index> all_starts(const WalkTerrain& terrain) {
  std::vector<Index> starts;
  for (std::size_t v = 0; v + 1 < terrain.offsets.size(); ++v) {
    if (terrain.degree(static_cast<Index>(v)) > 0) starts.push_back(static_cast<Index>(v));
  }
  return starts;
}

}  // namespace agentnet
