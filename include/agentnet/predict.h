// What a model says of graphs: probabilities or numbers, averaged over rollouts, and how much rollouts differ.
//
//   Model model = Model::load("model.safetensors");
//   Dataset data = read_for_model(model, "new.csv", {});   // the columns and categories that the model knows
//   Predictions p = predict(model, data.graphs.views(), {.rollouts = 8});
//   std::string first = predicted_classes(model, p)[0];
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/model.h"

namespace agentnet {

// What the random draws of a graph are keyed by, beside the seed.
enum class DrawKey {
  kContent,  // its structure and features: the same graph gets the same answer wherever it stands
  kRow       // its number: copies of a graph are walked differently
};

struct PredictOptions {
  int rollouts = 1;       // of each graph; with a confidence: at most so many
  double confidence = 0;  // rollouts go on until the decision is settled with this probability (docs/predict.md); 0: no
  std::uint64_t seed = 0;
  bool greedy = false;  // every agent takes its likeliest move; where it starts is still drawn in each rollout
  int threads = 1;
  int max_neighbours = -1;  // as in RunOptions
  DrawKey draws = DrawKey::kContent;
  std::uint64_t first_graph = 0;       // with DrawKey::kRow: the number of the first graph
  std::function<void()> may_end = {};  // as in RunOptions
};

struct Predictions {
  int outputs = 0;
  // [graphs, outputs] row by row: probabilities of classes or of yes, or numbers in the units of the training data.
  std::vector<double> mean;
  // How much single rollouts differ: their standard deviation (n - 1); zero for one rollout. It is no measure of how
  // far the mean is from the truth.
  std::vector<double> walk_spread;
  std::vector<int> rollouts;  // [graphs] how many were run
  std::vector<char> settled;  // [graphs] whether the decision was settled; empty without a confidence
  RunWork work;

  // Of classes: the one with the largest mean, the first of equals; output_names() knows what it is called. Throws
  // std::out_of_range for a graph that is not among them.
  [[nodiscard]] std::size_t likeliest(std::size_t graph) const;
};

// The same bytes for any number of threads, and for a graph whatever else is predicted (with DrawKey::kRow: given its
// number).
[[nodiscard]] Predictions predict(const Model& model, std::span<const GraphView> graphs, const PredictOptions& options);

// What each output of a model stands for: the spellings of its classes, or the names of its targets; "output0", ... as
// far as its file does not say.
[[nodiscard]] std::vector<std::string> output_names(const Model& model);

// The names of the predicted classes, one per graph. Throws Error: kUsage if the model predicts no classes, kMismatch
// if the predictions have other outputs than the model.
[[nodiscard]] std::vector<std::string> predicted_classes(const Model& model, const Predictions& predictions);

// What data of this schema decides of a network. A categorical column gets one category more than it has values: the
// last stands for values that were never seen.
[[nodiscard]] DataShape shape_of(const Schema& schema);

// The schema of the data that the model was trained on. Throws Error (kMismatch) if the model file does not say.
[[nodiscard]] Schema schema_of(const Model& model);

// The options to read new data with, as the training data was read; what `options` names itself stays.
[[nodiscard]] DataOptions reading_options(const Model& model, const DataOptions& options);

// Renumbers categories and classes to the model's. Throws Error (kMismatch) naming the column that is missing, too
// much or of another kind. Targets are not needed; a class that the model does not know is a mismatch only if
// `with_targets`. Where not one name agrees, as in another format, columns are taken by their places: the result says
// which (by_place).
UnseenValues fit_to_model(Dataset& data, const Model& model, bool with_targets = false);

// read_data() with reading_options(), then fit_to_model().
[[nodiscard]] Dataset read_for_model(const Model& model, const std::string& source, const DataOptions& options,
                                     UnseenValues* unseen = nullptr);

}  // namespace agentnet
