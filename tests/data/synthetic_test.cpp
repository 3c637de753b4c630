#include "data/synthetic/synthetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "agentnet/error.h"
#include "core/files/checksum.h"

namespace agentnet {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// A graph as a matrix: plain, and with none of the makers' code.
struct Plain {
  explicit Plain(std::size_t n) : joined(n, std::vector<char>(n, 0)), feature(n, 0) {}
  explicit Plain(const GraphView& view) : Plain(view.num_nodes) {
    for (std::uint64_t u = 0; u < view.num_nodes; ++u) {
      for (const std::uint32_t v : view.neighbours_of(u)) joined[u][v] = 1;
      if (view.node_categories.width > 0) feature[u] = view.node_categories.row(u)[0];
    }
  }
  void add(std::size_t u, std::size_t v) { joined[u][v] = joined[v][u] = 1; }
  [[nodiscard]] std::size_t size() const { return joined.size(); }
  [[nodiscard]] std::size_t degree(std::size_t u) const { return std::ranges::count(joined[u], 1); }
  [[nodiscard]] std::size_t edges() const {
    std::size_t twice = 0;
    for (std::size_t u = 0; u < size(); ++u) twice += degree(u);
    return twice / 2;
  }

  std::vector<std::vector<char>> joined;
  std::vector<std::int32_t> feature;
};

// Number of ways in which the edges of `pattern` lie in `graph`, up to `limit`; nodes keep their features.
struct Embeddings {
  const Plain& pattern;
  const Plain& graph;
  std::size_t limit;
  std::size_t found = 0;
  std::vector<std::size_t> image = {};

  std::size_t count() {
    extend();
    return found;
  }
  void extend() {
    const std::size_t next = image.size();
    if (next == pattern.size()) {
      ++found;
      return;
    }
    for (std::size_t u = 0; u < graph.size() && found < limit; ++u) {
      if (std::ranges::find(image, u) != image.end() || pattern.feature[next] != graph.feature[u]) continue;
      bool fits = true;
      for (std::size_t before = 0; before < next && fits; ++before) {
        fits = pattern.joined[before][next] == 0 || graph.joined[image[before]][u] == 1;
      }
      if (!fits) continue;
      image.push_back(u);
      extend();
      image.pop_back();
    }
  }
};

// Node numbers of `a` so that, where possible, each is next to an earlier one: makes the search short.
Plain walked(const Plain& a) {
  std::vector<std::size_t> order;
  for (std::size_t start = 0; start < a.size(); ++start) {
    if (std::ranges::find(order, start) == order.end()) order.push_back(start);
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t v = 0; v < a.size(); ++v) {
        if (a.joined[order[i]][v] == 1 && std::ranges::find(order, v) == order.end()) order.push_back(v);
      }
    }
  }
  Plain result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    result.feature[i] = a.feature[order[i]];
    for (std::size_t j = 0; j < a.size(); ++j) result.joined[i][j] = a.joined[order[i]][order[j]];
  }
  return result;
}

bool isomorphic(const Plain& a, const Plain& b) {
  if (a.size() != b.size() || a.edges() != b.edges()) return false;
  const Plain pattern = walked(a);
  return Embeddings{pattern, b, 1}.count() == 1;
}

std::size_t count_in(const Plain& pattern, const Plain& graph) {
  const Plain start = walked(pattern);
  return Embeddings{start, graph, 1'000'000}.count() / Embeddings{start, start, 1'000'000}.count();
}

Plain cycle(std::size_t n) {
  Plain graph(n);
  for (std::size_t i = 0; i < n; ++i) graph.add(i, (i + 1) % n);
  return graph;
}

std::vector<std::size_t> degrees(const Plain& graph) {
  std::vector<std::size_t> all;
  for (std::size_t u = 0; u < graph.size(); ++u) all.push_back(graph.degree(u));
  return all;
}

