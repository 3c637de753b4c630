#include "agentnet/predict.h"

#include <algorithm>
#include <numeric>

#include "agentnet/error.h"
#include "infer/reading.h"
#include "infer/rollout_average.h"

namespace agentnet {
namespace {

constexpr std::size_t kChunk = 4096;  // graphs whose rollouts are in memory at a time

void require_positive(int value, const char* what) {
  if (value < 1) {
    throw Error(ErrorKind::kUsage, std::to_string(value) + " " + what + " cannot make a prediction",
                "take at least one");
  }
}

RolloutAverage average_of(const Model& model, Task task, std::span<const GraphView> graphs, std::uint64_t first,
                          const PredictOptions& options) {
  RunOptions run;
  run.seed = options.seed;
  run.greedy = options.greedy;
  run.threads = options.threads;
  run.graph_ids.resize(graphs.size());
  std::iota(run.graph_ids.begin(), run.graph_ids.end(), first);
  RolloutAverage average(task, model.config().outputs, graphs.size());
  for (int r = 0; r < options.rollouts; ++r) {
    run.rollout = static_cast<std::uint64_t>(r);
    average.add(model.run(graphs, run));
  }
  return average;
}

}  // namespace

Predictions predict(const Model& model, std::span<const GraphView> graphs, const PredictOptions& options) {
  require_positive(options.rollouts, "rollouts");
  require_positive(options.threads, "threads");
  const Task task = task_of(model);
  Predictions predictions;
  predictions.outputs = model.config().outputs;
  for (std::size_t first = 0; first < graphs.size(); first += kChunk) {
    const auto chunk = graphs.subspan(first, std::min(kChunk, graphs.size() - first));
    const RolloutAverage average = average_of(model, task, chunk, options.first_graph + first, options);
    const std::vector<double> deviation = average.deviation();
    predictions.mean.insert(predictions.mean.end(), average.mean().begin(), average.mean().end());
    predictions.deviation.insert(predictions.deviation.end(), deviation.begin(), deviation.end());
  }
  return predictions;
}

}  // namespace agentnet
