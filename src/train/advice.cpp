#include "train/advice.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "train/adamw.h"
#include "train/loss.h"

namespace agentnet {
namespace {

constexpr double kImbalanced = 0.2;  // a rarer class than this makes accuracy a poor guide

std::vector<int> category_sizes(const FeatureSchema& schema) {
  std::vector<int> sizes;
  for (const CategoryColumn& column : schema.categories) sizes.push_back(static_cast<int>(column.values.size()) + 1);
  return sizes;
}

std::string metric_for(const Dataset& data, const SetStatistics& statistics) {
  switch (data.schema.task) {
    case Task::kNone:
      return "";
    case Task::kRegression:
      return "mae";
    case Task::kMultilabel:
      return "roc-auc";
    case Task::kClassification:
      break;
  }
  if (statistics.class_counts.size() != 2) return "accuracy";
  const auto [rare, common] = std::minmax(statistics.class_counts[0], statistics.class_counts[1]);
  return static_cast<double>(rare) < kImbalanced * static_cast<double>(rare + common) ? "roc-auc" : "accuracy";
}

LossKind loss_for(Task task) {
  switch (task) {
    case Task::kClassification:
      return LossKind::kCrossEntropy;
    case Task::kMultilabel:
      return LossKind::kBinaryCrossEntropy;
    case Task::kNone:
    case Task::kRegression:
      break;
  }
  return LossKind::kAbsoluteError;
}

}  // namespace

void fit_to_schema(ModelConfig& config, const Schema& schema) {
  config.node_features = static_cast<int>(schema.nodes.dense.size());
  config.node_categories = category_sizes(schema.nodes);
  config.edge_features = static_cast<int>(schema.edges.dense.size());
  config.edge_categories = category_sizes(schema.edges);
  const std::size_t outputs =
      schema.task == Task::kClassification ? std::max<std::size_t>(2, schema.classes.size()) : schema.targets.size();
  config.outputs = std::max(1, static_cast<int>(outputs));
}

void zero_unseen_categories(const ModelConfig& config, const ParameterLayout& layout, std::span<float> parameters) {
  const auto zero_last_row = [&](const std::string& name, int rows) {
    const Parameter& tensor = layout.at(name);
    const auto width = static_cast<std::size_t>(config.hidden);
    std::fill_n(
        parameters.begin() + static_cast<std::ptrdiff_t>(tensor.offset + (static_cast<std::size_t>(rows) - 1) * width),
        width, 0.0F);
  };
  for (std::size_t j = 0; j < config.node_categories.size(); ++j) {
    zero_last_row("embed.node.table." + std::to_string(j) + ".weight", config.node_categories[j]);
  }
  for (std::size_t j = 0; j < config.edge_categories.size() && !config.edge_kernel; ++j) {
    zero_last_row("embed.edge.table." + std::to_string(j) + ".weight", config.edge_categories[j]);
  }
}

Advice advise(const Dataset& data, const SetStatistics& statistics) {
  constexpr double kMostAgents = 512;
  constexpr std::uint64_t kLarge = 10000;
  Advice advice;
  advice.metric = metric_for(data, statistics);
  fit_to_schema(advice.model, data.schema);
  const bool large = statistics.graphs >= kLarge;
  advice.model.agents = static_cast<int>(std::clamp(std::round(statistics.nodes.mean), 2.0, kMostAgents));
  advice.model.steps = statistics.nodes.mean <= 100 ? 16 : 8;
  advice.model.hidden = large ? 128 : 64;
  advice.batch = static_cast<int>(std::min<std::uint64_t>(large ? 128 : 32, statistics.graphs));
  advice.epochs = large ? 100 : 350;
  const auto batch = static_cast<std::uint64_t>(advice.batch);
  advice.steps_per_epoch = large ? (statistics.graphs + batch - 1) / batch : 50;
  return advice;
}

double measure_step_seconds(const Dataset& data, const Advice& advice, int threads) {
  constexpr int kSteps = 3;  // the first one also warms up
  ThreadPool pool(threads);
  Engine<float> engine(advice.model, pool);
  std::vector<float> parameters(engine.layout().size()), gradient(parameters.size());
  initialise<float>(engine.layout(), advice.model, 0, parameters);
  engine.set_parameters(parameters);

  // Graphs from all over the set: files are often sorted by size or class.
  const auto batch = static_cast<std::size_t>(advice.batch);
  std::vector<GraphView> graphs;
  std::vector<std::uint64_t> ids;
  std::vector<double> targets;
  for (std::size_t i = 0; i < batch; ++i) {
    const std::size_t g = i * data.graphs.size() / batch;
    graphs.push_back(data.graphs.view(g));
    ids.push_back(g);
    const auto row = data.graphs.targets(g);
    targets.insert(targets.end(), row.begin(), row.end());
  }
  for (double& target : targets) target = std::isnan(target) ? 0 : target;
  const auto loss = make_loss<float>(loss_for(data.schema.task), advice.model.outputs, targets, batch);
  double fastest = 0;
  for (int step = 0; step < kSteps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    static_cast<void>(engine.gradients({graphs, ids}, {}, loss, gradient));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fastest = step == 0 ? seconds : std::min(fastest, seconds);
    if (seconds > 5) break;
  }
  return fastest;
}

}  // namespace agentnet
