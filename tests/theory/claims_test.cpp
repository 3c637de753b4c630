#include "theory/claims/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentnet/error.h"
#include "theory/claims/scenes.h"
#include "theory/judges/judges.h"

namespace agentnet::theory {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

// Small lists keep the tests short; `agentnet theory` runs them all on graphs of up to 7 nodes.
ClaimOptions few_graphs() {
  ClaimOptions options;
  for (int n = 2; n <= 5; ++n) {
    for (const SmallGraph& graph : connected_graphs(n)) options.graphs.push_back(graph);
  }
  return options;
}

class EveryClaim : public testing::TestWithParam<const char*> {};

TEST_P(EveryClaim, HoldsOnSmallGraphsAndSaysTheSameEveryTime) {
  const Claim& claim = claim_named(GetParam());
  const Finding finding = claim.run(few_graphs());
  EXPECT_NE(finding.holds, Holds::kNo) << testing::PrintToString(finding.numbers);
  EXPECT_EQ(finding.holds == Holds::kCorrected, !finding.correction.empty());
  EXPECT_FALSE(finding.tried.empty());
  const Finding again = claim.run(few_graphs());
  EXPECT_EQ(again.seen, finding.seen);
  EXPECT_EQ(again.numbers, finding.numbers);
}

INSTANTIATE_TEST_SUITE_P(Claims, EveryClaim,
                         testing::Values("deepening", "depth-first", "injective", "2wl", "count", "cliques", "cycles",
                                         "random-walk", "more-agents", "frequency", "one-better", "many-better",
                                         "trees", "message-passing", "cost"));

TEST(Claims, AreAllTested) { EXPECT_EQ(claims().size(), 15u); }

TEST(Claims, TheNumbersOfTheErrata) {
  const ClaimOptions options = few_graphs();
  EXPECT_THAT(claim_named("2wl").run(options).numbers, Contains(Pair("steps that suffice", "8")));
  const Finding cliques = claim_named("cliques").run(options);
  EXPECT_THAT(cliques.numbers, Contains(Pair("4 steps, either graph equally likely", "5/6")));
  EXPECT_THAT(cliques.numbers, Contains(Pair("4 steps, guaranteed", "3/4")));
  EXPECT_THAT(cliques.numbers,
              Contains(Pair("least steps on the pair", "Delta = 2: 2, Delta = 3: 5, Delta = 4: 7, Delta = 5: 9")));
  EXPECT_THAT(
      claim_named("trees").run(options).numbers,
      Contains(Pair("best chance of one agent to reach the marked leaf", HasSubstr("3-ary, 2 levels, 4 steps: 2/3"))));
}

TEST(Claims, AnUnknownNameIsAnErrorThatListsThem) {
  try {
    (void)claim_named("clique");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.hint(), HasSubstr("cliques"));
  }
}

TEST(Findings, AFailureStaysOne) {
  Finding finding;
  finding.fails("first");
  finding.fails("second");
  EXPECT_EQ(finding.holds, Holds::kNo);
  ASSERT_EQ(finding.numbers.size(), 1u);
  EXPECT_EQ(finding.numbers[0].second, "first");
}

TEST(PathsGraph, IsTheAppendixsPair) {
  const SmallGraph g1 = paths_graph({}, true), g2 = paths_graph({}, false);
  EXPECT_EQ(g1.nodes, 5);
  EXPECT_EQ(g1.edges(), 5);
  EXPECT_EQ(count_cliques(g1, 0)[3], 1u);
  EXPECT_EQ(g2.nodes, 7);
  EXPECT_EQ(count_cliques(g2, 0)[3], 0u);
  EXPECT_EQ(count_cycles(paths_graph({3, 2, 2, false}, true), 0, 5), 1u);
  EXPECT_EQ(count_cycles(paths_graph({3, 2, 2, true}, true), 0, 4), 1u);
}

void expect_sound(const Scene& scene, const SceneRun& run) {
  ASSERT_EQ(run.ways.size(), run.moves.size());
  for (std::size_t a = 0; a < run.ways.size(); ++a) {
    const std::vector<int>& way = run.ways[a];
    ASSERT_EQ(way.size(), run.moves[a].size() + 1) << scene.title;
    EXPECT_EQ(way.size(), run.ways[0].size()) << scene.title;
    for (std::size_t t = 0; t + 1 < way.size(); ++t) {
      const SceneMove& move = run.moves[a][t];
      double sum = 0, chosen = 0;
      for (std::size_t i = 0; i < move.nodes.size(); ++i) {
        EXPECT_TRUE(move.nodes[i] == way[t] || scene.graph.adjacent(way[t], move.nodes[i])) << scene.title;
        sum += move.probability[i];
        if (move.nodes[i] == way[t + 1]) chosen += move.probability[i];
      }
      EXPECT_NEAR(sum, 1, 1e-12) << scene.title;
      EXPECT_GT(chosen, 0) << scene.title;  // nobody goes where the policy does not
    }
  }
}

TEST(Scenes, EveryClaimHasAgentsThatWalkAsTheirPolicySays) {
  for (const Claim& claim : claims()) {
    const std::vector<Scene> scenes = scenes_of(claim.name, 3);
    EXPECT_FALSE(scenes.empty());
    for (const Scene& scene : scenes) {
      ASSERT_FALSE(scene.runs.empty());
      for (const SceneRun& run : scene.runs) expect_sound(scene, run);
    }
    const std::vector<Scene> again = scenes_of(claim.name, 3);
    for (std::size_t i = 0; i < scenes.size(); ++i) EXPECT_EQ(scenes[i].runs, again[i].runs) << claim.name;
  }
  EXPECT_THROW((void)scenes_of("clique"), Error);
}

TEST(Scenes, ShowWhatTheClaimSays) {
  // The two agents of the trees: both at the top at the end, in G2 after they met below it.
  const std::vector<Scene> trees = scenes_of("trees");
  EXPECT_EQ(trees[0].runs[0].ways[0].back(), 0);
  EXPECT_EQ(trees[0].runs[0].ways[1].back(), 0);
  EXPECT_EQ(trees[1].runs[0].ways[0][2], trees[1].runs[0].ways[1][2]);
  // Deepening visits the marked neighbourhood and nothing else, and the run ends when that is done.
  for (const Scene& scene : scenes_of("deepening")) {
    for (const SceneRun& run : scene.runs) {
      std::uint32_t visited = 0;
      for (const int node : run.ways[0]) visited |= 1u << node;
      EXPECT_EQ(visited, scene.marks) << scene.title;
      EXPECT_NE(run.ways[0].back(), run.ways[0][run.ways[0].size() - 2]) << scene.title;
    }
  }
  // The marks of cliques and cycles are cliques and cycles.
  EXPECT_EQ(scenes_of("cliques")[0].graph.induced(scenes_of("cliques")[0].marks).edges(), 3);
  const Scene cycle = scenes_of("cycles")[0];
  EXPECT_EQ(count_cycles(cycle.graph.induced(cycle.marks), 0, 5), 1u);
  EXPECT_EQ(cycle.graph.induced(cycle.marks).nodes, 5);
  // Chance gives several runs, a proof's search on a star too; agents that stay give one.
  EXPECT_GT(scenes_of("random-walk")[0].runs.size(), 1u);
  EXPECT_EQ(scenes_of("message-passing")[0].runs.size(), 1u);
  EXPECT_NE(scenes_of("random-walk", 1)[0].runs, scenes_of("random-walk", 2)[0].runs);
}

}  // namespace
}  // namespace agentnet::theory
