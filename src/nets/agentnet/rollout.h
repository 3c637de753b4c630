// One complete run of all agents of a shard: the loop over t forward, and in reverse.
//
//   rollout.forward(task);       // T + 1 visits and T moves; outputs() is their mean
//   ...loss...                   // the caller turns outputs into d_outputs
//   rollout.backward(d_outputs, gradient, inputs);
//
// or, to see which nodes and edges those outputs came from, the same with task.explaining and backward_to_states().
//
// A Rollout belongs to one worker and is used for shard after shard; its memory is kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nets/agentnet/agent_update.h"
#include "nets/agentnet/embed.h"
#include "nets/agentnet/neighbourhood.h"
#include "nets/agentnet/node_update.h"
#include "nets/agentnet/readout.h"
#include "nets/agentnet/transition.h"
#include "nets/agentnet/walk.h"

namespace agentnet {

// What a shard is and how it is to be run.
template <class S>
struct RolloutTask {
  const Weights<S>* weights = nullptr;
  std::span<const GraphView> graphs;
  std::span<const std::uint64_t> graph_ids;
  std::size_t first_in_batch = 0;
  RolloutOptions options;
  bool training = false;    // backward will follow
  bool explaining = false;  // and it serves to explain, not to learn (Walk::explaining)
};

// Work done by a rollout: what the cost of the model depends on, and what it must not depend on.
struct RolloutWork {
  std::uint64_t nodes_touched = 0;  // rows with a state: occupied nodes and their neighbours
  std::uint64_t occupied = 0;       // sum over visits of U
  std::uint64_t looking = 0;        // sum over visits of the nodes that looked around
  std::uint64_t candidates = 0;     // sum over moves and agents of the candidates weighed
  std::uint64_t edges_summed = 0;   // sum over visits of the neighbours of nodes that looked around
  std::uint64_t edges_read = 0;     // entries of neighbour lists that were read
  std::uint64_t bytes_read = 0;     // of files
  std::uint64_t pages_read = 0;     // of files, each counted once in a rollout of a shard

  RolloutWork& operator+=(const RolloutWork& other);
};

template <class S>
class Rollout {
 public:
  void forward(const RolloutTask<S>& task);

  // [B, C] the mean over t.
  [[nodiscard]] Matrix<S> outputs() const { return outputs_; }
  // [B, C] of visit t.
  [[nodiscard]] Matrix<S> step_output(int t) const { return step_outputs_[static_cast<std::size_t>(t)]; }
  // The node of its graph that agent a (of A) stood on during visit t.
  [[nodiscard]] std::uint64_t position(int t, Index a) const;
  // [A, h] agent states after visit t.
  [[nodiscard]] Matrix<S> agents_after(int t) const { return agent_states_[static_cast<std::size_t>(t) + 1]; }
  [[nodiscard]] const RolloutWork& work() const { return work_; }

  // Adds to `gradient` (Weights::gradient_size()); `inputs` is null or has an entry per graph.
  void backward(Matrix<S> d_outputs, S* gradient, InputGradient<S>* inputs);

  // After a forward with `explaining`: what follows it stays readable until the next.
  //
  // The gradient with respect to the states that nodes and edges began with.
  void backward_to_states(Matrix<S> d_outputs);
  // <gradient, state> of a node row, or of an edge row: gradient times input, after the embedding.
  [[nodiscard]] double node_influence(Index row) const;
  [[nodiscard]] double edge_influence(Index row) const;
  // The agent in a slot of visit t, and how likely each candidate (terrain().place(row_of(t, agent))) was for it.
  [[nodiscard]] Index agent_in(int t, Index slot) const {
    return visits_[static_cast<std::size_t>(t)].occupied.agents[slot];
  }
  void choices(int t, Index slot, std::vector<S>& probability) const;
  [[nodiscard]] Index agents_in_all() const { return walk_.A; }
  // The agents of graph g of the shard are [first_agent(g), first_agent(g + 1)).
  [[nodiscard]] Index first_agent(Index g) const { return walk_.first_agent[g]; }
  [[nodiscard]] Index row_of(int t, Index agent) const { return positions_[static_cast<std::size_t>(t)][agent]; }
  [[nodiscard]] const Terrain<S>& terrain() const { return terrain_; }

  // Bytes held.
  [[nodiscard]] std::size_t memory() const;

 private:
  struct Visit {
    Occupied<S> occupied;
    NodeUpdateRecord<S> node_update;
    NeighbourhoodRecord<S> neighbourhood;
    AgentUpdateRecord<S> agent_update;
    ReadoutRecord<S> readout;
    MoveRecord<S> move;
  };

  void begin(const RolloutTask<S>& task);
  [[nodiscard]] std::uint64_t drawn_start(std::size_t graph, std::uint32_t number) const;
  [[nodiscard]] std::uint64_t start_of(std::size_t graph, std::uint32_t number) const;
  void place_agents();
  [[nodiscard]] Occupied<S> find_occupied();
  [[nodiscard]] Onlookers onlookers(const Occupied<S>& occupied);
  void visit_forward(int t);
  void visits_backward(Matrix<S> d_outputs);
  void visit_backward(int t, Matrix<S> d_outputs);
  void keep_first_states(Index rows_before);

  Walk<S> walk_;
  Terrain<S> terrain_;
  Messages<S> messages_;
  Arena record_, scratch_;
  std::vector<Visit> visits_;
  std::vector<Matrix<S>> agent_states_;       // [T + 2] of [A, h]: before visit t, and at the end
  std::vector<const Index*> positions_;       // [T + 1] of [A]
  std::vector<const Index*> taken_;           // [T + 1] of [A]
  std::vector<Matrix<S>> step_outputs_;       // [T + 1] of [B, C]
  std::vector<Index> occupied_of_row_;        // scratch of find_occupied
  std::vector<CandidateBit> candidate_bits_;  // scratch of read_candidate_bits
  Matrix<S> outputs_;
  RolloutWork work_;
  std::vector<S> d_nodes_, d_edges_;
  std::vector<S> first_states_;  // [rows, h] when explaining: node states before any update
  std::vector<S> unused_;        // gradients of weights that nobody asked for
};

}  // namespace agentnet