// Numbers of nodes, in ascending order.
std::vector<std::size_t> component_sizes(const Plain& graph) {
  std::vector<char> seen(graph.size(), 0);
  std::vector<std::size_t> sizes;
  for (std::size_t start = 0; start < graph.size(); ++start) {
    if (seen[start] != 0) continue;
    std::vector<std::size_t> open = {start};
    seen[start] = 1;
    std::size_t size = 0;
    for (; !open.empty(); ++size) {
      const std::size_t u = open.back();
      open.pop_back();
      for (std::size_t v = 0; v < graph.size(); ++v) {
        if (graph.joined[u][v] == 0 || seen[v] != 0) continue;
        seen[v] = 1;
        open.push_back(v);
      }
    }
    sizes.push_back(size);
  }
  std::ranges::sort(sizes);
  return sizes;
}

std::size_t components(const Plain& graph) { return component_sizes(graph).size(); }

std::size_t label(const Dataset& data, std::size_t i) { return static_cast<std::size_t>(data.graphs.targets(i)[0]); }

// One graph of each class.
std::vector<Plain> one_of_each(const Dataset& data) {
  std::vector<Plain> graphs;
  for (std::size_t wanted = 0; wanted < data.schema.classes.size(); ++wanted) {
    for (std::size_t i = 0; graphs.size() == wanted; ++i) {
      if (label(data, i) == wanted) graphs.emplace_back(data.graphs.view(i));
    }
  }
  return graphs;
}

// What the graphs of a set are, bit for bit.
std::string fingerprint(const Dataset& data) {
  Checksum sum;
  for (std::size_t i = 0; i < data.graphs.size(); ++i) {
    const GraphView view = data.graphs.view(i);
    sum.update(std::as_bytes(std::span(view.offsets, view.num_nodes + 1)));
    sum.update(std::as_bytes(std::span(view.neighbours, view.num_edges())));
    sum.update(std::as_bytes(data.graphs.targets(i)));
    sum.update(std::as_bytes(data.graphs.notes(i).marks));
    for (std::uint64_t u = 0; view.node_categories.width > 0 && u < view.num_nodes; ++u) {
      sum.update(std::as_bytes(view.node_categories.row(u)));
    }
  }
  return sum.hex();
}

void expect_usage_error(const std::string& spec, const std::string& message, const std::string& hint) {
  try {
    static_cast<void>(make_synthetic(spec));
    ADD_FAILURE() << spec << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), message);
    EXPECT_THAT(error.hint(), HasSubstr(hint)) << spec;
  }
}

TEST(Synthetic, EverySetIsLabelledBalancedAndSetByItsSeed) {
  for (const SyntheticHelp& set : synthetic_sets()) {
    SCOPED_TRACE(set.name);
    const std::string spec = "synthetic:" + set.name + "?graphs=21&seed=";
    const Dataset data = make_synthetic(spec + "5");
    EXPECT_EQ(data.source, spec + "5");
    EXPECT_EQ(data.format, "synthetic");
    ASSERT_EQ(data.graphs.size(), 21u);
    if (set.name == "triangle-density") {
      EXPECT_EQ(data.schema.task, Task::kRegression);
      EXPECT_THAT(data.schema.targets, ElementsAre("clustering"));
    } else {
      EXPECT_EQ(data.schema.task, Task::kClassification);
      EXPECT_THAT(data.schema.targets, ElementsAre("class"));
      std::vector<std::size_t> counts(data.schema.classes.size());
      for (std::size_t i = 0; i < 21; ++i) ++counts.at(label(data, i));
      EXPECT_LE(*std::ranges::max_element(counts) - *std::ranges::min_element(counts), 1u);
    }

    const GraphView view = data.graphs.view(0);
    EXPECT_EQ(data.schema.nodes.dense.size(), static_cast<std::size_t>(view.node_dense.width));
    EXPECT_EQ(data.schema.nodes.categories.size(), static_cast<std::size_t>(view.node_categories.width));
    EXPECT_EQ(view.node_dense.width + view.node_categories.width, 1);
    if (view.node_dense.width == 1) {
      EXPECT_THAT(data.schema.nodes.dense, ElementsAre("constant"));
      EXPECT_THAT(std::vector<float>(view.node_dense.f32, view.node_dense.f32 + view.num_nodes), Each(1.0F));
    } else {
      for (std::uint64_t u = 0; u < view.num_nodes; ++u) {
        EXPECT_LT(view.node_categories.row(u)[0], static_cast<int>(data.schema.nodes.categories[0].values.size()));
      }
    }
    EXPECT_EQ(fingerprint(data), fingerprint(make_synthetic(spec + "5")));
    EXPECT_NE(fingerprint(data), fingerprint(make_synthetic(spec + "6")));
  }
}

