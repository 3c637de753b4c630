// A rollout over the shards of a batch: predictions, loss and gradients.
//
// Shards are fixed by the data; workers pick them up as they are free, and the shards' gradients are added in the order
// of a fixed tree (nn/sum_tree.h). Loss, outputs and gradients therefore have the same bytes for any number of threads
// and any order in which shards are picked up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/graph.h"
#include "core/thread_pool.h"
#include "graph/shards.h"
#include "nets/agentnet/rollout.h"
#include "nets/agentnet/weights.h"
#include "nn/network.h"
#include "nn/sum_tree.h"

namespace agentnet {

// Everything a rollout decided, for replay, explanations and tests. Agents of the batch stand graph by graph: a = g k +
// number, or, with agents on every node, from first_agent[g] on.
template <class S>
struct Trace {
  std::vector<std::vector<std::uint64_t>> positions;  // [T + 1][A] node of the agent's graph
  std::vector<S> step_outputs;                        // [T + 1, B, C]
  std::vector<S> agent_states;                        // [T + 1, A, h] after each visit
  std::vector<std::size_t> first_agent;               // [B + 1]
};

template <class S>
class Engine {
 public:
  // `pool` must outlive the engine. Throws Error (kUsage) for a config that is not valid.
  Engine(const AgentNetConfig& config, ThreadPool& pool);

  [[nodiscard]] const AgentNetConfig& config() const { return weights_->config(); }
  [[nodiscard]] const ParameterLayout& layout() const { return weights_->layout(); }

  // The weights of all later calls: weights of the same config that others may use at the same time, or an own copy
  // made of `values` (layout().size() entries). Either must stay unchanged until the next call of these functions.
  void use(const Weights<S>& shared) { weights_ = &shared; }
  void set_parameters(std::span<const S> values) {
    own_weights_->prepare(values);
    weights_ = own_weights_.get();
  }

  // outputs [B, C], row by row; `trace` may be null. Throws Error (kMismatch) if a graph's features do not fit the
  // config.
  void predict(const Batch& batch, const RolloutOptions& options, std::span<S> outputs, Trace<S>* trace = nullptr);

  struct Wanted {
    Trace<S>* trace = nullptr;
    std::span<S> outputs;                             // [B, C], or empty
    std::vector<InputGradient<S>>* inputs = nullptr;  // an entry per graph, filled
  };
  // Writes the gradient of the loss (layout().size() entries) and returns the loss. Frozen parameters get zero.
  double gradients(const Batch& batch, const RolloutOptions& options, const LossFunction<S>& loss,
                   std::span<S> gradient, const Wanted& wanted = {});

  // The same in two parts (nn/network.h, Runner): the shards [first, last) of a batch, and the step from their sum.
  [[nodiscard]] std::size_t shards(const Batch& batch, const RolloutOptions& options) const;
  [[nodiscard]] std::size_t sum_width() const { return weights_->gradient_size(); }
  void add_shards(const Batch& batch, const RolloutOptions& options, const LossFunction<S>& loss, std::size_t first,
                  std::size_t last, SumTree<S>& sums, const Wanted& wanted = {});
  void finish(std::span<S> sum, std::span<S> gradient) const;

  // A rollout whose every decision can be read: `look` is called for each shard, by several workers at once, after the
  // gradient of `score` has gone back to the states that nodes and edges began with. Without a score it has not.
  using Look = std::function<void(std::size_t first, std::size_t count, const Rollout<S>& rollout)>;
  void explain(const Batch& batch, const RolloutOptions& options, const LossFunction<S>& score, const Look& look);

  // Of the last call.
  [[nodiscard]] const RolloutWork& work() const { return work_; }
  // Bytes held beyond weights and data.
  [[nodiscard]] std::size_t memory() const;

  // For tests: the order in which shards are picked up; empty: ascending.
  std::vector<std::size_t> pickup_order;

 private:
  [[nodiscard]] int agents_of(const RolloutOptions& options) const;
  [[nodiscard]] std::vector<Shard> shards_of(const Batch& batch, const RolloutOptions& options) const;
  [[nodiscard]] RolloutTask<S> task(const Batch& batch, const Shard& shard, const RolloutOptions& options,
                                    bool training) const;
  // f(shard, rollout) for the shards [first, last).
  void run(std::size_t first, std::size_t last, const std::function<void(std::size_t, Rollout<S>&)>& f);
  void start_trace(Trace<S>& trace, const Batch& batch) const;
  void fill_trace(Trace<S>& trace, const Shard& shard, std::size_t graphs, const Rollout<S>& rollout) const;

  ThreadPool& pool_;
  std::unique_ptr<Weights<S>> own_weights_;
  const Weights<S>* weights_;
  std::vector<std::unique_ptr<Rollout<S>>> rollouts_;  // one per worker
  BufferPool<S> buffers_;                              // of shards' gradients
  RolloutWork work_;
};

}  // namespace agentnet
