// Training, step by step. Whoever drives it decides when to stop, what to show and when to keep a checkpoint:
//
//   Trainer trainer(data, split, network, config, pool);
//   while (!trainer.finished()) {
//     if (auto record = trainer.step()) show(*record);   // an epoch has ended
//   }
//   Model model = trainer.best_model();
//
// Nothing depends on time or on the number of threads: a snapshot that is restored, even in another process and in the
// middle of an epoch, leads to the same weights bit for bit.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "agentnet/metrics.h"
#include "agentnet/train.h"
#include "core/thread_pool.h"
#include "nn/network.h"
#include "train/adamw.h"
#include "train/loss.h"
#include "train/sampler.h"
#include "train/schedule.h"

namespace agentnet {

// Weights, the statistics that are kept beside them, and what the optimizer knows of them.
struct OptimizerState {
  std::vector<float> parameters, first_moment, second_moment;
  std::vector<float> buffers;  // of most networks empty
  std::uint64_t steps = 0;
  bool operator==(const OptimizerState&) const = default;
};

// Everything that training needs to go on.
struct Snapshot {
  OptimizerState now;
  OptimizerState epoch_start;  // the last good state: where a loss that is not finite leads back to
  std::vector<float> best;     // weights of the best epoch; empty before the first
  std::vector<float> best_buffers;

  std::uint64_t epoch = 0, step = 0;  // finished epochs; finished steps of the current one
  double loss_sum = 0, norm_sum = 0;  // of these steps
  double rate_factor = 1;             // what plateaus and a retry have left of the scheduled rate
  bool retried = false;
  std::uint64_t evaluations = 0;
  std::uint64_t since_best = 0, since_plateau = 0;  // evaluations without improvement
  double best_metric = std::numeric_limits<double>::quiet_NaN();
  // Between epochs of the same metric, or with none that is defined: the log loss, of numbers the training loss.
  double best_tie_break = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t best_epoch = 0;
  bool out_of_patience = false;
  bool left_chance = true;  // whether some epoch's loss was clearly below that of a constant answer

  bool operator==(const Snapshot&) const;
};

// Mean and spread of each target column over the training part, which numbers are learned in units of.
struct TargetScale {
  std::vector<double> mean, deviation;  // 0 and 1 where nothing is to be changed
};

class Trainer {
 public:
  // The shape of the network must be that of the data (shape_of). `data` and `pool` must outlive the trainer. Throws
  // Error: kUsage for options that make no sense or an empty training part, kData for data without targets, kMismatch
  // for a network of another shape.
  Trainer(const Dataset& data, Split split, std::shared_ptr<const Network<float>> network, const TrainConfig& config,
          ThreadPool& pool);

  // Before the first step. Weights to start from, and how much each graph of the data counts (TrainStart).
  void begin_with(const TrainStart& start);

  [[nodiscard]] bool finished() const;
  // One step of the optimizer; at the end of an epoch its evaluation, and its record (without `seconds`).
  // If the loss is not finite, the epoch starts again with a tenth of the learning rate; the second time throws Error
  // (kFailure).
  std::optional<EpochRecord> step();

  [[nodiscard]] std::uint64_t steps_per_epoch() const { return sampler_.steps_per_epoch(); }
  [[nodiscard]] std::uint64_t steps_done() const { return state_.epoch * steps_per_epoch() + state_.step; }
  [[nodiscard]] std::uint64_t steps_in_all() const { return config_.epochs * steps_per_epoch(); }
  [[nodiscard]] std::uint64_t last_batch() const { return last_batch_; }  // graphs of the last step
  [[nodiscard]] double last_loss() const { return last_loss_; }
  [[nodiscard]] Metric metric() const { return metric_; }
  [[nodiscard]] Metric chooser() const { return chooser_; }  // of the best epoch
  [[nodiscard]] const TrainConfig& config() const { return config_; }
  // The loss of the best answer that is the same for all graphs; NaN if there is nothing to compare with.
  [[nodiscard]] double chance_loss() const { return chance_; }
  [[nodiscard]] const Network<float>& network() const { return *network_; }

  // Where training stands; without the weights and moments of now.
  [[nodiscard]] const Snapshot& state() const { return state_; }
  [[nodiscard]] std::size_t parameter_count() const { return parameters_.size(); }

  [[nodiscard]] Snapshot snapshot() const;
  // Of a trainer with the same data, split and options. Throws Error (kMismatch) if the number of weights differs.
  void restore(Snapshot snapshot);

  // The model of the best epoch so far; of the current weights before the first evaluation. Its outputs are in the
  // units of the data.
  [[nodiscard]] Model best_model() const;

  // Predictions [graphs, C] (probabilities, or numbers in the units of the data) with the current weights. `evaluation`
  // keys the random draws.
  [[nodiscard]] std::vector<double> predict(std::span<const std::size_t> graphs, std::uint64_t evaluation);

 private:
  [[nodiscard]] std::vector<double> weights_of_classes() const;
  // The weights of now, ready for running.
  Runner<float>& ready();
  // In units of learning, row by row.
  [[nodiscard]] std::vector<double> scaled_targets(std::span<const std::size_t> graphs) const;
  // Loss and gradient of a batch; false if they are not finite.
  bool compute_gradient(std::span<const std::size_t> batch);
  void retry(const char* what);
  [[nodiscard]] EpochRecord end_epoch();
  [[nodiscard]] bool at_end_of_stage() const;
  void begin_stage();
  void evaluate(EpochRecord& record);
  [[nodiscard]] OptimizerState optimizer_state() const;

  const Dataset& data_;
  Split split_;
  TrainConfig config_;
  Metric metric_, chooser_;
  LossKind loss_;
  TargetScale scale_;
  InputScale inputs_;
  std::vector<double> class_weights_, graph_weights_;
  double chance_ = 0;
  std::vector<Stage> stages_;
  Sampler sampler_;
  std::shared_ptr<const Network<float>> network_;
  std::unique_ptr<Prepared<float>> prepared_;
  std::unique_ptr<Runner<float>> runner_;
  AdamW<float> optimizer_;
  std::vector<float> parameters_, buffers_, gradient_;
  Snapshot state_;  // but for the weights and moments of now, which are where they are used
  double last_loss_ = 0, last_norm_ = 0, last_rate_ = 0;
  std::uint64_t last_batch_ = 0;
};

// Throws Error (kUsage) unless there is one finite weight per graph, none negative, and one of `train` counts.
void check_graph_weights(std::span<const double> weights, std::size_t graphs, std::span<const std::size_t> train);

// The metric of this name; "auto": the task's own. Throws Error (kUsage) for one that does not fit the task.
[[nodiscard]] Metric metric_of(const std::string& name, Task task);
// The one that the best epoch is chosen by.
[[nodiscard]] Metric chooser_of(const TrainConfig& config, Task task);
// Whether an error of Trainer::step() says that the loss or a weight stopped being finite: the settings are at fault,
// and neither the machine nor the data.
[[nodiscard]] bool is_divergence(const Error& error);
// What the data says of a model that was trained on it: task, labels, schema.
void describe_training(Model& model, const Dataset& data);
// Throws Error (kUsage) if the metric or the loss is not one of the task's.
void check_goal(Task task, const TrainConfig& config);
// Throws what the Trainer would: for whoever clears a place for the results first.
void check_training(const Dataset& data, const Split& split, const TrainConfig& config);

// Targets of these graphs, row by row.
[[nodiscard]] std::vector<double> targets_of(const Dataset& data, std::span<const std::size_t> graphs);

}  // namespace agentnet
