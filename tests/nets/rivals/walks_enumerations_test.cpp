// What CRaWl, GSN, CIN, HIMP and DGN find in a graph, against what their published code recorded and against plain
// searches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "agentnet/error.h"
#include "core/random.h"
#include "nets/cin/cells.h"
#include "nets/crawl/walks.h"
#include "nets/dgn/eigenvectors.h"
#include "nets/gsn/identifiers.h"
#include "nets/himp/junction_tree.h"
#include "nets/taped/cycles.h"
#include "support/rival_case.h"
#include "support/shared_dir.h"

namespace agentnet {
namespace {

using Set = std::vector<Index>;

SimpleGraph graph_of(Index nodes, const std::vector<std::pair<Index, Index>>& edges) {
  GraphParts parts;
  parts.num_nodes = static_cast<std::uint64_t>(nodes);
  parts.undirected = true;
  for (const auto& [u, v] : edges) {
    parts.from.push_back(static_cast<std::uint32_t>(u));
    parts.to.push_back(static_cast<std::uint32_t>(v));
  }
  return SimpleGraph(Graph(std::move(parts)).view());
}

SimpleGraph random_graph(Index nodes, double density, std::uint64_t seed) {
  RandomSequence random(seed, Purpose::kTest);
  std::vector<std::pair<Index, Index>> edges;
  for (Index u = 0; u < nodes; ++u) {
    for (Index v = u + 1; v < nodes; ++v) {
      if (random.uniform() < density) edges.emplace_back(u, v);
    }
  }
  return graph_of(nodes, edges);
}

SimpleGraph ring(Index nodes) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index v = 0; v < nodes; ++v) edges.emplace_back(v, (v + 1) % nodes);
  return graph_of(nodes, edges);
}

SimpleGraph complete(Index nodes) { return random_graph(nodes, 2, 1); }

// ---- cycles and cliques against a search that tries everything ----

// Every cycle once: from its smallest node, towards the smaller of its two neighbours on it.
void plain_cycles(const SimpleGraph& graph, std::size_t longest, std::vector<Index>& path, std::vector<Set>& found) {
  for (const Index w : graph.neighbours(path.back())) {
    if (w == path[0] && path.size() > 2 && path[1] < path.back()) found.push_back(path);
    if (w <= path[0] || path.size() == longest || std::find(path.begin(), path.end(), w) != path.end()) continue;
    path.push_back(w);
    plain_cycles(graph, longest, path, found);
    path.pop_back();
  }
}

bool has_chord(const SimpleGraph& graph, const Set& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    for (std::size_t j = i + 2; j < cycle.size(); ++j) {
      if ((i > 0 || j + 1 < cycle.size()) && graph.adjacent(cycle[i], cycle[j])) return true;
    }
  }
  return false;
}

// As it is read from its smallest node towards the smaller neighbour.
Set turned(std::span<const Index> cycle) {
  Set nodes(cycle.begin(), cycle.end());
  std::rotate(nodes.begin(), std::min_element(nodes.begin(), nodes.end()), nodes.end());
  if (nodes[1] > nodes.back()) std::reverse(nodes.begin() + 1, nodes.end());
  return nodes;
}

std::vector<Set> sorted(std::vector<Set> sets) {
  std::sort(sets.begin(), sets.end());
  return sets;
}

TEST(Cycles, AreThoseThatAPlainSearchFinds) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const SimpleGraph graph = random_graph(9, 0.15 + 0.02 * static_cast<double>(seed), seed);
    const int longest = 3 + static_cast<int>(seed % 7);
    std::vector<Set> all, without_chords;
    for (Index v = 0; v < graph.nodes(); ++v) {
      std::vector<Index> path = {v};
      plain_cycles(graph, static_cast<std::size_t>(longest), path, all);
    }
    for (const Set& cycle : all) {
      if (!has_chord(graph, cycle)) without_chords.push_back(cycle);
    }
    for (const bool induced : {false, true}) {
      std::vector<Set> found;
      EXPECT_TRUE(for_each_cycle(graph, longest, induced, kMostStructures,
                                 [&](std::span<const Index> cycle) { found.push_back(turned(cycle)); }));
      EXPECT_EQ(sorted(found), sorted(induced ? without_chords : all)) << seed << (induced ? " induced" : "");
    }
  }
}

