#include "data/synthetic.h"

#include <array>
#include <numeric>
#include <vector>

#include "core/random.h"

namespace agentnet {

namespace {

constexpr std::uint32_t kBlock = 4;
using Permutation = std::array<std::uint32_t, kBlock>;

bool agree_somewhere(const Permutation& p, const Permutation& q) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (p[i] == q[i]) return true;
  }
  return false;
}

Permutation random_permutation(RandomSequence& random) {
  Permutation p{};
  std::iota(p.begin(), p.end(), 0U);
  random.shuffle(p);
  return p;
}

Graph four_cycle_graph(const Permutation& p, const Permutation& q) {
  GraphParts parts;
  parts.num_nodes = 4 * kBlock;
  parts.undirected = true;
  const auto join = [&parts](std::uint32_t a, std::uint32_t i, std::uint32_t b, std::uint32_t j) {
    parts.from.push_back(a * kBlock + i);
    parts.to.push_back(b * kBlock + j);
  };
  for (std::uint32_t i = 0; i < kBlock; ++i) {
    join(0, i, 2, i);
    join(1, i, 3, i);
    join(0, i, 1, p[i]);
    join(2, i, 3, q[i]);
  }
  parts.node_dense.assign(parts.num_nodes, 1.0F);
  return Graph(std::move(parts));
}

}  // namespace

GraphSet four_cycles(std::size_t graphs, std::uint64_t seed) {
  RandomSequence random(seed, Purpose::kData);
  std::vector<int> labels(graphs);
  for (std::size_t i = 0; i < graphs; ++i) labels[i] = static_cast<int>(i % 2);
  random.shuffle(labels);
  GraphSet set;
  for (const int label : labels) {
    // Drawn until the class is the wanted one: uniform within each class.
    Permutation p{}, q{};
    do {
      p = random_permutation(random);
      q = random_permutation(random);
    } while (agree_somewhere(p, q) != (label == 1));
    const double target = label;
    set.add(four_cycle_graph(p, q), {&target, 1});
  }
  return set;
}

}  // namespace agentnet
