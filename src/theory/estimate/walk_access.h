// The random walk access model: what an algorithm may do that knows a graph by walking in it only.
//
// The model's three operations (paper, section 4.1) are a move to a uniform random neighbour, the degree of the current
// node (and, remembered, of those before), and whether two discovered nodes are adjacent. A walker may also return to a
// node that it discovered before, which agents can: they know the way.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "theory/machine/machine.h"
#include "theory/machine/policies.h"

namespace agentnet::theory {

class WalkAccess {
 public:
  WalkAccess() = default;
  WalkAccess(const WalkAccess&) = delete;
  WalkAccess& operator=(const WalkAccess&) = delete;
  virtual ~WalkAccess() = default;

  // A name of the current node: the same whenever the walker is there, and no other node's.
  [[nodiscard]] virtual std::uint64_t here() const = 0;
  // Of a node that was visited; self loops do not count.
  [[nodiscard]] virtual std::uint64_t degree(std::uint64_t name) = 0;
  virtual void step(RandomSequence& random) = 0;  // to a uniform random neighbour; there must be one
  virtual void go(std::uint64_t name) = 0;        // back to a node that was visited
  [[nodiscard]] virtual bool adjacent(std::uint64_t a, std::uint64_t b) = 0;  // of two that were visited
  // Whether every neighbour of every node visited so far was visited as well: there is nothing more to discover.
  [[nodiscard]] virtual bool explored() = 0;
};

// A walk that can begin somewhere else: many agents at random places, as the paper places them.
class PlacedAccess : public WalkAccess {
 public:
  // On a node that a random edge leads to, so that nodes are drawn in proportion to their degrees, as a walk that has
  // gone on for ever would be. Throws Error (kData) if there are no edges.
  virtual void place(RandomSequence& random) = 0;
  // The nodes with neighbours, if the graph has at most so many nodes, else none.
  [[nodiscard]] virtual std::vector<std::uint64_t> few_nodes(std::size_t most) = 0;
};

// A programmed agent as the walker (theorem "randomwalk"): all answers are read from the agent's state. Names are the
// places of its journal.
class AgentWalk : public WalkAccess {
 public:
  // The machine has one agent; the states are those that it runs on.
  AgentWalk(Machine& machine, const States& states);

  [[nodiscard]] std::uint64_t here() const override { return here_; }
  [[nodiscard]] std::uint64_t degree(std::uint64_t name) override { return journal().places[name].degree; }
  void step(RandomSequence& random) override;
  void go(std::uint64_t name) override;
  [[nodiscard]] bool adjacent(std::uint64_t a, std::uint64_t b) override;
  [[nodiscard]] bool explored() override;

 private:
  // Goes to the neighbour that it was last on at a certain time.
  class Return : public Policy {
   public:
    explicit Return(const States& states) : states_(&states) {}
    std::uint32_t weight(AgentState agent, NodeState candidate) override {
      return last_visit(*states_, candidate, states_->id(agent)) == time ? 1 : 0;
    }
    std::uint32_t time = 0;

   private:
    const States* states_;
  };

  [[nodiscard]] const Journal& journal() { return recollection_.of(machine_->agent(0)); }
  void arrive();

  Machine* machine_;
  Recollection<Journal> recollection_;
  UniformWalk walk_;
  Return return_;
  std::uint32_t here_ = 0;
};

}  // namespace agentnet::theory
