// What the rollouts of one graph add up to, for its explanation.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agentnet/explain.h"
#include "nets/agentnet/rollout.h"

namespace agentnet {

class WalkTally {
 public:
  // `most_nodes` as in ExplainOptions.
  WalkTally(const GraphView& graph, std::uint64_t most_nodes);

  // A rollout of the shard whose graphs these are the tallies of.
  struct What {
    const AgentNetConfig& config;
    Task task = Task::kNone;
    bool influence = false;  // backward_to_states() was called
    bool recorded = false;   // keep it step by step
  };
  static void add(std::span<WalkTally> tallies, const Rollout<float>& rollout, const What& what);

  // Fills in everything that rollouts tell, as means over them.
  void finish(Explanation& explanation);

 private:
  struct Node {
    std::uint64_t id = 0;
    double visits = 0, touched = 0, influence = 0;
    bool on_recorded_path = false;
  };
  struct Crossing {
    double times = 0, influence = 0;
  };

  // Nodes get slots in the order of their first appearance; those of small graphs have their own number.
  [[nodiscard]] std::uint32_t slot(std::uint64_t node);
  void add_node(const Rollout<float>& rollout, Index row, bool influence);
  void add_edges_of_place(const Rollout<float>& rollout, Index row, std::uint32_t from);
  void add_walks(const Rollout<float>& rollout, Index g, const AgentNetConfig& config);
  void record(const Rollout<float>& rollout, Index g, const What& what);
  void record_outputs(const Rollout<float>& rollout, Index g, const What& what, RecordedRollout& record) const;
  [[nodiscard]] Choices choices_of(const Rollout<float>& rollout, int t, Index slot, std::vector<float>& probability);
  [[nodiscard]] std::vector<std::uint32_t> listed_slots() const;
  void list_edges(Explanation& explanation, const std::vector<std::uint32_t>& slots) const;
  void list_walks(Explanation& explanation, const std::vector<std::int64_t>& index_of_slot);

  GraphView graph_;
  std::uint64_t most_nodes_;
  bool whole_;  // every node is listed
  int rollouts_ = 0;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> slots_;  // unless whole_
  std::map<std::pair<std::uint32_t, std::uint32_t>, Crossing> crossings_;
  std::vector<RecordedRollout> walks_;  // with slots in place of indices
};

}  // namespace agentnet