// Entries of neighbour lists that are looked at per cycle that is found, with one more for every edge.
double work_per_cycle(const SimpleGraph& graph, int longest, bool induced) {
  std::uint64_t found = 0, looked = 0;
  EXPECT_TRUE(for_each_cycle(
      graph, longest, induced, kMostStructures, [&](std::span<const Index>) { ++found; }, &looked));
  return static_cast<double>(looked) / static_cast<double>(found + graph.entries());
}

// Twice the graph takes twice the work and not four times, hubs or not.
TEST(Cycles, TakeTimeInProportionToThemAndTheGraph) {
  using Edges = std::vector<std::pair<Index, Index>>;
  const auto star = [](Index n) {
    Edges edges;
    for (Index v = 1; v < n; ++v) edges.emplace_back(0, v);
    return graph_of(n, edges);
  };
  const auto windmill = [](Index n) {  // triangles with a common node
    Edges edges;
    for (Index t = 0; t < n; ++t) {
      for (const auto& [u, v] : Edges{{0, 2 * t + 1}, {0, 2 * t + 2}, {2 * t + 1, 2 * t + 2}}) edges.emplace_back(u, v);
    }
    return graph_of(2 * n + 1, edges);
  };
  const auto wheel = [](Index n) {
    Edges edges;
    for (Index v = 0; v < n; ++v) {
      edges.emplace_back(v, (v + 1) % n);
      edges.emplace_back(v, n);
    }
    return graph_of(n + 1, edges);
  };
  const auto ladder = [](Index n) {
    Edges edges;
    for (Index v = 0; v < n; ++v) {
      edges.emplace_back(v, v + n);
      if (v > 0) edges.insert(edges.end(), {{v - 1, v}, {v - 1 + n, v + n}});
    }
    return graph_of(2 * n, edges);
  };
  const auto paths_between_hubs = [](Index n) {
    Edges edges;
    for (Index v = 0; v < n; ++v) edges.insert(edges.end(), {{n, v}, {v, n + 1}});
    return graph_of(n + 2, edges);
  };
  const std::vector<std::function<SimpleGraph(Index)>> shapes = {star, windmill, wheel, ladder, paths_between_hubs};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (const bool induced : {false, true}) {
      const double once = work_per_cycle(shapes[i](60), 6, induced), more = work_per_cycle(shapes[i](480), 6, induced);
      EXPECT_LT(more, 1.3 * once + 1) << "shape " << i << (induced ? ", induced" : "");
    }
  }
}

TEST(Cycles, StopWhereThereAreTooMany) {
  int found = 0;
  EXPECT_FALSE(for_each_cycle(complete(7), 7, false, 50, [&](std::span<const Index>) { ++found; }));
  EXPECT_EQ(found, 50);
  EXPECT_FALSE(for_each_clique(complete(7), 7, 20, [](std::span<const Index>) {}));
}

TEST(Cliques, AreThoseThatAPlainSearchFinds) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SimpleGraph graph = random_graph(10, 0.3 + 0.03 * static_cast<double>(seed), seed);
    std::vector<Set> plain, found;
    for (unsigned mask = 0; mask < 1U << 10; ++mask) {
      Set nodes;
      for (Index v = 0; v < 10; ++v) {
        if ((mask >> v & 1U) != 0) nodes.push_back(v);
      }
      bool clique = nodes.size() >= 3 && nodes.size() <= 5;
      for (const Index u : nodes) {
        for (const Index v : nodes) clique = clique && (u == v || graph.adjacent(u, v));
      }
      if (clique) plain.push_back(nodes);
    }
    EXPECT_TRUE(for_each_clique(graph, 5, kMostStructures, [&](std::span<const Index> nodes) {
      found.emplace_back(nodes.begin(), nodes.end());
      std::sort(found.back().begin(), found.back().end());
    }));
    EXPECT_EQ(sorted(found), sorted(plain)) << seed;
  }
}

