// What the files of claims share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"
#include "theory/claims/claims.h"
#include "theory/claims/optimum.h"
#include "theory/machine/machine.h"
#include "theory/machine/outcomes.h"
#include "theory/machine/policies.h"
#include "theory/machine/recollection.h"

namespace agentnet::theory {

[[nodiscard]] Finding claim_deepening(const ClaimOptions& options);
[[nodiscard]] Finding claim_depth_first(const ClaimOptions& options);
[[nodiscard]] Finding claim_injective(const ClaimOptions& options);
[[nodiscard]] Finding claim_2wl(const ClaimOptions& options);
[[nodiscard]] Finding claim_count(const ClaimOptions& options);
[[nodiscard]] Finding claim_cliques(const ClaimOptions& options);
[[nodiscard]] Finding claim_cycles(const ClaimOptions& options);
[[nodiscard]] Finding claim_random_walk(const ClaimOptions& options);
[[nodiscard]] Finding claim_more_agents(const ClaimOptions& options);
[[nodiscard]] Finding claim_frequency(const ClaimOptions& options);
[[nodiscard]] Finding claim_one_better(const ClaimOptions& options);
[[nodiscard]] Finding claim_many_better(const ClaimOptions& options);
[[nodiscard]] Finding claim_trees(const ClaimOptions& options);
[[nodiscard]] Finding claim_still(const ClaimOptions& options);
[[nodiscard]] Finding claim_cost(const ClaimOptions& options);

// The graphs that a claim about all graphs looks at: those of the options, else all connected ones of up to 7 nodes.
[[nodiscard]] std::vector<SmallGraph> graphs_to_try(const ClaimOptions& options);
[[nodiscard]] std::string graphs_text(const ClaimOptions& options, std::size_t graphs);

// Ten groups of three nodes: so many triangles, the others paths, joined in a row by their middle nodes.
[[nodiscard]] SmallGraph groups_of_three(int triangles);
// A path of `length` nodes of feature 0, its last with feature `end`, and nodes of feature 1 at its beginning; starts
// on one of those, or anywhere.
[[nodiscard]] Situation path_end(int length, int others, int end, bool from_others);
// Two cycles of `part` nodes, the second of feature `second`, joined by a path of feature 2.
[[nodiscard]] Situation two_parts(int part, int path, int second);
// A node with one-way trees below it (levels 1 .. h1), and secondary trees (1 .. h2) below a leaf of the first
// `secondary` of these. The feature is the level, 0 for the top.
struct TreeShape {
  std::uint32_t branching = 2, h1 = 3, h2 = 6, trees = 4;
};
[[nodiscard]] GraphParts one_way_trees(const TreeShape& shape, std::uint32_t secondary);
// Towards the top of such trees.
class Climb : public Policy {
 public:
  Climb(const States& states, std::uint32_t h1) : states_(&states), h1_(h1) {}
  std::uint32_t weight(AgentState agent, NodeState candidate) override;

 private:
  [[nodiscard]] std::uint32_t level_of(NodeState node) const;
  [[nodiscard]] bool sees_top(AgentState agent) const;

  const States* states_;
  std::uint32_t h1_;
};

// The graph of a journal, its start as node 0; labels are the first features.
[[nodiscard]] SmallGraph map_of(const States& states, const Journal& journal);

// Runs a search from `start` and calls f(search, final agent state) for every way it may go or, if there are more than
// `most` ways, for `most` / 10 random ones. Returns whether all were seen.
template <class Search, class F>
bool for_each_search(const SmallGraph& small, int start, const Search& fresh, std::size_t moves, std::uint64_t most,
                     std::uint64_t seed, States& states, F&& f) {
  const Graph graph = small.graph();
  const GraphView view = graph.view();
  const std::uint64_t starts[] = {static_cast<std::uint64_t>(start)};
  SearchPolicy<Search> policy(states, fresh);
  Policy* const policies[] = {&policy};
  const Machine begin(view, states, starts);
  std::vector<AgentState> ends;
  const bool all = for_each_outcome(
      begin, policies, moves, [&](const Machine& end, const Rational&) { ends.push_back(end.agent(0)); }, most);
  if (!all) {
    RandomSequence random(seed, Purpose::kMove, 0, static_cast<std::uint64_t>(start));
    ends.clear();
    for (std::uint64_t i = 0; i < std::max<std::uint64_t>(1, most / 10); ++i) {
      Machine machine = begin;
      machine.run(policies, moves, random);
      ends.push_back(machine.agent(0));
    }
  }
  for (const AgentState end : ends) f(policy.search(end), end);
  return all;
}

}  // namespace agentnet::theory
