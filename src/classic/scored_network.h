// A classical model as a Network. It makes S scores of a graph, one per question, which become outputs like this:
//
//   z[s] = scale[s] * score[s] + shift[s]
//   classes, C = 2   S = 1   outputs (0, z)             so that softmax gives 1 / (1 + e^-z)
//   classes, C > 2   S = C   outputs ln(1 / (1 + e^-z)) so that softmax gives each class its share of the sigmoids
//   questions        S = C   outputs z
//   numbers          S = C   outputs z
//
// What the fit decides (sizes of tensors, chosen options) stands in the member "fitted" of the config's options, which
// no user sets. A config without it is that of a model that is yet to be fitted: it has no parameters, and refuses to
// run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/data.h"
#include "core/json.h"
#include "nn/kind.h"
#include "nn/kind_options.h"
#include "nn/network.h"
#include "nn/shape_table.h"

namespace agentnet {

// The number of scores for so many outputs.
[[nodiscard]] std::size_t num_scores(Task task, std::size_t outputs);
// z [S] to raw outputs [C].
void scores_to_outputs(Task task, std::span<const double> z, std::span<float> outputs);
// z [S] to what metrics are computed of [C]: probabilities or numbers.
void scores_to_predictions(Task task, std::span<const double> z, std::span<double> predictions);

// Scores of graphs, from weights that were checked. Immutable: any number of threads may use one.
class GraphScorer {
 public:
  virtual ~GraphScorer() = default;
  virtual void scores(const GraphView& graph, std::span<double> scores) const = 0;
};

class ScoredNetwork : public Network<float> {
 public:
  void initialise(std::uint64_t /*seed*/, std::span<float> parameters) const override;
  [[nodiscard]] bool draws() const override { return false; }
  void scale_outputs(std::span<float> parameters, std::span<const double> scale,
                     std::span<const double> shift) const override;
  [[nodiscard]] std::unique_ptr<Prepared<float>> make_prepared() const override;
  [[nodiscard]] std::unique_ptr<Runner<float>> make_runner(ThreadPool& pool) const override;

  [[nodiscard]] bool fitted() const { return !fitted_.is_null(); }
  [[nodiscard]] Task task() const { return task_; }
  [[nodiscard]] std::size_t scores() const { return num_scores(task_, outputs()); }
  // Throws Error (kData) where the weights contradict themselves: a model file may say anything.
  [[nodiscard]] virtual std::unique_ptr<GraphScorer> make_scorer(std::span<const float> parameters,
                                                                 std::span<const float> buffers) const = 0;

 protected:
  // Adds output.scale and output.shift [S], if the config is that of a fitted model.
  explicit ScoredNetwork(NetworkConfig config);

  Json fitted_;  // the member of the options; null if there is none

 private:
  Task task_ = Task::kNone;
};

// Tensors of a layout by their names, in arrays that are as long as the layout.
[[nodiscard]] std::span<const float> tensor_of(const ParameterLayout& layout, std::span<const float> values,
                                               const char* name);
[[nodiscard]] std::span<float> tensor_of(const ParameterLayout& layout, std::span<float> values, const char* name);

// A kind out of a class with Options, kVisit, kName, kSummary, kFitter and Made(const Options&, NetworkConfig); as
// taped_kind() of src/nets/taped.
template <class Kind>
std::string complete_classic(const std::string& json) {
  Json options = parse_json(json, "model options", ErrorKind::kUsage, {.depth = 8, .bytes = std::size_t{1} << 20});
  Json fitted;
  if (options.is_object() && options.contains("fitted")) {
    fitted = options["fitted"];
    options.erase("fitted");
  }
  Json whole = parse_json(complete_options<Kind>(options.dump()), "model options");
  if (!fitted.is_null()) whole["fitted"] = std::move(fitted);
  return whole.dump();
}

template <class Kind>
std::shared_ptr<const Network<float>> make_classic(const NetworkConfig& config) {
  check_ranges(config.shape, kVisitShape, "model option");
  check_category_columns(config.shape);
  NetworkConfig whole{std::string(Kind::kName), complete_classic<Kind>(config.options), config.shape};
  Json options = parse_json(whole.options, "model options");
  options.erase("fitted");
  return std::make_shared<const typename Kind::Made>(read_options<Kind>(options.dump()), std::move(whole));
}

// Throws Error (kUsage): classical models are there in one precision.
[[nodiscard]] std::shared_ptr<const Network<double>> no_double(const NetworkConfig& config);
[[nodiscard]] std::vector<OptionChoice> no_advice(const SetSize& set);

template <class Kind>
constexpr NetworkKind classic_kind() {
  return {.name = Kind::kName,
          .summary = Kind::kSummary,
          .options = list_options<Kind>,
          .complete = complete_classic<Kind>,
          .advise = no_advice,
          .make_float = make_classic<Kind>,
          .make_double = no_double,
          .fitter = &Kind::kFitter};
}

// The config of a model that was fitted: `config` with the member "fitted", the task among it.
template <class Kind>
NetworkConfig fitted_config(const NetworkConfig& config, Task task, Json fitted) {
  Json options = parse_json(complete_classic<Kind>(config.options), "model options");
  fitted["task"] = task_name(task);
  options["fitted"] = std::move(fitted);
  return {std::string(Kind::kName), options.dump(), config.shape};
}

}  // namespace agentnet