TEST(Structures, AreCountedPerNode) {
  // K4: 3 triangles and 3 four-cycles through each node, 1 clique of 4.
  const std::vector<std::int64_t> counts = count_structures(complete(4), {4, 4}, kMostStructures);
  const std::vector<std::int64_t> of_a_node = {3, 3, 3, 1};
  ASSERT_EQ(counts.size(), 16U);
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], of_a_node[i % 4]);
  EXPECT_TRUE(count_structures(complete(6), {6, 0}, 10).empty());
}

TEST(Structures, AreKnownByTheLargestValueThatIsNotAbove) {
  const CountValues values("cycle_values", {"0 2 7"}, 2);
  EXPECT_EQ(values.width(), 3U + 8U);
  EXPECT_EQ(values.place(0, 0), 0U);
  EXPECT_EQ(values.place(0, 6), 1U);
  EXPECT_EQ(values.place(0, 100), 2U);
  EXPECT_EQ(values.place(0, -1), 3U);  // none
  for (const char* bad : {"", "1 1", "2 1", "x", "1,2", "99999999999999999999"}) {
    EXPECT_THROW(CountValues("cycle_values", {bad}, 1), Error) << bad;
  }
}

// ---- junction trees ----

TEST(Rings, AreTheSmallest) {
  const auto lengths = [](const SimpleGraph& graph) {
    std::vector<std::size_t> all;
    for (const Set& found : smallest_rings(graph)) all.push_back(found.size());
    return all;
  };
  EXPECT_EQ(lengths(ring(6)), (std::vector<std::size_t>{6}));
  EXPECT_EQ(lengths(complete(4)), (std::vector<std::size_t>{3, 3, 3}));
  const SimpleGraph cube =
      graph_of(8, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}});
  EXPECT_EQ(lengths(cube), (std::vector<std::size_t>(5, 4)));
  EXPECT_TRUE(lengths(graph_of(4, {{0, 1}, {1, 2}, {1, 3}})).empty());
  EXPECT_THROW(static_cast<void>(smallest_rings(complete(120))), Error);
}

TEST(JunctionTrees, HaveRingsBondsBridgesAndAtomsWhereTheyMeet) {
  // Two rings of 6 with a common bond, and a chain.
  const SimpleGraph naphthalene =
      graph_of(11, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}, {5, 6}, {6, 7}, {7, 8}, {8, 9}, {9, 4}, {9, 10}});
  const JunctionTree tree = junction_tree(naphthalene);
  EXPECT_EQ(tree.types, (std::vector<CliqueType>{CliqueType::kRing, CliqueType::kRing, CliqueType::kBond}));
  EXPECT_EQ(tree.edges.size(), 2U);

  // Norbornane: two rings of 5 that share three atoms.
  const JunctionTree bridged =
      junction_tree(graph_of(7, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}, {0, 6}, {6, 3}}));
  EXPECT_EQ(bridged.types, (std::vector<CliqueType>{CliqueType::kBridged}));
  EXPECT_EQ(bridged.cliques[0].size(), 7U);

  // Three bonds at one atom.
  const JunctionTree star = junction_tree(graph_of(4, {{0, 1}, {0, 2}, {0, 3}}));
  EXPECT_EQ(star.types.back(), CliqueType::kSingle);
  EXPECT_EQ(star.edges.size(), 3U);
  EXPECT_TRUE(junction_tree(graph_of(2, {})).cliques.empty());
}

// ---- eigenvectors ----

