// The synthetic sets of the paper's experiments (docs/spec.md, section 5).
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numeric>

#include "data/synthetic/synthetic_maker.h"

namespace agentnet {

namespace {

constexpr std::uint32_t kBlock = 4, kFourCycleNodes = 4 * kBlock;
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
  GraphParts parts = undirected_graph(kFourCycleNodes);
  const auto join_blocks = [&parts](std::uint32_t a, std::uint32_t i, std::uint32_t b, std::uint32_t j) {
    join(parts, a * kBlock + i, b * kBlock + j);
  };
  for (std::uint32_t i = 0; i < kBlock; ++i) {
    join_blocks(0, i, 2, i);
    join_blocks(1, i, 3, i);
    join_blocks(0, i, 1, p[i]);
    join_blocks(2, i, 3, q[i]);
  }
  parts.node_dense.assign(parts.num_nodes, 1.0F);
  return Graph(std::move(parts));
}

constexpr std::uint32_t kSkipNodes = 41;
constexpr std::array<std::uint32_t, 10> kSkips = {2, 3, 4, 5, 6, 9, 11, 12, 13, 16};

GraphParts skip_graph(std::uint32_t skip) {
  GraphParts parts = undirected_graph(kSkipNodes);
  for (std::uint32_t i = 0; i < kSkipNodes; ++i) {
    join(parts, i, (i + 1) % kSkipNodes);
    join(parts, i, (i + skip) % kSkipNodes);
  }
  return parts;
}

// Both graphs live on the 4x4 torus. The rook goes along rows and columns; in Shrikhande's graph nodes are joined that
// differ by one step along a row, a column or the diagonal.
GraphParts torus_graph(bool rook) {
  constexpr std::uint32_t kSide = 4, kNodes = kSide * kSide;
  GraphParts parts = undirected_graph(kNodes);
  const auto at = [](std::uint32_t row, std::uint32_t column) { return row % kSide * kSide + column % kSide; };
  for (std::uint32_t r = 0; r < kSide; ++r) {
    for (std::uint32_t c = 0; c < kSide; ++c) {
      join(parts, at(r, c), at(r + 1, c));
      join(parts, at(r, c), at(r, c + 1));
      if (!rook) join(parts, at(r, c), at(r + 1, c + 1));
      if (rook && r < 2) join(parts, at(r, c), at(r + 2, c));
      if (rook && c < 2) join(parts, at(r, c), at(r, c + 2));
    }
  }
  return parts;
}

// First rungs of cells that share no rung. With `even`, at the authors' distances; else any such choice is equally
// likely: a crossed cell takes two of the rungs, so choose among what is left of the circle, then open it up again.
std::vector<std::uint32_t> chosen_cells(std::uint32_t rungs, std::uint32_t cells, bool even, RandomSequence& random) {
  std::vector<std::uint32_t> chosen(cells);
  if (even) {
    for (std::uint64_t i = 0; i < cells; ++i) chosen[i] = static_cast<std::uint32_t>(i * rungs / cells);
    return chosen;
  }
  std::vector<char> crossed(rungs - cells, 0);
  std::fill_n(crossed.begin(), cells, 1);
  random.shuffle(crossed);
  const std::uint64_t turn = random.below(rungs);
  std::uint64_t rung = turn, next = 0;
  for (const char cross : crossed) {
    if (cross != 0) chosen[next++] = static_cast<std::uint32_t>(rung % rungs);
    rung += cross != 0 ? 2 : 1;
  }
  return chosen;
}

// Nodes 0 .. rungs - 1 are one side of the ladder, the others the other side.
GraphParts ladder_graph(std::uint32_t rungs, const std::vector<std::uint32_t>& cells,
                        std::vector<std::uint8_t>& marks) {
  GraphParts parts = undirected_graph(2ULL * rungs);
  std::vector<std::uint32_t> foot(rungs);  // where the rung from node i ends, on the other side
  std::iota(foot.begin(), foot.end(), 0U);
  marks.assign(2ULL * rungs, 0);
  for (const std::uint32_t i : cells) {
    const std::uint32_t j = (i + 1) % rungs;
    std::swap(foot[i], foot[j]);
    for (const std::uint32_t node : {i, j, rungs + i, rungs + j}) marks[node] = 1;
  }
  for (std::uint32_t i = 0; i < rungs; ++i) {
    const std::uint32_t j = (i + 1) % rungs;
    join(parts, i, j);
    join(parts, rungs + i, rungs + j);
    join(parts, i, rungs + foot[i]);
  }
  return parts;
}

}  // namespace

