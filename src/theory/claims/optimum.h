// The best that any policy of a single agent can do in so many steps, exactly: what the paper's lower bounds are about.
//
// An agent learns something only when it comes to a node for the first time: which of the nodes it knows are next to
// it, its features, and the features of its neighbours. Between nodes that it knows it may go the shortest way. So a
// policy amounts to this: in every information state (all that was seen), choose a known node and a feature; one of
// that node's unvisited neighbours with that feature comes next, each with the same probability, because policies
// cannot tell them apart. The optimum over all policies is a maximum over such choices, expectation over what is seen,
// computed over all information states; randomised policies are mixtures and add nothing, but for minimax().
#pragma once

#include <cstdint>
#include <vector>

#include "theory/judges/small_graph.h"
#include "theory/machine/rational.h"

namespace agentnet::theory {

// A graph and where the agent starts in it; each start with its probability.
struct Situation {
  SmallGraph graph;
  struct Start {
    int node = 0;
    Rational probability = 1;
  };
  std::vector<Start> starts;
};

// A test of which of several situations is the case: the success in each.
struct Verdicts {
  std::vector<Rational> success;         // by situation
  Rational value;                        // sum of prior x success
  std::uint64_t information_states = 0;  // that were looked at
};

// The largest expected success of guessing the situation after at most `steps` moves, when situation i has probability
// prior[i] beforehand.
[[nodiscard]] Verdicts best_guess(const std::vector<Situation>& situations, const std::vector<Rational>& prior,
                                  int steps);

// Two situations: the largest probability of being right that a randomised policy can guarantee whichever is the case.
// It equals the smallest value of best_guess() over all priors (von Neumann), which is a minimum of a convex function
// with straight pieces: found exactly, by intersecting pieces.
[[nodiscard]] Rational minimax(const Situation& first, const Situation& second, int steps);

// The largest probability of having visited `target` after at most `steps` moves.
[[nodiscard]] Rational best_reach(const Situation& situation, int target, int steps);

}  // namespace agentnet::theory
