#include "train/fitting.h"

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "agentnet/predict.h"
#include "classic/fitter.h"
#include "nets/model_inside.h"
#include "train/trainer.h"

namespace agentnet {
namespace {

std::vector<double> predictions_of(const Model& model, const Dataset& data, std::span<const std::size_t> graphs,
                                   int threads) {
  std::vector<GraphView> views;
  views.reserve(graphs.size());
  for (const std::size_t g : graphs) views.push_back(data.graphs.view(g));
  PredictOptions options;
  options.threads = threads;
  return predict(model, views, options).mean;
}

}  // namespace

FittedModel fit_model(const Dataset& data, const Split& split, const NetworkKind& kind, const NetworkConfig& network,
                      const TrainConfig& config, int threads, const std::function<bool()>& should_stop) {
  check_training(data, split, config);
  const auto start = std::chrono::steady_clock::now();
  const Metric metric = metric_of(config.metric, data.schema.task);
  NetworkConfig shaped = network;
  shaped.shape = shape_of(data.schema);
  ThreadPool pool(threads);
  Fitted fitted = kind.fitter->fit(shaped, {.data = data,
                                            .train = split.train,
                                            .metric = metric,
                                            .balanced = config.class_weights == ClassWeights::kBalanced,
                                            .seed = config.seed,
                                            .pool = pool,
                                            .should_stop = should_stop});
  FittedModel result{
      ModelInside::make(std::move(fitted.network), std::move(fitted.parameters), std::move(fitted.buffers)),
      {},
      std::move(fitted.notes)};
  describe_training(result.model, data);
  result.model.card().training["seed"] = std::to_string(config.seed);

  EpochRecord& record = result.record;
  const Task task = data.schema.task;
  const int outputs = result.model.outputs();
  record.epoch = 1;
  record.best = true;
  record.loss = score(task == Task::kRegression ? Metric::kRmse : Metric::kLogLoss, task, outputs,
                      predictions_of(result.model, data, split.train, threads), targets_of(data, split.train),
                      split.train.size());
  if (!split.valid.empty()) {
    const std::vector<double> rows = predictions_of(result.model, data, split.valid, threads);
    const std::vector<double> targets = targets_of(data, split.valid);
    record.metric = score(metric, task, outputs, rows, targets, split.valid.size());
    record.valid = all_scores(task, outputs, rows, targets, split.valid.size());
    if (!std::isnan(*record.metric)) {
      result.model.card().training["validation"] = fmt::format("{} {:.6g}", metric_name(metric), *record.metric);
    }
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace agentnet