TEST(Synthetic, DefaultsAreWithinTheirRanges) {
  for (const SyntheticHelp& set : synthetic_sets()) {
    std::string spec = "synthetic:" + set.name + "?";
    for (const SyntheticParameter& parameter : set.parameters) {
      EXPECT_FALSE(parameter.help.empty());
      if (parameter.fallback.empty() || parameter.name == "depth" || parameter.name == "graphs") continue;
      spec += parameter.name + "=" + parameter.fallback + "&";
    }
    EXPECT_EQ(make_synthetic(spec + "graphs=4").graphs.size(), 4u) << spec;
  }
}

TEST(Synthetic, FourCyclesKeepTheirBytes) {
  Dataset data;
  data.graphs = four_cycles(100, 7);
  EXPECT_EQ(fingerprint(data), "054025b8b19ee2be3b82381f4ffb0465");
  EXPECT_EQ(fingerprint(make_synthetic("synthetic:4cycles?graphs=100&seed=7")), fingerprint(data));
}

TEST(Synthetic, FourCycleIsThereIfTheClassSaysSo) {
  const Dataset data = make_synthetic("synthetic:4cycles?graphs=60");
  EXPECT_THAT(data.schema.classes, ElementsAre("no 4-cycle", "4-cycle"));
  for (std::size_t i = 0; i < data.graphs.size(); ++i) {
    const Plain graph(data.graphs.view(i));
    EXPECT_EQ(graph.size(), 16u);
    EXPECT_THAT(degrees(graph), Each(2));
    EXPECT_EQ(count_in(cycle(4), graph) > 0, label(data, i) == 1);
  }
}

TEST(Synthetic, SkipLinksAreTheCirculantGraphsOfTheirClasses) {
  const Dataset data = make_synthetic("synthetic:csl?graphs=20");
  EXPECT_THAT(data.schema.classes, ElementsAre("2", "3", "4", "5", "6", "9", "11", "12", "13", "16"));
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < data.graphs.size(); ++i) {
    const Plain graph(data.graphs.view(i));
    EXPECT_THAT(degrees(graph), Each(4));
    Plain expected = cycle(41);
    const auto skip = static_cast<std::size_t>(std::stoi(data.schema.classes[label(data, i)]));
    for (std::size_t u = 0; u < 41; ++u) expected.add(u, (u + skip) % 41);
    EXPECT_TRUE(isomorphic(graph, expected));
    seen.insert(label(data, i));
  }
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_EQ(make_synthetic("synthetic:csl").graphs.size(), 150u);
}

TEST(Synthetic, RookHasCliquesOfFourAndShrikhandeHasNone) {
  Plain clique(4);
  for (std::size_t u = 0; u < 4; ++u) {
    for (std::size_t v = u + 1; v < 4; ++v) clique.add(u, v);
  }
  const Dataset data = make_synthetic("synthetic:2wl?graphs=10");
  EXPECT_THAT(data.schema.classes, ElementsAre("rook", "shrikhande"));
  for (std::size_t i = 0; i < data.graphs.size(); ++i) {
    const Plain graph(data.graphs.view(i));
    EXPECT_THAT(degrees(graph), Each(6));
    for (std::size_t u = 0; u < 16; ++u) {
      for (std::size_t v = 0; v < u; ++v) {
        std::size_t both = 0;
        for (std::size_t w = 0; w < 16; ++w) both += graph.joined[u][w] == 1 && graph.joined[v][w] == 1;
        EXPECT_EQ(both, 2u);
      }
    }
    EXPECT_EQ(count_in(clique, graph), label(data, i) == 0 ? 8u : 0u);  // four rows, four columns
  }
}

