// Training a model on labelled graphs.
//
//   Dataset data = read_data("MUTAG.zip", {});
//   Split split = ...;                                      // which graphs to learn from, to choose by, to test on
//   TrainResult result = train(data, split, model_config, train_config);
//   result.model.save("model.safetensors");
//
// The same data, options and seed give the same weights, bit for bit, for any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/data.h"
#include "agentnet/metrics.h"
#include "agentnet/model.h"

namespace agentnet {

enum class Loss {
  kAuto,  // cross entropy for classes, binary cross entropy for yes/no questions, absolute error for numbers
  kCrossEntropy,
  kBinaryCrossEntropy,
  kAbsoluteError,
  kSquaredError,
};
enum class Schedule {
  kQuarterCosine,  // the authors': rate * cos(pi/2 * epoch / epochs)
  kCosine,         // half a cosine, step by step, down to zero
  kConstant,
  kPlateau,  // lower by plateau_factor whenever the metric has not improved for plateau_patience evaluations
};
enum class Sampling {
  kShuffle,      // an epoch shows every graph once, or begins to, in random order
  kReplacement,  // every graph of a batch is drawn from all, as the authors do on TU sets
  kBalanced,     // drawn from the classes in turn, so that a batch has as many graphs of each
};
enum class Features { kStandardised, kRaw };   // how columns of numbers of nodes and edges are read
enum class ClassWeights { kNone, kBalanced };  // balanced: a class weighs as much as any other, however rare

// How to train. One declaration per option; src/train/train_config.cpp holds the table (range, help).
struct TrainConfig {
  // How long, and on what.
  std::uint64_t epochs = 100;
  // How a run was extended: "20/30" says that after epoch 20 of a schedule of 30 there came another one, which ends
  // with the next entry, or with `epochs`. In ascending order.
  std::vector<std::string> extended = {};
  std::uint64_t steps_per_epoch = 0;  // 0: as many as show each training graph once
  int batch = 32;
  Sampling sampling = Sampling::kShuffle;

  // What is learned.
  Loss loss = Loss::kAuto;
  ClassWeights class_weights = ClassWeights::kNone;
  // Standardised: as deviations from their mean over the training part, in units of their spread. The model file holds
  // the scale, so that a model is always given the numbers that the data has.
  Features features = Features::kStandardised;
  bool standardise = true;  // numbers are learned as deviations from their mean, in units of their spread

  // The optimizer.
  double learning_rate = 1e-3;
  Schedule schedule = Schedule::kQuarterCosine;
  std::uint64_t warmup = 0;  // steps over which the rate rises from zero
  double plateau_factor = 0.5;
  std::uint64_t plateau_patience = 10;
  double weight_decay = 0.01;
  double beta1 = 0.9, beta2 = 0.999;
  double clip = 1.0;  // largest norm of a gradient; 0: no limit

  std::string metric = "auto";  // what is told of the validation part, and folds and models are compared by
  // How the best epoch is found: by "metric", or by another one, on the validation part, of equals by the lower log
  // loss; without such a part the last is best.
  std::string choose_by = "metric";
  std::uint64_t evaluate_every = 1;  // epochs
  std::uint64_t patience = 0;        // evaluations without improvement that end the training; 0: never
  int rollouts = 1;                  // that are averaged in these evaluations
  int test_rollouts = 8;             // and in the test at the end

  std::uint64_t seed = 0;

  bool operator==(const TrainConfig&) const = default;
};

// Throws Error (kUsage) naming the first option that is out of range or contradicts another.
void validate(const TrainConfig& config);
[[nodiscard]] std::vector<OptionHelp> train_options();
[[nodiscard]] std::string to_json(const TrainConfig& config);
// Sets what the JSON object has, on top of `config`. Unknown keys and wrong values throw Error (kUsage).
void apply_json(TrainConfig& config, const std::string& json);

// What is known at the end of an epoch.
struct EpochRecord {
  std::uint64_t epoch = 0;  // from 1
  std::uint64_t steps = 0;  // of the optimizer, from the beginning
  double learning_rate = 0;
  double loss = 0;               // mean over the epoch's batches
  double gradient_norm = 0;      // mean, before clipping
  std::optional<double> metric;  // on the validation part, in epochs that evaluate
  Scores valid;                  // every metric that fits the task; the same
  bool best = false;             // so far
  double seconds = 0;            // since the beginning, over all sessions of a run
};

struct TrainHooks {
  std::function<void(const EpochRecord&)> on_epoch = {};
  // Called after every step with the number of steps done and to do; true ends the training early.
  std::function<bool(std::uint64_t done, std::uint64_t of)> should_stop = {};
};

// What a training may begin with besides data and options.
struct TrainStart {
  // Its weights are where training starts, instead of new ones: a model of the same kind and options, for data of the
  // same columns and outputs (else Error, kMismatch).
  const Model* model = nullptr;
  // [graphs of the data] how much each counts in the loss, finite and not negative (else Error, kUsage); empty: all the
  // same. What is fitted as a whole (wl, forest, boosting) refuses weights and models to start from (kUsage).
  std::span<const double> weights = {};
};

struct TrainResult {
  Model model;  // of the best epoch
  std::vector<EpochRecord> history;
  std::uint64_t best_epoch = 0;
};

// Trains a network from new weights. Its shape is that of the data, whatever `network` says. Throws Error: kUsage for
// options that make no sense or an empty training part, kData if the data has no targets, kFailure if the loss stops
// being finite.
[[nodiscard]] TrainResult train(const Dataset& data, const Split& split, const NetworkConfig& network,
                                const TrainConfig& config, int threads = 1, const TrainHooks& hooks = {},
                                const TrainStart& start = {});

}  // namespace agentnet
