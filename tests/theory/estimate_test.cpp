#include "theory/estimate/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "agentnet/data.h"
#include "agentnet/error.h"
#include "graph/set_file.h"
#include "support/graphs.h"
#include "support/shared_dir.h"
#include "support/temp_folder.h"
#include "theory/estimate/graph_walk.h"
#include "theory/judges/exact_counts.h"
#include "theory/judges/planted_graph.h"

namespace agentnet::theory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kSeeds = 200;
constexpr const char* kAll = "nodes,average-degree,wedges,triangles,clustering";

enum class Ways { kOneWalk, kManyWalks };

// Counts for every measure how often the interval covers the truth.
void count_covered(const GraphView& view, const ExactCounts& truth, Ways ways, const EstimateOptions& options,
                   std::map<std::string, double>& covered) {
  GraphWalk one(view, GraphWalk::random_start(view, 0)), many(view);
  const Estimates found = ways == Ways::kOneWalk ? estimate(one, options) : estimate_whole(many, options);
  for (const Estimate& estimated : found.of) {
    const double value = truth.of(estimated.measure.name());
    EXPECT_LE(estimated.low, estimated.value);
    EXPECT_LE(estimated.value, estimated.high);
    covered[estimated.measure.name()] += estimated.low <= value && value <= estimated.high ? 1.0 / kSeeds : 0;
  }
}

// The share of the seeds whose intervals cover the truth, by name.
std::map<std::string, double> coverage(const GraphView& view, const std::string& what, Ways ways,
                                       const EstimateOptions& limits) {
  std::map<std::string, double> covered;
  const ExactCounts truth =
      exact_counts(view, ways == Ways::kOneWalk ? component_of(view, GraphWalk::random_start(view, 0))
                                                : nodes_with_neighbours(view));
  for (int seed = 0; seed < kSeeds; ++seed) {
    EstimateOptions options = limits;
    options.what = parse_measures(what);
    options.seed = static_cast<std::uint64_t>(seed);
    count_covered(view, truth, ways, options, covered);
  }
  return covered;
}

Graph clustered_graph(std::uint32_t n, std::uint64_t seed) {
  RandomSequence random(seed, Purpose::kTest);
  GraphParts parts;
  parts.num_nodes = n;
  parts.undirected = true;
  std::vector<std::uint32_t> ends{0, 1};  // preferential attachment, with triangles
  const auto join = [&](std::uint32_t u, std::uint32_t v) {
    if (u == v) return;
    parts.from.push_back(u);
    parts.to.push_back(v);
    ends.insert(ends.end(), {u, v});
  };
  join(0, 1);
  for (std::uint32_t u = 2; u < n; ++u) {
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = random.below(ends.size()) & ~std::size_t{1};
      const std::uint32_t v = ends[at], w = ends[at + 1];
      join(u, v);
      join(u, w);
    }
  }
  return Graph(std::move(parts));
}

TEST(Measures, AreParsedAndNamed) {
  std::vector<std::string> names;
  for (const Measure& one : parse_measures("triangles,nodes,cliques:5,triangles,clustering"))
    names.push_back(one.name());
  EXPECT_THAT(names, ElementsAre("triangles", "nodes", "cliques:5", "clustering"));
  for (const char* bad : {"", "triangle", "cliques:3", "cliques:7", "nodes,", "nodes, wedges"}) {
    EXPECT_THROW((void)parse_measures(bad), Error) << bad;
  }
}

TEST(Estimate, ASmallComponentIsCounted) {
  GraphParts parts = complete_graph(6);
  parts.num_nodes = 400;  // and many nodes that the walk cannot reach
  for (std::uint32_t u = 10; u < 399; ++u) {
    parts.from.push_back(u);
    parts.to.push_back(u + 1);
  }
  parts.from.push_back(2);
  parts.to.push_back(2);
  const Graph graph(std::move(parts));
  const GraphView view = graph.view();
  GraphWalk walk(view, 3);
  const Estimates found = estimate(
      walk, {.what = parse_measures("nodes,average-degree,wedges,triangles,clustering,cliques:4,cliques:5,cliques:6")});
  EXPECT_TRUE(found.exact);
  std::vector<double> values;
  for (const Estimate& one : found.of) {
    values.push_back(one.value);
    EXPECT_EQ(one.low, one.high);
    EXPECT_TRUE(one.met);
  }
  EXPECT_THAT(values, ElementsAre(6, 5, 60, 20, 1, 15, 6, 1));
}

// At least the nominal share: the intervals are made a little wide on purpose.
TEST(Estimate, IntervalsCoverTheTruthInTheirShareOf200Seeds) {
  const Graph graph = clustered_graph(3000, 1);
  for (const Ways ways : {Ways::kOneWalk, Ways::kManyWalks}) {
    for (const auto& [name, share] : coverage(graph.view(), std::string(kAll) + ",cliques:4", ways,
                                              {.what = {}, .error = 0.2, .max_steps = 20000})) {
      EXPECT_GE(share, 0.95) << name;
    }
  }
}