// Nodes 0 .. n / 2 - 1 are one side. Checks all but the rungs, and counts the crosses among these.
std::size_t crossed_cells(const Plain& graph) {
  const std::size_t rungs = graph.size() / 2;
  std::size_t crosses = 0;
  for (std::size_t i = 0; i < rungs; ++i) {
    const std::size_t j = (i + 1) % rungs;
    EXPECT_TRUE(graph.joined[i][j] == 1 && graph.joined[rungs + i][rungs + j] == 1);
    if (graph.joined[i][rungs + j] == 1 && graph.joined[j][rungs + i] == 1) {
      EXPECT_TRUE(graph.joined[i][rungs + i] == 0 && graph.joined[j][rungs + j] == 0);
      ++crosses;
    }
  }
  return crosses;
}

TEST(Synthetic, LadderHasAsManyCrossesAsAskedFor) {
  const std::vector<std::pair<std::string, std::size_t>> cases = {
      {"", 2},                                   // 16 nodes, density 0.5
      {"nodes=64&density=0.5", 8},               // of 16 cells that fit side by side
      {"nodes=64&density=0.5&place=random", 8},  //
      {"nodes=64&cells=2", 2},                   //
      {"nodes=10&cells=1&place=random", 1},      //
      {"nodes=22&density=1&place=random", 5},    // 11 rungs: one is left over
      {"nodes=1024&density=0.1&graphs=4", 25}};
  for (const auto& [text, crosses] : cases) {
    SCOPED_TRACE(text);
    const Dataset data = make_synthetic("synthetic:ladder?graphs=8&" + text.substr(0, text.find("&graphs")));
    EXPECT_THAT(data.schema.classes, ElementsAre("ladder", "crossed"));
    for (std::size_t i = 0; i < data.graphs.size(); ++i) {
      const Plain graph(data.graphs.view(i));
      EXPECT_THAT(degrees(graph), Each(3));
      EXPECT_EQ(crossed_cells(graph), label(data, i) == 1 ? crosses : 0);
      const auto marks = data.graphs.notes(i).marks;
      ASSERT_EQ(marks.size(), graph.size());
      for (std::size_t u = 0; u < marks.size(); ++u) {
        const std::size_t opposite = (u + graph.size() / 2) % graph.size();
        EXPECT_EQ(marks[u] == 1, graph.joined[u][opposite] == 0) << u;
      }
    }
  }
}

TEST(Synthetic, SmallestCrossedLaddersAreNoLadders) {
  for (const char* text : {"nodes=10&cells=1", "nodes=10&cells=2", "nodes=12&cells=3", "nodes=16&cells=4"}) {
    const auto graphs = one_of_each(make_synthetic(std::string("synthetic:ladder?graphs=2&") + text));
    EXPECT_FALSE(isomorphic(graphs[0], graphs[1])) << text;
  }
}

TEST(Synthetic, RandomPlacesOfCrossesDifferAndEvenOnesDoNot) {
  const auto kinds = [](const char* place) {
    const Dataset data = make_synthetic(std::string("synthetic:ladder?nodes=32&cells=2&graphs=20&place=") + place);
    std::set<std::vector<int>> marks;
    for (std::size_t i = 0; i < 20; ++i) {
      const auto of = data.graphs.notes(i).marks;
      if (label(data, i) == 1) marks.emplace(of.begin(), of.end());
    }
    return marks.size();
  };
  EXPECT_EQ(kinds("even"), 1u);
  EXPECT_GT(kinds("random"), 5u);
}

Plain motif_named(const std::string& name) {
  if (name.starts_with("cycle")) return cycle(static_cast<std::size_t>(name.back() - '0'));
  if (name == "triangle") return cycle(3);
  if (name == "house") {
    Plain house(5);
    for (std::size_t i = 0; i < 5; ++i) house.add(i, (i + 1) % 5);
    house.add(1, 4);
    return house;
  }
  Plain graph = cycle(4);
  graph.add(0, 2);
  if (name == "clique4") graph.add(1, 3);
  return graph;
}

