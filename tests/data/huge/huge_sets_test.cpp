// Graphs that are written as they are made: what they are, at sizes that can be looked at.
#include "data/huge/huge_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/permutation.h"
#include "data/tables/symmetry.h"
#include "graph/set_arrays.h"
#include "graph/set_file.h"
#include "support/same_sets.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HugeSets : public ::testing::Test {
 protected:
  Dataset written(const std::string& spec, std::uint64_t memory = 1 << 20) {
    WriteHugeSet options;
    options.replace = true;
    options.memory = memory;
    summary_ = write_huge_set(spec, folder_ / "x.graph", options);
    EXPECT_NO_THROW(static_cast<void>(open_set_file(folder_ / "x.graph", kAnySize)));
    return read_data(folder_ / "x.graph", {});
  }
  std::string error(const std::string& spec) {
    try {
      static_cast<void>(write_huge_set(spec, folder_ / "y.graph", {}));
    } catch (const Error& found) {
      EXPECT_EQ(found.kind(), ErrorKind::kUsage);
      return std::string(found.what()) + " | " + found.hint();
    }
    return "accepted";
  }

  TempFolder folder_;
  WrittenHugeSet summary_;
};

TEST_F(HugeSets, LaddersAreThoseOfTheLadderSet) {
  for (const char* text :
       {"nodes=10&cells=1&graphs=2&seed=1", "nodes=16&graphs=7&seed=3", "nodes=46&graphs=4&density=1",
        "nodes=1e3&density=0.3&graphs=5&seed=9", "nodes=200&cells=7&graphs=3"}) {
    const std::string spec = std::string("ladder?") + text;
    const Dataset big = written("big-" + spec), small = read_data("synthetic:" + spec, {});
    EXPECT_EQ(difference(big, small, {.marks = false}), "") << text;
    EXPECT_EQ(big.schema, small.schema);
    EXPECT_EQ(summary_.entries, 3 * summary_.nodes);
  }
}

// Crossed cells anywhere: the same number of them, symmetric, and every rung is as often the first of one.
TEST_F(HugeSets, LaddersWithCellsAnywhereHaveThemEverywhere) {
  const Dataset data = written("big-ladder?nodes=20&cells=2&place=random&graphs=4000&seed=5");
  std::vector<int> first(10, 0);
  int crossed = 0;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView graph = data.graphs.view(g);
    EXPECT_TRUE(is_symmetric(graph));
    std::vector<std::uint64_t> rungs;
    for (std::uint64_t i = 0; i < 10; ++i) {
      ASSERT_EQ(graph.degree(i), 3U);
      if (graph.neighbours_of(i)[2] == 10 + (i + 1) % 10) rungs.push_back(i);
    }
    ASSERT_EQ(rungs.size(), data.graphs.targets(g)[0] == 1 ? 2U : 0U);
    crossed += rungs.empty() ? 0 : 1;
    for (const std::uint64_t rung : rungs) ++first[rung];
  }
  EXPECT_EQ(crossed, 2000);
  for (const int count : first) EXPECT_NEAR(count, 400, 80);  // four deviations
}

TEST_F(HugeSets, RegularGraphsAreRegularSymmetricAndConnected) {
  const Dataset data = written("big-regular?nodes=5000&degree=6&graphs=2&seed=2");
  EXPECT_EQ(data.schema.task, Task::kNone);
  for (std::size_t g = 0; g < 2; ++g) {
    const GraphView graph = data.graphs.view(g);
    EXPECT_TRUE(is_symmetric(graph));
    int less = 0;
    for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
      less += graph.degree(u) < 6 ? 1 : 0;
      for (const std::uint32_t v : graph.neighbours_of(u)) ASSERT_NE(u, v);
    }
    EXPECT_LT(less, 60);  // edges of two cycles: 12 of 5000 nodes have one on average
    std::vector<char> reached(graph.num_nodes, 0);
    std::vector<std::uint64_t> waiting = {0};
    reached[0] = 1;
    while (!waiting.empty()) {
      const std::uint64_t u = waiting.back();
      waiting.pop_back();
      for (const std::uint32_t v : graph.neighbours_of(u)) {
        if (std::exchange(reached[v], 1) == 0) waiting.push_back(v);
      }
    }
    EXPECT_EQ(std::count(reached.begin(), reached.end(), 1), 5000);
  }
  const auto first = data.graphs.view(0), second = data.graphs.view(1);
  EXPECT_FALSE(std::ranges::equal(first.neighbours_of(0), second.neighbours_of(0)));
}