// A ring of 800 nodes: excursions from the anchors are rare and long.
TEST(Estimate, IntervalsCoverTheTruthWhereWalksMixSlowly) {
  const Graph graph(regular_graph(1000, 4, 3));
  GraphParts parts = cycle_graph(800);
  for (std::uint32_t u = 0; u < 800; ++u) {
    parts.from.push_back(u);
    parts.to.push_back((u + 2) % 800);
  }
  const Graph ring(std::move(parts));
  for (const GraphView& view : {graph.view(), ring.view()}) {
    for (const Ways ways : {Ways::kOneWalk, Ways::kManyWalks}) {
      for (const auto& [name, share] :
           coverage(view, "nodes,average-degree", ways, {.what = {}, .error = 0.3, .max_steps = 40000})) {
        EXPECT_GE(share, 0.95) << name;
      }
    }
  }
}

// Every seed has another graph, of parts that hang together by a few edges: a single walk would not know of them.
TEST(Estimate, IntervalsCoverTheTruthWherePartsLieBehindBottlenecks) {
  std::map<std::string, double> covered;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Graph graph = planted_graph(static_cast<std::uint64_t>(seed));
    const GraphView view = graph.view();
    count_covered(
        view, exact_counts(view, nodes_with_neighbours(view)), Ways::kManyWalks,
        {.what = parse_measures(kAll), .error = 0.2, .max_steps = 60000, .seed = static_cast<std::uint64_t>(seed)},
        covered);
  }
  for (const auto& [name, share] : covered) EXPECT_GE(share, 0.95) << name;
}

TEST(Estimate, IntervalsCoverTheTruthOnRealGraphs) {
  const auto shared = shared_dir();
  if (!shared) GTEST_SKIP() << kNoSharedDir;
  const std::map<std::string, double> triangles = {{"email-Enron", 727044},
                                                   {"soc-Epinions1", 1624481},
                                                   {"web-NotreDame", 8910005},
                                                   {"ego-Twitter-undirected", 13082506}};
  for (const auto& [name, known] : triangles) {
    const auto file = *shared / "data" / "GRAPHS" / (name + ".txt.xz");
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file.filename();
    DataOptions options;
    options.direction = Direction::kUndirected;
    const Dataset data = read_data(file.string(), options);
    const GraphView view = data.graphs.view(0);
    EXPECT_EQ(exact_counts(view, nodes_with_neighbours(view)).triangles, known) << name;
    for (const auto& [what, share] :
         coverage(view, kAll, Ways::kManyWalks, {.what = {}, .error = 0.2, .max_steps = 300000})) {
      EXPECT_GE(share, 0.95) << name << " " << what;
    }
  }
}

// All nodes that are seen have four neighbours, and still the average may be another: parts that no walk came into may
// be of leaves, or of nodes with many neighbours.
TEST(Estimate, WhatNoWalkCameIntoIsAllowedFor) {
  const Graph graph(regular_graph(5000, 4, 1));
  const GraphView view = graph.view();
  for (const std::uint64_t steps : {20000U, 200000U}) {
    GraphWalk walk(view);
    const EstimateOptions options{.what = parse_measures("average-degree"), .error = 1e-6, .max_steps = steps};
    const Estimates found = estimate_whole(walk, options);
    EXPECT_NEAR(found.unseen, std::log(80) / static_cast<double>(found.walks), 1e-9);  // (1 - p)^walks = 0.05 / 4
    EXPECT_NEAR(found.of[0].value, 4, 1e-9);
    EXPECT_NEAR(found.of[0].low, 1 / ((1 - found.unseen) / 4 + found.unseen), 1e-9);
    EXPECT_NEAR(found.of[0].high, 4 / (1 - found.unseen), 1e-9);
    EXPECT_FALSE(found.of[0].met);
  }
}

TEST(Estimate, ASmallGraphIsCounted) {
  GraphParts parts = complete_graph(6);
  parts.num_nodes = 20;  // a path as well, and nodes without neighbours
  for (std::uint32_t u = 10; u < 15; ++u) {
    parts.from.push_back(u);
    parts.to.push_back(u + 1);
  }
  parts.from.push_back(19);
  parts.to.push_back(19);
  const Graph graph(std::move(parts));
  GraphWalk walk(graph.view());
  const Estimates found = estimate_whole(walk, {.what = parse_measures("nodes,wedges,triangles,cliques:4")});
  EXPECT_TRUE(found.exact);
  std::vector<double> values;
  for (const Estimate& one : found.of) values.push_back(one.value);
  EXPECT_THAT(values, ElementsAre(12, 64, 20, 15));
}

