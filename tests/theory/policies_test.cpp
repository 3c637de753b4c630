#include "theory/machine/policies.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "theory/judges/small_graph.h"
#include "theory/machine/machine.h"
#include "theory/machine/outcomes.h"

namespace agentnet::theory {
namespace {

// The nodes that a search visits, over all of its random choices.
template <class Search>
void expect_visits(const SmallGraph& small, std::uint64_t start, std::uint32_t expected, const Search& fresh,
                   std::size_t moves) {
  const Graph graph = small.graph();
  const GraphView view = graph.view();
  States states;
  SearchPolicy<Search> policy(states, fresh);
  Policy* const policies[] = {&policy};
  const std::uint64_t starts[] = {start};
  Rational sum;
  for_each_outcome(Machine(view, states, starts), policies, moves, [&](const Machine& end, const Rational& p) {
    sum += p;
    const Search& search = policy.search(end.agent(0));
    EXPECT_TRUE(search.done());
    EXPECT_EQ(search.journal.places.size(), static_cast<std::size_t>(std::popcount(expected)));
    // The journal is the neighbourhood: as many edges as it has.
    std::size_t ends = 0;
    for (const Journal::Place& place : search.journal.places) ends += place.next.size();
    EXPECT_EQ(ends, 2 * static_cast<std::size_t>(small.induced(expected).edges()));
  });
  EXPECT_EQ(sum, Rational(1));
}

TEST(DepthFirst, VisitsTheComponentInTwoNMinusThreeSteps) {
  for (int n = 2; n <= 5; ++n) {
    for (const SmallGraph& graph : connected_graphs(n)) {
      for (int v = 0; v < n; ++v) {
        expect_visits(graph, static_cast<std::uint64_t>(v), graph.ball(v, n), DepthFirst{},
                      static_cast<std::size_t>(2 * n - 3));
      }
    }
  }
}

TEST(Deepening, VisitsTheBallAndNothingElse) {
  for (int n = 1; n <= 5; ++n) {
    for (const SmallGraph& graph : connected_graphs(n)) {
      for (int v = 0; v < n; ++v) {
        for (int r = 1; r <= 3; ++r) {
          const std::uint32_t ball = graph.ball(v, r);
          expect_visits(graph, static_cast<std::uint64_t>(v), ball, Deepening(static_cast<std::uint32_t>(r)),
                        static_cast<std::size_t>(2 * r * std::popcount(ball)));
        }
      }
    }
  }
}

// A depth limit alone would miss the far end of this: the search may come to node 3 the long way round first.
TEST(Deepening, FindsNodesThatALimitedDepthFirstSearchCanMiss) {
  SmallGraph graph = small_cycle(5);
  graph.nodes = 6;
  graph.join(2, 5);
  expect_visits(graph, 0, graph.ball(0, 3), Deepening(3), 60);
}

TEST(Recollection, AnswersTheSameWhateverWasAskedBefore) {
  const Graph graph = small_rook().graph();
  const GraphView view = graph.view();
  States states;
  SearchPolicy<DepthFirst> policy(states, {});
  Policy* const policies[] = {&policy};
  const std::uint64_t starts[] = {3};
  Machine machine(view, states, starts);
  RandomSequence random(5, Purpose::kTest);
  std::vector<AgentState> all;
  machine.visit();
  for (int i = 0; i < 20; ++i) {
    all.push_back(machine.agent(0));
    machine.move(policies, random);
    machine.visit();
  }
  Recollection<Journal> jumping(states, {});
  for (const std::size_t at : {19u, 3u, 4u, 4u, 0u, 12u, 11u, 19u}) {
    EXPECT_EQ(jumping.of(all[at]).way, journal_of(states, all[at]).way);
    EXPECT_EQ(jumping.of(all[at]).way.size(), at + 1);
  }
}

}  // namespace
}  // namespace agentnet::theory
