#include "capi/asking.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "agentnet/error.h"
#include "core/text.h"
#include "graph/content_key.h"
#include "predict/draw_keys.h"
#include "predict/reading.h"

namespace agentnet::capi {
namespace {

const std::vector<std::string> kOptions = {"rollouts", "confidence",     "seed",       "greedy",
                                           "draws",    "max_neighbours", "first_graph"};
constexpr int kRollouts = 8;                  // as the program
constexpr int kRolloutsForConfidence = 1000;  // at most; the same

PredictOptions options_from(const Json& json, const Caller& caller) {
  PredictOptions options;
  options.confidence = option_or(json, "confidence", 0.0);
  if (json.contains("confidence") && !(options.confidence > 0 && options.confidence < 1)) {
    throw Error(ErrorKind::kUsage, fmt::format("option 'confidence' is {}, not between 0 and 1", options.confidence),
                "0.99 is a good choice");
  }
  options.rollouts = option_or(json, "rollouts", options.confidence > 0 ? kRolloutsForConfidence : kRollouts);
  options.seed = option_or(json, "seed", std::uint64_t{0});
  options.greedy = option_or(json, "greedy", false);
  options.max_neighbours = option_or(json, "max_neighbours", -1);
  options.first_graph = option_or(json, "first_graph", std::uint64_t{0});
  const auto draws = option_or(json, "draws", std::string("content"));
  if (draws != "content" && draws != "row") {
    throw Error(ErrorKind::kUsage, fmt::format("option 'draws' is {}", in_quotes(draws)), "it is content or row");
  }
  options.draws = draws == "row" ? DrawKey::kRow : DrawKey::kContent;
  options.threads = caller.threads();
  options.may_end = caller.may_end();
  return options;
}

// The set as it is, if the model knows it so; else a copy of what changes.
std::shared_ptr<const Dataset> fitted(const std::shared_ptr<const Dataset>& data, const Model& model) {
  if (model.card().schema.empty()) return data;  // run() checks the widths
  const Schema schema = schema_of(model);
  if (data->schema.nodes == schema.nodes && data->schema.edges == schema.edges) return data;
  Dataset own = borrowed_from(data);
  static_cast<void>(fit_to_schema(own, schema));
  return std::make_shared<const Dataset>(std::move(own));
}

}  // namespace

Question::Question(const agentnet_model* model, const agentnet_set* set, const std::uint64_t* graphs,
                   std::uint64_t count, const char* options, std::vector<std::string> more, const Caller& caller)
    : model_(required(model, "model")), json_(options_object(options, "options")) {
  const agentnet_set& own = required(set, "set");
  more.insert(more.end(), kOptions.begin(), kOptions.end());
  check_names(json_, more, "options");
  try {
    options_ = options_from(json_, caller);
  } catch (const Error& e) {
    throw Error(ErrorKind::kUsage, e.what(), e.kind() == ErrorKind::kUsage ? e.hint() : "give a value of its type");
  }
  graphs_ = graph_numbers(graphs, count, own.data->graphs.size());
  data_ = fitted(own.data, model_.model);
  views_.reserve(graphs_.size());
  for (const std::size_t g : graphs_) views_.push_back(data_->graphs.view(g));
}

std::vector<std::uint64_t> Question::keys() const {
  if (options_.draws == DrawKey::kContent) return content_keys(views_);
  std::vector<std::uint64_t> keys;
  keys.reserve(graphs_.size());
  for (const std::size_t g : graphs_) keys.push_back(options_.first_graph + g);
  return keys;
}

}  // namespace agentnet::capi