TEST(Estimate, StopsAtTheErrorThatIsAskedForAndSeesAPart) {
  const Graph graph = clustered_graph(200000, 2);
  const GraphView view = graph.view();
  std::uint64_t before = 0;
  for (const double error : {0.3, 0.1}) {
    GraphWalk walk(view);
    const Estimates found = estimate_whole(walk, {.what = parse_measures("nodes,average-degree"), .error = error});
    for (const Estimate& one : found.of) {
      EXPECT_TRUE(one.met);
      EXPECT_LE(one.relative_error(), error);
    }
    EXPECT_GE(found.steps, before);
    before = found.steps;
    EXPECT_LT(walk.nodes_touched(), 200000u / 5);
    EXPECT_LE(walk.nodes_touched(), found.steps + 1);
  }
}

TEST(Estimate, SaysWhatItReachedWhenStepsRunOut) {
  const Graph graph = clustered_graph(50000, 2);
  const GraphView view = graph.view();
  const EstimateOptions options{.what = parse_measures("nodes,triangles"), .error = 0.001, .max_steps = 20000};
  GraphWalk one(view, 5), many(view);
  for (const Estimates& found : {estimate(one, options), estimate_whole(many, options)}) {
    EXPECT_LE(found.steps, 20000u + 20);
    for (const Estimate& each : found.of) {
      EXPECT_FALSE(each.met);
      EXPECT_GT(each.relative_error(), 0.001);
      EXPECT_GT(each.value, 0);
    }
  }
}

TEST(Estimate, NoTriangleAmongManyLooksGivesAnUpperBound) {
  const Graph graph(cycle_graph(2000));
  const GraphView view = graph.view();
  const EstimateOptions options{
      .what = parse_measures("triangles,clustering,cliques:4"), .error = 0.1, .max_steps = 100000};
  GraphWalk alone(view, 5), many(view);
  for (const Estimates& found : {estimate(alone, options), estimate_whole(many, options)}) {
    for (const Estimate& one : found.of) {
      EXPECT_EQ(one.value, 0);
      EXPECT_EQ(one.low, 0);
      EXPECT_FALSE(one.met);
    }
    EXPECT_GT(found.of[0].high, 0);
    EXPECT_LT(found.of[0].high, 10);
    EXPECT_LT(found.of[1].high, 0.005);
    EXPECT_TRUE(std::isinf(found.of[2].high));
  }
}

TEST(Estimate, IsTheSameForTheSameSeedInMemoryAndFromAFile) {
  const TempFolder folder;
  const Graph graph = clustered_graph(3000, 4);
  GraphSet set;
  set.add(graph, {});
  write_set_file(folder / "graph.agentset", set, "{}");
  const SetFile file = open_set_file(folder / "graph.agentset");
  const GraphView in_memory = graph.view(), mapped = file.graphs.view(0);
  const EstimateOptions options{
      .what = parse_measures("triangles,cliques:5"), .error = 0.2, .max_steps = 20000, .seed = 3};
  const std::uint64_t start = GraphWalk::random_start(in_memory, 3);
  EXPECT_EQ(GraphWalk::random_start(mapped, 3), start);
  const auto same = [](const Estimates& first, const Estimates& second) {
    EXPECT_EQ(first.of[0].value, second.of[0].value);
    EXPECT_EQ(first.of[1].high, second.of[1].high);
    EXPECT_EQ(first.steps, second.steps);
  };
  GraphWalk one(in_memory, start), two(mapped, start);
  same(estimate(one, options), estimate(two, options));
  EXPECT_EQ(one.nodes_touched(), two.nodes_touched());
  GraphWalk three(in_memory), four(mapped);
  same(estimate_whole(three, options), estimate_whole(four, options));
  EXPECT_EQ(three.nodes_touched(), four.nodes_touched());
}

// A file above 16 MB is copied page by page.
TEST(Estimate, PagesOfALargeFileAreCopied) {
  const TempFolder folder;
  const Graph graph = clustered_graph(700000, 4);
  GraphSet set;
  set.add(graph, {});
  write_set_file(folder / "graph.agentset", set, "{}");
  ASSERT_GT(std::filesystem::file_size(folder / "graph.agentset"), std::uintmax_t{16} << 20);
  const SetFile file = open_set_file(folder / "graph.agentset");
  const GraphView in_memory = graph.view(), mapped = file.graphs.view(0);
  const EstimateOptions options{.what = parse_measures("average-degree,clustering"), .error = 0.3, .max_steps = 50000};
  GraphWalk one(in_memory, 1000), two(mapped, 1000);
  EXPECT_EQ(estimate(one, options).of[1].value, estimate(two, options).of[1].value);
  EXPECT_EQ(one.nodes_touched(), two.nodes_touched());
  EXPECT_GT(two.pages_touched(), 100u);
}