TEST(Synthetic, MotifIsPlantedOnceOnTheMarkedNodesOrNowhere) {
  for (const char* name : {"house", "triangle", "diamond", "clique4", "cycle4", "cycle5", "cycle6"}) {
    SCOPED_TRACE(name);
    const Plain motif = motif_named(name);
    const Dataset data = make_synthetic(std::string("synthetic:motif?graphs=30&nodes=32&motif=") + name);
    EXPECT_THAT(data.schema.classes, ElementsAre("without", "with"));
    for (std::size_t i = 0; i < data.graphs.size(); ++i) {
      const Plain graph(data.graphs.view(i));
      EXPECT_EQ(count_in(motif, graph), label(data, i));
      EXPECT_EQ(components(graph), 1u);
      EXPECT_GE(graph.size(), 24u);
      EXPECT_LE(graph.size(), 40u);
      std::vector<std::size_t> marked;
      const auto marks = data.graphs.notes(i).marks;
      ASSERT_EQ(marks.size(), graph.size());
      for (std::size_t u = 0; u < marks.size(); ++u) {
        if (marks[u] == 1) marked.push_back(u);
      }
      ASSERT_EQ(marked.size(), label(data, i) == 1 ? motif.size() : 0);
      Plain inside(marked.size());
      for (std::size_t a = 0; a < marked.size(); ++a) {
        for (std::size_t b = 0; b < marked.size(); ++b) inside.joined[a][b] = graph.joined[marked[a]][marked[b]];
      }
      if (!marked.empty()) {
        EXPECT_EQ(count_in(motif, inside), 1u);
      }
    }
  }
}

TEST(Synthetic, NodesEdgesAndDegreesGiveNothingAwayAboutTheMotif) {
  const Dataset data = make_synthetic("synthetic:motif?graphs=2000&nodes=40&degree=3");
  double nodes[2] = {}, squares[2] = {};
  for (std::size_t i = 0; i < data.graphs.size(); ++i) {
    const GraphView view = data.graphs.view(i);
    EXPECT_EQ(view.num_edges(),
              2 * static_cast<std::uint64_t>(std::llround(1.5 * static_cast<double>(view.num_nodes))));
    nodes[label(data, i)] += static_cast<double>(view.num_nodes) / 1000;
    for (std::uint64_t u = 0; u < view.num_nodes; ++u) {
      squares[label(data, i)] += static_cast<double>(view.degree(u) * view.degree(u)) / 40'000;
    }
  }
  // Standard errors: 5.9 * sqrt(2 / 1000) = 0.26 nodes; measured 0.1 for the mean square of degrees.
  EXPECT_NEAR(nodes[0], nodes[1], 1.1);
  EXPECT_NEAR(squares[0], squares[1], 0.5);
}

std::map<std::int32_t, std::size_t> feature_counts(const Plain& graph) {
  std::map<std::int32_t, std::size_t> counts;
  for (const std::int32_t f : graph.feature) ++counts[f];
  return counts;
}

// Nodes of feature `below` that have a neighbour of feature 1: leaves of first trees with a second tree.
std::size_t second_trees(const Plain& graph, std::int32_t below) {
  std::size_t count = 0;
  for (std::size_t u = 0; u < graph.size(); ++u) {
    for (std::size_t v = 0; graph.feature[u] == below && v < graph.size(); ++v) {
      count += graph.joined[u][v] == 1 && graph.feature[v] == 1;
    }
  }
  return count;
}

