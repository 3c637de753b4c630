// What all questions to a model have in common: options, graphs in the model's terms, keys of the draws.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agentnet/predict.h"
#include "capi/guard.h"
#include "capi/handles.h"

namespace agentnet::capi {

// What a caller asks about.
class Question {
 public:
  // `more` are the names of options that this question has beyond those of predictions. Throws Error (kUsage).
  Question(const agentnet_model* model, const agentnet_set* set, const std::uint64_t* graphs, std::uint64_t count,
           const char* options, std::vector<std::string> more, const Caller& caller);

  [[nodiscard]] const Model& model() const { return model_.model; }
  // In the model's columns and categories.
  [[nodiscard]] const Dataset& data() const { return *data_; }
  [[nodiscard]] const std::vector<std::size_t>& graphs() const { return graphs_; }
  [[nodiscard]] const std::vector<GraphView>& views() const { return views_; }
  [[nodiscard]] const PredictOptions& options() const { return options_; }
  [[nodiscard]] const Json& json() const { return json_; }
  // Of each graph, whatever stands beside it.
  [[nodiscard]] std::vector<std::uint64_t> keys() const;

 private:
  const agentnet_model& model_;
  std::shared_ptr<const Dataset> data_;
  std::vector<std::size_t> graphs_;
  std::vector<GraphView> views_;
  Json json_;
  PredictOptions options_;
};

}  // namespace agentnet::capi
