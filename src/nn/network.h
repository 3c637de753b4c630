// What a trainable graph network is. Trainer, checkpoints, runs, cross-validation, prediction and the model file know
// networks by these classes alone; docs/architecture.md, "Add a network", says what a new one needs.
//
//   Network   what it is: kind, options, parameters and how they start. Immutable; shared by any number of threads.
//   Prepared  weights made ready for running: norms folded, matrices packed. Immutable while they are used, and shared.
//   Runner    runs batches: outputs, losses and gradients. Holds the memory that a call needs, so that it belongs to
//             one caller at a time; its work is spread over a thread pool.
//
// Letters: B graphs of a batch, C outputs, S the scalar type: float to train and predict, double to check.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "agentnet/graph.h"
#include "agentnet/network.h"
#include "core/thread_pool.h"
#include "nn/input_scale.h"
#include "nn/parameters.h"
#include "nn/sum_tree.h"
#include "tensor/matrix.h"

namespace agentnet {

// Graphs to run, and for each the number that its random draws are keyed by.
struct Batch {
  std::span<const GraphView> graphs;
  std::span<const std::uint64_t> ids;
};

// Throws Error (kMismatch), naming the first graph whose feature columns are not those of the shape.
void check_columns(const DataShape& shape, const Batch& batch);

// The loss of graphs [first, first + count) of the batch: given their outputs [count, C], fills d_outputs and returns
// their share of the batch's loss. Called by several workers at once.
template <class S>
using LossFunction =
    std::function<double(std::size_t first, std::size_t count, Matrix<const S> outputs, Matrix<S> d_outputs)>;

// How a batch is to be run.
struct Call {
  std::uint64_t seed = 0;
  std::uint64_t number = 0;  // of the optimizer's step in training, of the rollout in prediction; keys random draws
  bool training = false;     // dropout, curricula and statistics of the batch are for training only
  // For networks that walk; others refuse what is not the default.
  bool greedy = false;      // every agent takes its likeliest move
  double temperature = 0;   // 0: the network's own
  int max_neighbours = -1;  // of nodes with more, a uniform sample of so many; 0: all; negative: the network's own
  const std::function<void()>* may_end = nullptr;  // called before each shard, if set; what it throws ends the call

  [[nodiscard]] bool asks_for_walks() const { return greedy || temperature != 0 || max_neighbours >= 0; }
};

template <class S>
class Prepared {
 public:
  virtual ~Prepared() = default;
  // `parameters` and `buffers` must stay as they are while these weights are used.
  virtual void prepare(std::span<const S> parameters, std::span<const S> buffers) = 0;

  // How these weights want columns of numbers: a network reads every row of dense features through this. It belongs to
  // the weights, so that nobody who runs them can forget it. Set before prepare().
  void read_inputs_as(InputScale inputs) { inputs_ = std::move(inputs); }
  [[nodiscard]] const InputScale& inputs() const { return inputs_; }

 private:
  InputScale inputs_;
};

template <class S>
class Runner {
 public:
  virtual ~Runner() = default;

  // The weights of all later calls, made by the same network; they must outlive those.
  virtual void use(const Prepared<S>& weights) = 0;

  // outputs [B, C], row by row. `walks` may be null; a network that does not walk refuses it. Throws Error: kMismatch
  // if a graph does not fit the network, kData if the file that a graph lies in is damaged.
  virtual void outputs(const Batch& batch, const Call& call, std::span<S> outputs, Walks* walks) = 0;

  // A gradient is a sum over shards, in the order of a fixed tree (nn/sum_tree.h). "My shards' gradient" and "the step"
  // are apart, so that processes can share a batch: each adds its own shards, sums travel, and everybody finishes.
  //
  // The number of shards that a batch is cut into; it depends on these two alone. Networks whose graphs interact (batch
  // normalisation) have one.
  [[nodiscard]] virtual std::size_t shards(const Batch& batch, const Call& call) const = 0;
  // Width of the vectors that are summed; at least the number of parameters.
  [[nodiscard]] virtual std::size_t sum_width() const = 0;
  // Computes shards [first, last) and gives their gradients and losses to `sums`.
  virtual void add_shards(const Batch& batch, const Call& call, const LossFunction<S>& loss, std::size_t first,
                          std::size_t last, SumTree<S>& sums) = 0;
  // The gradient of all parameters, zero for frozen ones, from the sum over all shards, which it may overwrite.
  virtual void finish(std::span<S> sum, std::span<S> gradient) = 0;
  // Running statistics after the last add_shards() in training: replaces `buffers`. Most networks have none.
  virtual void update_buffers(std::span<S> /*buffers*/) {}

  // All of that at once; returns the loss.
  double gradients(const Batch& batch, const Call& call, const LossFunction<S>& loss, std::span<S> gradient);

  // Of the last call.
  [[nodiscard]] virtual RunWork work() const = 0;
  // Bytes held beyond weights and data.
  [[nodiscard]] virtual std::size_t memory() const = 0;

 private:
  BufferPool<S> buffers_;
};

// What a network that walks can be asked; pictures and tables of walks need it.
struct WalkTraits {
  int agents = 0;        // k
  int steps = 0;         // T
  bool may_stay = true;  // whether agents may stay where they are
};

template <class S>
class Network {
 public:
  virtual ~Network() = default;

  // Kind, every option, and the shape of the data.
  [[nodiscard]] const NetworkConfig& config() const { return config_; }
  [[nodiscard]] const DataShape& shape() const { return config_.shape; }
  [[nodiscard]] std::size_t outputs() const { return static_cast<std::size_t>(config_.shape.outputs); }
  [[nodiscard]] const ParameterLayout& parameters() const { return parameters_; }
  // Numbers that are kept with the weights but not learned: running statistics.
  [[nodiscard]] const ParameterLayout& buffers() const { return buffers_; }

  // Starting values drawn from `seed`.
  virtual void initialise(std::uint64_t seed, std::span<S> parameters) const = 0;
  virtual void initialise_buffers(std::span<S> buffers) const;

  // Whether two calls with different numbers give different outputs outside of training: such networks are averaged
  // over rollouts, others are run once.
  [[nodiscard]] virtual bool draws() const = 0;
  // One line for a person: "AgentNet with 16 agents, 8 steps, hidden size 64".
  [[nodiscard]] virtual std::string description() const = 0;

  // Changes the weights so that every output c becomes output * scale[c] + shift[c]: regression targets are learned in
  // units of their spread, and the model answers in those of the data.
  virtual void scale_outputs(std::span<S> parameters, std::span<const double> scale,
                             std::span<const double> shift) const = 0;

  [[nodiscard]] virtual std::unique_ptr<Prepared<S>> make_prepared() const = 0;
  // `pool` must outlive the runner.
  [[nodiscard]] virtual std::unique_ptr<Runner<S>> make_runner(ThreadPool& pool) const = 0;

  // What only some networks have.
  //
  // Called before step `step` of a training (from 0), which may change weights where a phase of its curriculum ends.
  virtual void before_step(std::uint64_t /*step*/, std::span<S> /*parameters*/) const {}
  [[nodiscard]] virtual std::optional<WalkTraits> walks() const { return std::nullopt; }

 protected:
  explicit Network(NetworkConfig config) : config_(std::move(config)) {}

  NetworkConfig config_;
  ParameterLayout parameters_, buffers_;
};

}  // namespace agentnet
