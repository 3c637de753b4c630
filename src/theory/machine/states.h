// The states of nodes and agents of the programmed AgentNet ("the machine", machine.h): interned values.
//
// The paper's injective functions f_v, f_n and f_a become a table: a tuple of inputs gets a fresh number the first time
// it is met and the same number ever after. So they are injective by construction, not by luck of a hash, and a state
// can be read back, as the paper's functions can be inverted. A state holds what the paper's functions could have put
// into it: features, times, agents' ids and other states. There are no numbers of nodes in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace agentnet::theory {

// Two types, so that a policy that mixes them up does not compile.
struct NodeState {
  std::uint32_t number = 0;
  auto operator<=>(const NodeState&) const = default;
};
struct AgentState {
  std::uint32_t number = 0;
  auto operator<=>(const AgentState&) const = default;
};

// Which function made a state.
enum class StateKind : std::uint32_t {
  kFeature,  // a node that no agent has visited: its features
  kMarked,   // f_v: the node's state before, the time, the multiset of the states of the agents on it
  kLooked,   // f_n: the node's state, the multiset of its neighbours' states
  kReady,    // an agent before its first visit: its id
  kVisited,  // f_a: the agent's state before, the state of its node
};

// Not for two threads at once. A million visits take some 100 MB: whoever runs long starts afresh now and then.
class States {
 public:
  States();

  [[nodiscard]] NodeState feature(std::span<const std::uint32_t> features);
  [[nodiscard]] NodeState marked(NodeState before, std::uint32_t time, std::span<AgentState> agents);  // sorts them
  [[nodiscard]] NodeState looked(NodeState own, std::span<NodeState> neighbours);                      // sorts them
  [[nodiscard]] AgentState ready(std::uint32_t id);
  [[nodiscard]] AgentState visited(AgentState before, NodeState node);

  // What a state was made of.
  [[nodiscard]] StateKind kind(NodeState state) const { return kind_of(state.number); }
  [[nodiscard]] StateKind kind(AgentState state) const { return kind_of(state.number); }
  [[nodiscard]] std::span<const std::uint32_t> features(NodeState feature) const { return inputs(feature.number); }
  struct Mark {
    NodeState before;
    std::uint32_t time = 0;
    std::span<const std::uint32_t> agents;  // numbers of AgentStates, ascending
  };
  [[nodiscard]] Mark mark(NodeState marked) const {
    const auto words = inputs(marked.number);
    return {{words[0]}, words[1], words.subspan(2)};
  }
  struct Look {
    NodeState own;
    std::span<const std::uint32_t> neighbours;  // numbers of NodeStates, ascending
  };
  [[nodiscard]] Look look(NodeState looked) const {
    const auto words = inputs(looked.number);
    return {{words[0]}, words.subspan(1)};
  }
  [[nodiscard]] std::uint32_t id(AgentState state) const { return inputs(state.number)[0]; }  // of any agent's state
  struct Visit {
    AgentState before;
    NodeState node;
  };
  [[nodiscard]] Visit visit(AgentState visited) const {
    const auto words = inputs(visited.number);
    return {{words[1]}, {words[2]}};
  }

  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }

 private:
  [[nodiscard]] std::uint32_t intern(StateKind kind, std::span<const std::uint32_t> head,
                                     std::span<const std::uint32_t> tail);
  [[nodiscard]] StateKind kind_of(std::uint32_t number) const { return static_cast<StateKind>(words_[first_[number]]); }
  [[nodiscard]] std::span<const std::uint32_t> inputs(std::uint32_t number) const {
    return {words_.data() + first_[number] + 1, words_.data() + first_[number + 1]};
  }
  void grow();

  std::vector<std::uint32_t> words_;  // of all states, one after another: the kind, then the inputs
  std::vector<std::uint64_t> first_;  // [states + 1] where they begin
  struct Slot {
    std::uint32_t hash = 0, number = 0;  // number + 1; 0: free
  };
  std::vector<Slot> slots_;  // open addressing; a power of two
  std::vector<std::uint32_t> sorted_;
};

// The last time that agent `id` was on a node in this state, or kNever.
inline constexpr std::uint32_t kNever = 0xFFFFFFFFu;
[[nodiscard]] std::uint32_t last_visit_of_marked(const States& states, NodeState node, std::uint32_t id);
[[nodiscard]] inline std::uint32_t last_visit(const States& states, NodeState node, std::uint32_t id) {
  // Most neighbours that an agent looks at nobody visited.
  return states.kind(node) == StateKind::kFeature ? kNever : last_visit_of_marked(states, node, id);
}
// The features under all the marks.
[[nodiscard]] inline NodeState first_state(const States& states, NodeState node) {
  while (states.kind(node) != StateKind::kFeature) {
    if (states.kind(node) == StateKind::kLooked) node = states.look(node).own;
    node = states.mark(node).before;
  }
  return node;
}

}  // namespace agentnet::theory