TEST(Synthetic, OneWayTreesHaveTheSizesOfTheTheorem) {
  const Dataset data = make_synthetic("synthetic:trees?branching=3&h1=3&h2=2&trees=5&graphs=2");
  EXPECT_THAT(data.schema.nodes.categories[0].values, ElementsAre("0", "1", "2", "3"));
  const auto graphs = one_of_each(data);
  ASSERT_EQ(graphs[0].size(), 1u + 5 * (1 + 3 + 9) + 5 * (1 + 3));
  ASSERT_EQ(graphs[1].size(), 1u + 5 * (1 + 3 + 9) + 1 * (1 + 3));
  EXPECT_EQ(second_trees(graphs[0], 3), 5u);
  EXPECT_EQ(second_trees(graphs[1], 3), 1u);
  for (const Plain& graph : graphs) {
    EXPECT_EQ(components(graph), 1u);
    EXPECT_EQ(graph.edges(), graph.size() - 1);  // a tree
    EXPECT_EQ(feature_counts(graph)[0], 1u);
    for (std::size_t u = 0; u < graph.size(); ++u) {
      // Within a tree there is one neighbour above, except for roots, which hang on a 0 or on a leaf of level 3.
      std::size_t above = 0;
      for (std::size_t v = 0; v < graph.size(); ++v) {
        above += graph.joined[u][v] == 1 &&
                 (graph.feature[v] == graph.feature[u] - 1 || (graph.feature[u] == 1 && graph.feature[v] == 3));
      }
      EXPECT_EQ(above, graph.feature[u] == 0 ? 0u : 1u);
    }
  }
}

TEST(Synthetic, OneWayTreesOfEqualSizeDifferOnlyInWhereTheSecondTreesAre) {
  const auto graphs = one_of_each(make_synthetic("synthetic:trees?h1=2&h2=3&trees=3&size=equal&graphs=2"));
  EXPECT_EQ(graphs[0].size(), 3u * (1 + 3 * 3) + 3 * 7);
  EXPECT_EQ(graphs[1].size(), graphs[0].size());
  EXPECT_EQ(feature_counts(graphs[1]), feature_counts(graphs[0]));
  EXPECT_EQ(graphs[1].edges(), graphs[0].edges());
  EXPECT_THAT(component_sizes(graphs[0]), ElementsAre(17, 17, 17));  // a second tree of 7 in each
  EXPECT_THAT(component_sizes(graphs[1]), ElementsAre(10, 10, 31));  // all in one
}

TEST(Synthetic, TriangleIsThePairOfThePapersFigure) {
  const auto graphs = one_of_each(make_synthetic("synthetic:triangle?graphs=2"));
  Plain g1(5), g2(7);
  for (std::size_t i = 1; i <= 3; ++i) g1.add(0, i), g2.add(0, i), g2.add(i, i + 3);
  g1.add(1, 2), g1.add(3, 4);
  EXPECT_TRUE(isomorphic(graphs[0], g1));
  EXPECT_TRUE(isomorphic(graphs[1], g2));

  const auto larger = one_of_each(make_synthetic("synthetic:triangle?graphs=2&degree=4&radius=3"));
  EXPECT_EQ(larger[0].size(), 1u + 2 * 3 + 2 * 4);
  EXPECT_EQ(larger[1].size(), 1u + 4 * 4);
  EXPECT_EQ(count_in(cycle(7), larger[0]), 1u);
  EXPECT_EQ(larger[0].edges(), larger[0].size());
  EXPECT_EQ(larger[1].edges(), larger[1].size() - 1);
}

TEST(Synthetic, TriangleMayHaveItsMiddleFirst) {
  const Dataset first = make_synthetic("synthetic:triangle?graphs=40&degree=5&middle=first");
  const Dataset anywhere = make_synthetic("synthetic:triangle?graphs=40&degree=5");
  std::size_t middles = 0;
  std::set<std::vector<char>> numberings;
  for (std::size_t i = 0; i < 40; ++i) {
    const Plain graph(first.graphs.view(i));
    EXPECT_EQ(graph.degree(0), 5u);
    if (label(first, i) == 1) numberings.insert(graph.joined[1]);  // the others are numbered as they come
    middles += Plain(anywhere.graphs.view(i)).degree(0) == 5 ? 1 : 0;
  }
  EXPECT_GT(numberings.size(), 4u);
  EXPECT_LT(middles, 20u);
}

