#include "run/rivals.h"

#include <algorithm>

#include "agentnet/predict.h"
#include "classic/learners/linear_learner.h"
#include "classic/learners/trees.h"
#include "nets/kinds.h"
#include "train/fitting.h"
#include "train/trainer.h"

namespace agentnet {

std::vector<std::string> quick_rivals(const Dataset& data, std::string_view kind) {
  constexpr std::size_t kMostGraphs = 50'000;
  constexpr std::uint64_t kMostEntries = 20'000'000;
  constexpr std::size_t kMostScores = 12;
  const bool classes = data.schema.task == Task::kClassification;
  const std::size_t scores = classes ? data.schema.classes.size() : data.schema.targets.size();
  if (data.graphs.size() > kMostGraphs || scores > kMostScores) return {};
  std::uint64_t entries = 0;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView view = data.graphs.view(g);
    entries += view.num_nodes + view.num_edges();
    if (entries > kMostEntries || view.wide_neighbours != nullptr) return {};
  }
  std::vector<std::string> names;
  if (has_liblinear()) names.emplace_back("wl");
  if (has_xgboost()) names.emplace_back("forest");
  std::erase(names, kind);
  return names;
}

Rival fit_rival(const std::string& kind, const Dataset& data, const Split& split, std::span<const std::size_t> graphs,
                const TrainConfig& config, int threads, const std::function<bool()>& should_stop) {
  Split part;
  part.train = split.train;
  TrainConfig plain;  // the other options are for networks, and might contradict each other here
  plain.metric = config.metric;
  plain.class_weights = config.class_weights;
  plain.seed = config.seed;
  const FittedModel fitted = fit_model(data, part, builtin_kinds().at(kind),
                                       {.kind = kind, .options = "{}", .shape = {}}, plain, threads, should_stop);
  std::vector<GraphView> views;
  for (const std::size_t g : graphs) views.push_back(data.graphs.view(g));
  PredictOptions options;
  options.threads = threads;
  const Predictions predictions = predict(fitted.model, views, options);
  return {kind,
          all_scores(data.schema.task, predictions.outputs, predictions.mean, targets_of(data, graphs), graphs.size()),
          fitted.record.seconds};
}

FoldStatistics cross_validate_rival(const std::string& kind, const Dataset& data, const Settings& settings,
                                    Protocol protocol, const CvOptions& options, std::span<const FoldResult> over,
                                    int threads, const std::function<bool()>& should_stop) {
  const ProtocolFolds folds = protocol_folds(data, protocol, options, settings.split_seed);
  std::vector<double> values;
  for (const FoldResult& fold : over) {
    const Split& split = folds.splits.at(fold.fold);
    TrainConfig config = settings.train;
    config.seed += fold.fold;
    const Rival rival = fit_rival(kind, data, split, protocol == Protocol::kFair ? split.test : split.valid, config,
                                  threads, should_stop);
    values.push_back(score_named(rival.scores, metric_name(metric_of(config.metric, data.schema.task))));
  }
  return fold_statistics(values);
}

}  // namespace agentnet
