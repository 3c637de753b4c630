// The policies of the paper's proofs.
#pragma once

#include <cstdint>
#include <vector>

#include "theory/machine/policy.h"
#include "theory/machine/recollection.h"

namespace agentnet::theory {

// All neighbours alike: the random walk of the random walk access model.
class UniformWalk : public Policy {
 public:
  explicit UniformWalk(const States& states) : states_(&states) {}
  std::uint32_t weight(AgentState agent, NodeState candidate) override;

 private:
  const States* states_;
};

// Never moves: n such agents are a message-passing network.
class Stay : public Policy {
 public:
  explicit Stay(const States& states) : states_(&states) {}
  std::uint32_t weight(AgentState agent, NodeState candidate) override;

 private:
  const States* states_;
};

// Where a search wants to go next.
struct Wish {
  enum class Kind {
    kStay,
    kBack,       // to the neighbour that it left at `time`
    kUnvisited,  // to a neighbour that it has not visited since `time`
  };
  Kind kind = Kind::kStay;
  std::uint32_t time = 0;
};

// Depth-first search: to a neighbour it never visited, if there is one, else back where it came from first. Stays once
// it has visited the whole component.
struct DepthFirst {
  Journal journal;
  Wish wish;

  void visit(const Sight& sight);
  [[nodiscard]] bool done() const { return wish.kind == Wish::Kind::kStay; }

 private:
  std::uint32_t fresh_places_ = 0;  // places with neighbours that were not visited
};

// Iteratively deepening depth-first search of the r-hop neighbourhood of its start (lemma "DFS"). Stays once it has
// visited all of it, which it knows when no place nearer than r has a neighbour that was not visited.
struct Deepening {
  std::uint32_t radius = 1;
  Journal journal;
  std::vector<std::uint32_t> distance;  // of places from the start: the iteration that found them
  Wish wish;

  explicit Deepening(std::uint32_t r) : radius(r) {}
  void visit(const Sight& sight);
  [[nodiscard]] bool done() const { return wish.kind == Wish::Kind::kStay; }

 private:
  [[nodiscard]] bool all_seen() const;
  [[nodiscard]] bool has_unvisited(std::uint32_t place) const;
  void choose();

  std::uint32_t iteration_ = 1, began_ = 0;
  std::vector<std::uint32_t> visited_in_;  // the last iteration that visited a place
  std::vector<std::uint32_t> parent_;      // in that iteration
};

template <class Search>
class SearchPolicy : public Policy {
 public:
  SearchPolicy(const States& states, Search fresh) : states_(&states), recollection_(states, fresh) {}

  std::uint32_t weight(AgentState agent, NodeState candidate) override {
    const Wish& wish = recollection_.of(agent).wish;
    const bool own = candidate == states_->visit(agent).node;
    if (wish.kind == Wish::Kind::kStay || own) return own && wish.kind == Wish::Kind::kStay ? 1 : 0;
    const std::uint32_t time = last_visit(*states_, candidate, states_->id(agent));
    if (wish.kind == Wish::Kind::kBack) return time == wish.time ? 1 : 0;
    return time == kNever || time < wish.time ? 1 : 0;
  }
  // What an agent in this state knows and wants.
  [[nodiscard]] const Search& search(AgentState agent) { return recollection_.of(agent); }

 private:
  const States* states_;
  Recollection<Search> recollection_;
};

}  // namespace agentnet::theory