TEST_F(HugeSets, PowerLawGraphsHaveHubsAndTheirExponent) {
  const Dataset data = written("big-power-law?nodes=20000&edges=2e5&exponent=2.5&seed=4");
  const GraphView graph = data.graphs.view(0);
  EXPECT_TRUE(is_symmetric(graph));
  EXPECT_LE(graph.num_edges(), 400000U);
  EXPECT_GT(graph.num_edges(), 300000U);
  EXPECT_GT(graph.hubs.nodes.size(), 0U);
  std::vector<std::uint64_t> degrees;
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) degrees.push_back(graph.degree(u));
  std::ranges::sort(degrees, std::greater());
  // The degree of rank r falls as r^(-2/3).
  const double slope =
      std::log(static_cast<double>(degrees[1000]) / static_cast<double>(degrees[100])) / std::log(10.0);
  EXPECT_NEAR(slope, -2.0 / 3, 0.08);
}

TEST_F(HugeSets, TheSameTextGivesTheSameBytesWhateverTheMemory) {
  for (const char* spec : {"big-ladder?nodes=200&place=random&seed=1", "big-regular?nodes=1000&seed=7",
                           "big-power-law?nodes=3000&edges=50000&seed=8"}) {
    static_cast<void>(written(spec, 1 << 17));
    const std::string bytes = read_text(folder_ / "x.graph");
    static_cast<void>(written(std::string("synthetic:") + spec, 1 << 26));
    EXPECT_TRUE(read_text(folder_ / "x.graph") == bytes) << spec;
    static_cast<void>(written(std::string(spec) + "9"));
    EXPECT_FALSE(read_text(folder_ / "x.graph") == bytes) << spec;
  }
}

TEST_F(HugeSets, WhatMakesNoSenseIsRefused) {
  EXPECT_EQ(error("big-ladder?nodes=11"), "synthetic:big-ladder: nodes = 11 is odd | a ladder has two nodes per rung");
  EXPECT_THAT(error("big-ladder?nodes=1e99"), HasSubstr("nodes cannot be '1e99'"));
  EXPECT_THAT(error("big-ladder?nodes=15e-1"), HasSubstr("nodes cannot be '15e-1'"));
  EXPECT_THAT(error("big-ladder?nodes=20&density=0.1"), HasSubstr("is less than one cell"));
  EXPECT_THAT(error("big-ladder?nodes=20&cells=6"), HasSubstr("there is room for 5"));
  EXPECT_THAT(error("big-regular?degree=5"), HasSubstr("degree = 5 is odd"));
  EXPECT_THAT(error("big-regular?size=5"), HasSubstr("there is no parameter 'size'"));
  EXPECT_THAT(error("big-star"), HasSubstr("there is no built-in graph 'big-star'"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  EXPECT_TRUE(is_huge_set("synthetic:big-ladder?nodes=10") && is_huge_set("big-regular") && !is_huge_set("ladder"));
  EXPECT_THROW(static_cast<void>(read_data("synthetic:big-ladder", {})), Error);
  static_cast<void>(written("big-ladder?nodes=10&cells=1"));
  EXPECT_THROW(static_cast<void>(write_huge_set("big-ladder?nodes=10&cells=1", folder_ / "x.graph", {})), Error);
}

TEST(Permutation, IsOneAndCanBeAskedBothWays) {
  for (const std::uint64_t size : {1ULL, 2ULL, 3ULL, 17ULL, 1000ULL, 4097ULL}) {
    std::set<std::uint64_t> images;
    for (std::uint64_t i = 0; i < size; ++i) {
      const Permutation order(size, 42);
      const std::uint64_t image = order(i);
      ASSERT_LT(image, size);
      ASSERT_EQ(order.inverse(image), i);
      images.insert(image);
    }
    EXPECT_EQ(images.size(), size);
  }
}

}  // namespace
}  // namespace agentnet
