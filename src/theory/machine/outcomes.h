// All ways that programmed agents may go, each with its exact probability.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "theory/machine/machine.h"
#include "theory/machine/rational.h"

namespace agentnet::theory {

// Calls `tell` once for every way that the agents of `machine` may go in so many moves (and the visits after them; a
// machine that has not visited yet begins with a visit), with its probability. The probabilities sum to 1.
// Ends early, and returns false, when there are more than `most` ways.
using TellOutcome = std::function<void(const Machine& end, const Rational& probability)>;
bool for_each_outcome(const Machine& machine, std::span<Policy* const> policies, std::size_t moves,
                      const TellOutcome& tell, std::uint64_t most = ~std::uint64_t{0});

}  // namespace agentnet::theory