double largest_residual(const SimpleGraph& graph, const std::vector<double>& vectors, std::size_t columns) {
  const auto n = static_cast<std::size_t>(graph.nodes());
  double worst = 0, before = -1e-9;
  for (std::size_t k = 0; k < columns; ++k) {
    std::vector<double> x(n), y(n);
    double value = 0, length = 0;
    for (std::size_t i = 0; i < n; ++i) x[i] = vectors[i * columns + k];
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = static_cast<double>(graph.degree(static_cast<Index>(i))) * x[i];
      for (const Index u : graph.neighbours(static_cast<Index>(i))) y[i] -= x[static_cast<std::size_t>(u)];
      value += x[i] * y[i];
      length += x[i] * x[i];
    }
    worst = std::max(worst, std::abs(length - 1));
    for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(y[i] - value * x[i]));
    EXPECT_GE(value, before - 1e-6);
    before = value;
  }
  return worst;
}

TEST(Eigenvectors, AreThoseOfTheLaplacian) {
  for (const SimpleGraph& graph : {ring(12), complete(6), random_graph(30, 0.15, 4), random_graph(128, 0.03, 5),
                                   graph_of(7, {{0, 1}, {1, 2}, {3, 4}})}) {
    EXPECT_LT(largest_residual(graph, laplacian_eigenvectors(graph, 4), 4), 1e-8) << graph.nodes();
  }
  const SimpleGraph path = graph_of(4, {{0, 1}, {1, 2}, {2, 3}});
  const std::vector<double> vectors = laplacian_eigenvectors(path, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    const double expected = std::cos(M_PI * (static_cast<double>(i) + 0.5) / 4) / std::sqrt(2);
    EXPECT_NEAR(vectors[2 * i + 1], expected, 1e-12);
  }
}

TEST(Eigenvectors, OfSmallAndOfLargeGraphs) {
  EXPECT_EQ(laplacian_eigenvectors(graph_of(1, {}), 3), (std::vector<double>{1, 0, 0}));
  EXPECT_LT(largest_residual(random_graph(400, 0.02, 6), laplacian_eigenvectors(random_graph(400, 0.02, 6), 3), 3),
            0.05);
}

// ---- walks ----

TEST(Walks, TurnBackOnlyAtDeadEnds) {
  // A ring with a tail.
  const std::vector<std::int64_t> offsets = {0, 2, 4, 7, 9, 10};
  const std::vector<Index> targets = {1, 2, 0, 2, 0, 1, 3, 2, 4, 3};
  const WalkTerrain terrain{offsets, targets};
  const std::vector<Index> starts = all_starts(terrain);
  constexpr Index kLength = 40;
  RandomSequence random(3, Purpose::kTest);
  bool turned_back = false;
  for (const WalkMode mode : {WalkMode::kNonBacktracking, WalkMode::kUniform}) {
    std::vector<Index> nodes(starts.size() * kLength), edges(starts.size() * (kLength - 1));
    take_walks(
        terrain, starts, kLength, mode, [&](Index, Index) { return random.next_u64() >> 1U; }, nodes.data(),
        edges.data());
    for (std::size_t j = 0; j < starts.size(); ++j) {
      for (std::size_t i = 0; i + 1 < kLength; ++i) {
        const std::size_t at = j * kLength + i;
        EXPECT_TRUE(terrain.adjacent(nodes[at], nodes[at + 1]));
        EXPECT_EQ(targets[static_cast<std::size_t>(edges[j * (kLength - 1) + i])], nodes[at + 1]);
        const bool back = i > 0 && nodes[at + 1] == nodes[at - 1];
        if (mode == WalkMode::kUniform) {
          turned_back = turned_back || (back && nodes[at] != 4);
        } else {
          EXPECT_EQ(back, i > 0 && nodes[at] == 4);
        }
      }
    }
  }
  EXPECT_TRUE(turned_back);
}

// ---- recorded cases ----

std::vector<std::filesystem::path> files_of(std::initializer_list<const char*> prefixes) {
  std::vector<std::filesystem::path> files;
  if (const auto all = rival_files()) {
    for (const auto& file : *all) {
      for (const char* prefix : prefixes) {
        if (file.filename().string().starts_with(prefix)) files.push_back(file);
      }
    }
  }
  return files;
}

