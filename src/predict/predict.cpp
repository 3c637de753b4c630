#include "agentnet/predict.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "agentnet/error.h"
#include "graph/content_key.h"
#include "predict/decision_test.h"
#include "predict/draw_keys.h"
#include "predict/reading.h"
#include "predict/rollout_average.h"

namespace agentnet {
namespace {

constexpr std::size_t kChunk = 4096;  // graphs whose rollouts are in memory at a time

void require_positive(int value, const char* what) {
  if (value < 1) {
    throw Error(ErrorKind::kUsage, std::to_string(value) + " " + what + " cannot make a prediction",
                "take at least one");
  }
}

// Rollouts of a chunk of graphs, each for as long as it needs.
class Rollouts {
 public:
  Rollouts(const Model& model, Task task, std::span<const GraphView> graphs, std::span<const std::uint64_t> keys,
           const PredictOptions& options)
      : model_(model),
        options_(options),
        keys_(keys),
        average_(task, model.outputs(), graphs.size()),
        open_(graphs.size()),
        views_(graphs.begin(), graphs.end()) {
    std::iota(open_.begin(), open_.end(), std::size_t{0});
    if (options.confidence != 0) {
      tests_.assign(graphs.size(), DecisionTest(task, model.outputs(), options.confidence));
    }
  }

  void run() {
    const int most = model_.draws() ? options_.rollouts : 1;  // others would only repeat themselves
    for (int r = 0; r < most && !open_.empty(); ++r) {
      RunOptions run{.seed = options_.seed,
                     .rollout = static_cast<std::uint64_t>(r),
                     .greedy = options_.greedy,
                     .max_neighbours = options_.max_neighbours,
                     .threads = options_.threads,
                     .may_end = options_.may_end};
      for (const std::size_t g : open_) run.graph_ids.push_back(keys_[g]);
      RunWork work;
      average_.add(model_.run(views_, run, nullptr, &work), open_);
      work_ += work;
      if (!tests_.empty()) close_settled();
    }
  }

  void append_to(Predictions& all) const {
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(all.mean, average_.mean());
    append(all.walk_spread, average_.walk_spread());
    append(all.rollouts, average_.rollouts());
    for (const DecisionTest& test : tests_) all.settled.push_back(test.settled() ? 1 : 0);
    all.work += work_;
  }

 private:
  void close_settled() {
    const auto width = static_cast<std::size_t>(model_.outputs());
    std::vector<std::size_t> still;
    std::vector<GraphView> views;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      DecisionTest& test = tests_[open_[i]];
      test.add(std::span(average_.last()).subspan(i * width, width));
      if (test.settled()) continue;
      still.push_back(open_[i]);
      views.push_back(views_[i]);
    }
    open_ = std::move(still);
    views_ = std::move(views);
  }

  const Model& model_;
  const PredictOptions& options_;
  std::span<const std::uint64_t> keys_;
  RolloutAverage average_;
  std::vector<std::size_t> open_;  // graphs that need more rollouts,
  std::vector<GraphView> views_;   // and their views
  std::vector<DecisionTest> tests_;
  RunWork work_;
};

}  // namespace

std::size_t Predictions::likeliest(std::size_t graph) const {
  const auto width = static_cast<std::size_t>(outputs);
  if (width == 0 || graph >= mean.size() / width) {
    throw std::out_of_range("there is no prediction of graph " + std::to_string(graph));
  }
  const auto row = std::span(mean).subspan(graph * width, width);
  return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

std::vector<std::string> predicted_classes(const Model& model, const Predictions& predictions) {
  if (task_of(model) != Task::kClassification) {
    throw Error(ErrorKind::kUsage, "the model predicts no classes", "take Predictions::mean: probabilities or numbers");
  }
  if (predictions.outputs != model.outputs()) {
    throw Error(ErrorKind::kMismatch, "the predictions are of another model", "ask predict() with this one");
  }
  const std::vector<std::string> names = output_names(model);
  std::vector<std::string> classes;
  for (std::size_t g = 0; g < predictions.rollouts.size(); ++g) classes.push_back(names[predictions.likeliest(g)]);
  return classes;
}

std::vector<std::uint64_t> draw_keys(std::span<const GraphView> graphs, const PredictOptions& options) {
  if (options.draws == DrawKey::kContent) return content_keys(graphs);
  std::vector<std::uint64_t> keys(graphs.size());
  std::iota(keys.begin(), keys.end(), options.first_graph);
  return keys;
}

Predictions predict_with_keys(const Model& model, std::span<const GraphView> graphs,
                              std::span<const std::uint64_t> keys, const PredictOptions& options) {
  require_positive(options.rollouts, "rollouts");
  require_positive(options.threads, "threads");
  const Task task = task_of(model);
  Predictions predictions;
  predictions.outputs = model.outputs();
  for (std::size_t first = 0; first < graphs.size(); first += kChunk) {
    const auto chunk = graphs.subspan(first, std::min(kChunk, graphs.size() - first));
    Rollouts rollouts(model, task, chunk, keys.subspan(first, chunk.size()), options);
    rollouts.run();
    rollouts.append_to(predictions);
  }
  return predictions;
}

Predictions predict(const Model& model, std::span<const GraphView> graphs, const PredictOptions& options) {
  // Networks that draw nothing need no keys, and the graphs need not be read for them.
  const std::vector<std::uint64_t> keys =
      model.draws() ? draw_keys(graphs, options) : std::vector<std::uint64_t>(graphs.size(), 0);
  return predict_with_keys(model, graphs, keys, options);
}

}  // namespace agentnet