TEST(Estimate, OptionsThatMakeNoSenseAreErrors) {
  const Graph graph(cycle_graph(5));
  const GraphView view = graph.view();
  const auto refused = [&](const EstimateOptions& options) {
    GraphWalk walk(view, 0);
    EXPECT_THROW((void)estimate(walk, options), Error);
    EXPECT_THROW((void)estimate_whole(walk, options), Error);
  };
  const std::vector<Measure> nodes = parse_measures("nodes");
  refused({.what = {}});
  refused({.what = nodes, .error = 0});
  refused({.what = nodes, .error = std::nan("")});
  refused({.what = nodes, .confidence = 1});
  refused({.what = nodes, .max_steps = 0});
}

TEST(GraphWalk, RefusesGraphsWithoutEdgesDirectedOnesAndStartsThatAreNone) {
  GraphParts lonely;
  lonely.num_nodes = 3;
  const Graph none(std::move(lonely));
  try {
    (void)GraphWalk::random_start(none.view(), 0);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("3 nodes and no edges"));
  }
  const GraphView without = none.view();
  GraphWalk isolated(without, 1), nowhere(without);
  EXPECT_THROW((void)estimate_whole(nowhere, {.what = parse_measures("nodes")}), Error);
  EXPECT_THROW((void)estimate(isolated, {.what = parse_measures("nodes")}), Error);
  EXPECT_THROW(GraphWalk(without, 3), Error);

  GraphParts loops;
  loops.num_nodes = 2;
  loops.from = loops.to = {0, 1};
  const Graph only_loops(std::move(loops));
  EXPECT_THROW((void)GraphWalk::random_start(only_loops.view(), 0), Error);

  GraphParts one_way = cycle_graph(5);
  one_way.undirected = false;
  const Graph directed(std::move(one_way));
  one_way = cycle_graph(300);  // too many nodes to count
  one_way.undirected = false;
  const Graph large(std::move(one_way));
  const auto refuses = [](const std::function<void()>& run, const char* why) {
    try {
      run();
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  };
  const EstimateOptions nodes{.what = parse_measures("nodes")};
  GraphWalk one(directed.view(), 0), few(directed.view()), many(large.view());
  const char* first = "the graph is directed: the edge from node 0 to node 1 does not go back";
  refuses([&] { (void)estimate(one, nodes); }, first);
  refuses([&] { (void)estimate_whole(few, nodes); }, first);
  refuses([&] { (void)estimate_whole(many, nodes); }, "the graph is directed: the edge from node ");
}

// Two triangles with a node in common, which also has an edge to itself: in proportion to the neighbours.
TEST(GraphWalk, BeginsWhereRandomEdgesLead) {
  GraphParts parts;
  parts.num_nodes = 6;  // the last is alone
  parts.undirected = true;
  parts.from = {0, 1, 2, 0, 3, 4, 0};
  parts.to = {1, 2, 0, 3, 4, 0, 0};
  const Graph graph(std::move(parts));
  const GraphView view = graph.view();
  GraphWalk walk(view);
  RandomSequence random(3, Purpose::kTest);
  std::vector<double> share(6);
  constexpr int kPlaces = 60000;
  for (int i = 0; i < kPlaces; ++i) {
    walk.place(random);
    share[walk.here()] += 1.0 / kPlaces;
  }
  const std::vector<double> expected = {4.0 / 12, 2.0 / 12, 2.0 / 12, 2.0 / 12, 2.0 / 12, 0};
  for (std::size_t node = 0; node < 6; ++node) EXPECT_NEAR(share[node], expected[node], 0.01) << node;
}

TEST(GraphWalk, DamagedListsAreErrors) {
  const Graph graph(cycle_graph(6));
  const GraphView good = graph.view();
  std::vector<std::uint64_t> offsets(good.offsets, good.offsets + 7);
  std::vector<std::uint32_t> neighbours(good.neighbours, good.neighbours + 12);
  GraphView view = good;
  view.offsets = offsets.data();
  view.neighbours = neighbours.data();
  view.most_edges = 12;
  std::fill(neighbours.begin(), neighbours.end(), 77);
  RandomSequence random(0, Purpose::kTest);
  GraphWalk far(view, 0);
  EXPECT_THROW(far.step(random), Error);
  offsets[1] = 99;
  EXPECT_THROW((void)GraphWalk(view, 0).degree(0), Error);
  offsets[0] = 100;
  EXPECT_THROW((void)GraphWalk(view, 0).degree(0), Error);
  EXPECT_THROW(GraphWalk(view).place(random), Error);
}

}  // namespace
}  // namespace agentnet::theory