// Of the whole batch; row 0 of edge_index is where a walk stands.
struct BatchTerrain {
  std::vector<std::int64_t> offsets{0};
  std::vector<Index> targets;
  std::vector<std::int64_t> first{0};  // node of each graph

  explicit BatchTerrain(const RivalCase& rival) {
    for (const Graph& graph : rival.graphs) {
      const GraphView view = graph.view();
      for (std::uint64_t v = 0; v < view.num_nodes; ++v) {
        for (const std::uint32_t u : view.neighbours_of(v)) targets.push_back(static_cast<Index>(first.back() + u));
        offsets.push_back(static_cast<std::int64_t>(targets.size()));
      }
      first.push_back(first.back() + static_cast<std::int64_t>(view.num_nodes));
    }
  }
};

class RecordedWalks : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(RecordedWalks, AreTakenAgain) {
  const RivalCase rival = load_rival_case(GetParam());
  const BatchTerrain batch(rival);
  const WalkTerrain terrain{batch.offsets, batch.targets};
  const auto option = [&](const char* key, int otherwise) {
    const auto found = rival.options.find(key);
    return found == rival.options.end() || found->is_null() ? otherwise : found->get<int>();
  };
  const auto mode =
      rival.option<std::string>("walk_mode") == "uniform" ? WalkMode::kUniform : WalkMode::kNonBacktracking;
  const auto ratio = rival.option<double>("walk_start_p");
  for (const std::string when : {"", "eval."}) {
    const RivalIntegers& choices = rival.integers("rng." + when + "choices");
    const RivalIntegers& recorded = rival.integers("walk." + when + "nodes");
    const auto nodes_in_batch = static_cast<double>(batch.offsets.size() - 1);
    const std::vector<Index> starts =
        when.empty() && ratio < 1
            ? published_starts(terrain, batch.first, static_cast<std::size_t>(std::ceil(ratio * nodes_in_batch)),
                               rival.integers("rng.start_perm").values, rival.integers("rng.start_node_draw").values)
            : all_starts(terrain);
    const auto length = static_cast<Index>(choices.extent(0)) + 1;
    std::vector<Index> nodes(starts.size() * static_cast<std::size_t>(length));
    std::vector<Index> edges(starts.size() * static_cast<std::size_t>(length - 1));
    take_walks(
        terrain, starts, length, mode,
        [&](Index walk, Index step) {
          return static_cast<std::uint64_t>(
              choices.values.at(static_cast<std::size_t>(step) * choices.extent(1) + static_cast<std::size_t>(walk)));
        },
        nodes.data(), edges.data());
    EXPECT_EQ(std::vector<std::int64_t>(nodes.begin(), nodes.end()), recorded.values);
    EXPECT_EQ(std::vector<std::int64_t>(edges.begin(), edges.end()), rival.integers("walk." + when + "edges").values);
    if (!when.empty()) continue;
    const WindowColumns columns{.size = option("win_size", 8),
                                .identity = option("compute_id_feat", 1) != 0,
                                .adjacency = option("compute_adj_feat", 1) != 0};
    std::vector<double> window(nodes.size() * static_cast<std::size_t>(columns.count()));
    window_features(terrain, nodes, length, columns, window.data());
    // The file has [w, columns, l].
    const RivalIntegers& features = rival.integers("walk.x");
    ASSERT_EQ(features.values.size(), window.size());
    const std::size_t l = static_cast<std::size_t>(length), width = static_cast<std::size_t>(columns.count());
    for (std::size_t i = 0; i < window.size(); ++i) {
      const std::size_t walk = i / (l * width), position = i / width % l, column = i % width;
      EXPECT_EQ(static_cast<double>(features.values[(walk * width + column) * l + position]), window[i]) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, RecordedWalks, testing::ValuesIn(files_of({"crawl"})),
                         [](const auto& file) { return file.param.stem().string(); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RecordedWalks);

class RecordedCounts : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(RecordedCounts, AreCountedAgain) {
  const RivalCase rival = load_rival_case(GetParam());
  std::vector<std::int64_t> counts;
  for (const Graph& graph : rival.graphs) {
    const auto found =
        count_structures(SimpleGraph(graph.view()), {rival.option<int>("max_cycle"), 0}, kMostStructures);
    counts.insert(counts.end(), found.begin(), found.end());
  }
  EXPECT_EQ(counts, rival.integers("graph.cycle_counts").values);
}

INSTANTIATE_TEST_SUITE_P(Recorded, RecordedCounts, testing::ValuesIn(files_of({"gsn"})),
                         [](const auto& file) { return file.param.stem().string(); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RecordedCounts);

// The boundaries of cells, in any order of the cells: columns (boundary cell, cell).
std::vector<Set> boundaries(const RivalIntegers& index) {
  std::map<std::int64_t, Set> cells;
  for (std::size_t i = 0; i < index.extent(1); ++i) {
    cells[index.values[index.extent(1) + i]].push_back(static_cast<Index>(index.values[i]));
  }
  std::vector<Set> sets;
  for (auto& [cell, boundary] : cells) {
    std::sort(boundary.begin(), boundary.end());
    sets.push_back(std::move(boundary));
  }
  return sets;
}

class RecordedCells : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(RecordedCells, AreFoundAgain) {
  const RivalCase rival = load_rival_case(GetParam());
  std::vector<Set> edges, rings;
  Index first_node = 0;
  for (const Graph& graph : rival.graphs) {
    const CellComplex cells = find_cells(SimpleGraph(graph.view()), rival.option<int>("max_ring_size"));
    const auto first_edge = static_cast<Index>(edges.size());
    for (std::size_t e = 0; e < cells.edges.size(); e += 2) {
      edges.push_back({first_node + cells.edges[e], first_node + cells.edges[e + 1]});
    }
    for (std::size_t r = 0; r + 1 < cells.rings.size(); ++r) {
      Set& found = rings.emplace_back();
      for (std::size_t i = cells.rings[r]; i < cells.rings[r + 1]; ++i)
        found.push_back(first_edge + cells.ring_edges[i]);
    }
    first_node += static_cast<Index>(graph.num_nodes());
  }
  EXPECT_EQ(edges, boundaries(rival.integers("cell1.boundary_index")));
  EXPECT_EQ(sorted(rings), sorted(boundaries(rival.integers("cell2.boundary_index"))));
}

INSTANTIATE_TEST_SUITE_P(Recorded, RecordedCells, testing::ValuesIn(files_of({"cin"})),
                         [](const auto& file) { return file.param.stem().string(); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RecordedCells);

class RecordedTrees : public testing::TestWithParam<std::filesystem::path> {};

// RDKit's rings are one of several smallest sets, so that cliques are compared by number and type, not by atoms.
TEST_P(RecordedTrees, HaveAsManyRingsAndBonds) {
  const RivalCase rival = load_rival_case(GetParam());
  const RivalIntegers &types = rival.integers("tree.x_clique"), &counts = rival.integers("tree.num_cliques");
  std::size_t at = 0, edges = 0;
  for (std::size_t g = 0; g < rival.graphs.size(); ++g) {
    const JunctionTree tree = junction_tree(SimpleGraph(rival.graphs[g].view()));
    std::vector<std::int64_t> ours, theirs;
    for (const CliqueType type : tree.types) ours.push_back(static_cast<std::int64_t>(type));
    for (std::int64_t c = 0; c < counts.values[g]; ++c) theirs.push_back(types.values.at(at++));
    EXPECT_THAT(ours, testing::UnorderedElementsAreArray(theirs)) << g;
    edges += 2 * tree.edges.size();
  }
  EXPECT_EQ(edges, rival.integers("tree.edge_index").extent(1));
}

INSTANTIATE_TEST_SUITE_P(Recorded, RecordedTrees, testing::ValuesIn(files_of({"himp_01", "himp_02"})),
                         [](const auto& file) { return file.param.stem().string(); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RecordedTrees);

}  // namespace
}  // namespace agentnet