GraphSet four_cycles(std::size_t graphs, std::uint64_t seed) {
  RandomSequence random(seed, Purpose::kData);
  GraphSet set;
  for (const std::size_t label : balanced_labels(graphs, 2, random)) {
    // Drawn until the class is the wanted one: uniform within each class.
    Permutation p{}, q{};
    do {
      p = random_permutation(random);
      q = random_permutation(random);
    } while (agree_somewhere(p, q) != (label == 1));
    const auto target = static_cast<double>(label);
    set.add(four_cycle_graph(p, q), {&target, 1});
  }
  return set;
}

Dataset make_four_cycles(const SyntheticArguments& arguments) {
  arguments.check_size(kFourCycleNodes);
  Dataset data = classified({"no 4-cycle", "4-cycle"});
  data.schema.nodes.dense = {"constant"};
  data.graphs = four_cycles(arguments.graphs(), arguments.seed());
  return data;
}

Dataset make_skip_links(const SyntheticArguments& arguments) {
  arguments.check_size(kSkipNodes);
  std::vector<std::string> names;
  names.reserve(kSkips.size());
  for (const std::uint32_t skip : kSkips) names.push_back(std::to_string(skip));
  Dataset data = classified(names);
  RandomSequence random(arguments.seed(), Purpose::kData);
  for (const std::size_t label : balanced_labels(arguments.graphs(), kSkips.size(), random)) {
    add_graph(data, renumbered(skip_graph(kSkips[label]), random), label);
  }
  return data;
}

Dataset make_2wl(const SyntheticArguments& arguments) {
  arguments.check_size(16);
  Dataset data = classified({"rook", "shrikhande"});
  RandomSequence random(arguments.seed(), Purpose::kData);
  for (const std::size_t label : balanced_labels(arguments.graphs(), 2, random)) {
    add_graph(data, renumbered(torus_graph(label == 0), random), label);
  }
  return data;
}

// A cell is the square between two neighbouring rungs. In a crossed one, the rungs a_i b_i and a_j b_j (j = i + 1)
// are replaced by a_i b_j and a_j b_i. Cells that share no rung can be crossed at the same time, nodes / 4 of them; the
// density is a share of these, so that 0.5 of 16 nodes are two cells, in both curves of the paper's figure. With
// less than ten nodes, a crossed ladder can be a ladder again.
Dataset make_ladder(const SyntheticArguments& arguments) {
  const std::uint32_t nodes = arguments.small("nodes");
  if (nodes % 2 != 0) arguments.fail(fmt::format("nodes = {} is odd", nodes), "a ladder has two nodes per rung");
  arguments.check_size(nodes);
  const std::uint32_t rungs = nodes / 2, most = rungs / 2;
  std::uint32_t cells = 0;
  if (arguments.given("cells")) {
    if (arguments.given("density")) arguments.fail("both density and cells are given", "leave one of them out");
    cells = arguments.small("cells");
    if (cells > most) {
      arguments.fail(fmt::format("{} crossed cells do not fit into {} nodes", cells, nodes),
                     fmt::format("there is room for {}", most));
    }
  } else {
    cells = static_cast<std::uint32_t>(std::floor(arguments.number("density") * rungs / 2));
    if (cells == 0) {
      arguments.fail(fmt::format("density = {} of {} nodes is less than one cell", arguments.word("density"), nodes),
                     fmt::format("a cell is a density of {:.6g}; or use cells=1", 2.0 / rungs));
    }
  }
  Dataset data = classified({"ladder", "crossed"});
  RandomSequence random(arguments.seed(), Purpose::kData);
  std::vector<std::uint8_t> marks;
  for (const std::size_t label : balanced_labels(arguments.graphs(), 2, random)) {
    const bool even = arguments.word("place") == "even";
    GraphParts parts = ladder_graph(
        rungs, label == 0 ? std::vector<std::uint32_t>{} : chosen_cells(rungs, cells, even, random), marks);
    add_graph(data, std::move(parts), label, {.marks = marks});
  }
  return data;
}

}  // namespace agentnet