TEST(Synthetic, PathEndDiffersInTheLastNodeOnly) {
  const auto graphs = one_of_each(make_synthetic("synthetic:path-end?length=5&nodes=20&graphs=2"));
  for (std::size_t c = 0; c < 2; ++c) {
    Plain expected(20);
    for (std::size_t i = 1; i < 5; ++i) expected.add(i - 1, i);
    for (std::size_t i = 5; i < 20; ++i) expected.add(0, i), expected.feature[i] = 1;
    expected.feature[4] = static_cast<std::int32_t>(c);
    EXPECT_TRUE(isomorphic(graphs[c], expected));
  }
  const auto trees = one_of_each(make_synthetic("synthetic:path-end?length=5&branching=3&depth=2&graphs=2"));
  EXPECT_EQ(trees[0].size(), 5u + 3 + 9);
  EXPECT_THAT(feature_counts(trees[0]),
              UnorderedElementsAre(testing::Pair(0, 5), testing::Pair(1, 3), testing::Pair(2, 9)));
  EXPECT_THAT(feature_counts(trees[1]),
              UnorderedElementsAre(testing::Pair(0, 4), testing::Pair(1, 4), testing::Pair(2, 9)));
  EXPECT_THAT(degrees(trees[0]), Each(testing::Le(4u)));
}

TEST(Synthetic, TwoPartsDifferInTheFeatureOfTheSecond) {
  const auto apart = one_of_each(make_synthetic("synthetic:two-parts?part=6&graphs=2"));
  EXPECT_THAT(feature_counts(apart[0]), ElementsAre(testing::Pair(0, 12)));
  EXPECT_THAT(feature_counts(apart[1]), ElementsAre(testing::Pair(0, 6), testing::Pair(1, 6)));
  for (const Plain& graph : apart) {
    EXPECT_EQ(components(graph), 2u);
    EXPECT_THAT(degrees(graph), Each(2));
  }
  const auto linked = one_of_each(make_synthetic("synthetic:two-parts?part=6&path=9&graphs=2"));
  EXPECT_EQ(components(linked[1]), 1u);
  EXPECT_THAT(feature_counts(linked[1]), ElementsAre(testing::Pair(0, 6), testing::Pair(1, 6), testing::Pair(2, 9)));
  EXPECT_EQ(linked[1].edges(), 12u + 10);
}

TEST(Synthetic, CyclesHaveTheSameNumberOfNodesAndTheirLengths) {
  const auto graphs = one_of_each(make_synthetic("synthetic:cycles?first=4&second=6&graphs=2"));
  EXPECT_EQ(graphs[0].size(), 12u);
  EXPECT_EQ(graphs[1].size(), 12u);
  EXPECT_EQ(components(graphs[0]), 3u);
  EXPECT_EQ(components(graphs[1]), 2u);
  EXPECT_EQ(count_in(cycle(4), graphs[0]), 3u);
  EXPECT_EQ(count_in(cycle(6), graphs[1]), 2u);
}

TEST(Synthetic, UnknownNamesAndKeysGetASuggestion) {
  expect_usage_error("synthetic:laddr", "there is no built-in set 'laddr'",
                     "did you mean synthetic:ladder? there are synthetic:4cycles, synthetic:csl, ");
  expect_usage_error("synthetic:", "there is no built-in set ''", "there are synthetic:4cycles, ");
  expect_usage_error("synthetic:ladder?node=16", "synthetic:ladder: there is no parameter 'node'",
                     "did you mean nodes? the keys are nodes, density, cells, place, graphs, seed");
  expect_usage_error("synthetic:csl?nodes=41", "synthetic:csl: there is no parameter 'nodes'",
                     "the keys are graphs, seed");
  expect_usage_error("synthetic:csl?graphs", "synthetic:csl: 'graphs' is not a key and its value", "write key=value");
}

TEST(Synthetic, ValuesOutOfRangeNameTheRange) {
  expect_usage_error("synthetic:csl?graphs=ten", "synthetic:csl: graphs cannot be 'ten'",
                     "graphs is a whole number from 1 to 100000000");
  expect_usage_error("synthetic:csl?graphs=0", "synthetic:csl: graphs cannot be '0'", "from 1 to");
  expect_usage_error("synthetic:csl?graphs=1.5", "synthetic:csl: graphs cannot be '1.5'", "whole number");
  expect_usage_error("synthetic:csl?graphs=-3", "synthetic:csl: graphs cannot be '-3'", "whole number");
  expect_usage_error("synthetic:csl?graphs=", "synthetic:csl: graphs cannot be ''", "whole number");
  expect_usage_error("synthetic:csl?seed=18446744073709551616", "synthetic:csl: seed cannot be '18446744073709551616'",
                     "0 to 18446744073709551615");
  expect_usage_error("synthetic:ladder?density=1.5", "synthetic:ladder: density cannot be '1.5'",
                     "density is a number from 1e-06 to 1");
  expect_usage_error("synthetic:ladder?density=nan", "synthetic:ladder: density cannot be 'nan'", "number");
  expect_usage_error("synthetic:motif?motif=hous", "synthetic:motif: motif cannot be 'hous'",
                     "motif is house, triangle, diamond, clique4, cycle4, cycle5 or cycle6");
  expect_usage_error("synthetic:csl?seed=1&seed=2", "synthetic:csl: seed is given twice", "leave one of them out");
}

TEST(Synthetic, ParametersThatDoNotGoTogetherAreRefused) {
  expect_usage_error("synthetic:ladder?nodes=17", "synthetic:ladder: nodes = 17 is odd", "two nodes per rung");
  expect_usage_error("synthetic:ladder?density=0.5&cells=2", "synthetic:ladder: both density and cells are given",
                     "leave one of them out");
  expect_usage_error("synthetic:ladder?cells=5", "synthetic:ladder: 5 crossed cells do not fit into 16 nodes",
                     "room for 4");
  expect_usage_error("synthetic:ladder?density=0.1",
                     "synthetic:ladder: density = 0.1 of 16 nodes is less than one cell",
                     "a cell is a density of 0.25");
  expect_usage_error("synthetic:path-end?nodes=8", "synthetic:path-end: nodes = 8 leaves none besides the path of 8",
                     "add nodes");
  expect_usage_error("synthetic:path-end?depth=3", "synthetic:path-end: depth is given without branching", "branching");
  expect_usage_error("synthetic:cycles?first=6", "synthetic:cycles: both classes have cycles of the same length",
                     "two");
}

TEST(Synthetic, SetsThatWouldNotFitIntoMemoryAreRefused) {
  expect_usage_error("synthetic:ladder?nodes=1000000",
                     "synthetic:ladder: 300 graphs with 300000000 nodes in all are too many",
                     "at most 100000000 nodes");
  expect_usage_error("synthetic:trees?branching=1000&h2=26",
                     "synthetic:trees: 100 graphs with more than 2^64 nodes in all are too many", "at most");
  expect_usage_error("synthetic:cycles?first=999983&second=999979",
                     "synthetic:cycles: 100 graphs with 99996200035700 nodes in all are too many", "at most");
}

TEST(Synthetic, MotifThatCannotBeRareIsRefused) {
  expect_usage_error("synthetic:motif?nodes=16&degree=12&motif=triangle&graphs=2&seed=1",
                     "synthetic:motif: found no graph of 14 nodes of degree 12 with just one triangle",
                     "lower the degree");
}

TEST(Synthetic, TargetsOfTriangleDensityAreSharesOfClosedWedges) {
  const Dataset data = make_synthetic("synthetic:triangle-density?nodes=40&degree=5&graphs=12&seed=3");
  EXPECT_EQ(data.schema.task, Task::kRegression);
  std::set<double> targets;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const Plain plain(data.graphs.view(g));
    EXPECT_EQ(plain.edges(), 100u);
    double wedges = 0, closed = 0;
    for (std::size_t u = 0; u < plain.size(); ++u) {
      for (std::size_t v = 0; v < plain.size(); ++v) {
        for (std::size_t w = 0; w < v; ++w) {
          if (plain.joined[u][v] == 0 || plain.joined[u][w] == 0) continue;
          wedges += 1;
          closed += plain.joined[v][w];
        }
      }
    }
    EXPECT_DOUBLE_EQ(data.graphs.targets(g)[0], closed / wedges);
    targets.insert(data.graphs.targets(g)[0]);
  }
  EXPECT_GT(*targets.rbegin() - *targets.begin(), 0.1);
}

}  // namespace
}  // namespace agentnet
