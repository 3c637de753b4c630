// What a model says of graphs: predictions, embeddings, walks.
#include <fmt/core.h>

#include <algorithm>

#include "agentnet/config.h"
#include "agentnet/error.h"
#include "capi/asking.h"
#include "nets/model_inside.h"
#include "predict/draw_keys.h"

namespace agentnet::capi {
namespace {

// An AgentNet that answers with what its last layer reads: that layer is replaced by one that changes nothing. Outputs
// are means over visits, and so are these.
Model without_last_layer(const Model& model) {
  if (model.config().kind != "agentnet") {
    throw Error(ErrorKind::kUsage, fmt::format("the model is {}, which has no embeddings", model.description()),
                "only an AgentNet has");
  }
  AgentNetConfig config = agentnet_config(model.config());
  const std::string last = config.head_mlp ? "head.1" : "head.0";
  config.outputs = (config.head_mlp ? 2 : 4) * config.hidden;
  Model bare(config, 0);
  std::vector<float> values(bare.parameters().size());
  const std::span<const float> old = model.parameters();
  const std::vector<ParameterInfo> from = model.parameter_infos(), to = bare.parameter_infos();
  const auto size_of = [](const ParameterInfo& p) {
    std::size_t size = 1;
    for (const std::int64_t n : p.shape) size *= static_cast<std::size_t>(n);
    return size;
  };
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i].name == last + ".weight") {
      const auto width = static_cast<std::size_t>(config.outputs);
      for (std::size_t j = 0; j < width; ++j) values[to[i].offset + j * width + j] = 1;
    } else if (to[i].name != last + ".bias") {
      std::copy_n(old.data() + from[i].offset, size_of(to[i]), values.data() + to[i].offset);
    }
  }
  bare.set_parameters(values);
  return bare;
}

constexpr std::size_t kAtOnce = 4096;  // graphs

// [graphs, width] mean over rollouts, the same whatever else is asked about.
std::vector<float> embeddings(const Model& bare, const Question& question) {
  const PredictOptions& options = question.options();
  const std::vector<std::uint64_t> keys = question.keys();
  const auto width = static_cast<std::size_t>(bare.outputs());
  std::vector<float> rows(question.views().size() * width);
  for (std::size_t first = 0; first < question.views().size(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, question.views().size() - first);
    std::vector<double> sum(count * width);
    for (int r = 0; r < options.rollouts; ++r) {
      RunOptions run{.seed = options.seed,
                     .rollout = static_cast<std::uint64_t>(r),
                     .greedy = options.greedy,
                     .max_neighbours = options.max_neighbours,
                     .threads = options.threads,
                     .may_end = options.may_end};
      run.graph_ids.assign(keys.begin() + static_cast<std::ptrdiff_t>(first),
                           keys.begin() + static_cast<std::ptrdiff_t>(first + count));
      const std::vector<float> raw = bare.run(std::span(question.views()).subspan(first, count), run);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += raw[i];
    }
    for (std::size_t i = 0; i < sum.size(); ++i) {
      rows[first * width + i] = static_cast<float>(sum[i] / options.rollouts);
    }
  }
  return rows;
}

// Nothing but rollouts is settled here.
void refuse_confidence(const Question& question) {
  if (question.options().confidence == 0) return;
  throw Error(ErrorKind::kUsage, "a confidence is about a decision, and none is made here",
              "give a number of rollouts");
}

void check_rollouts(const Question& question) {
  if (question.options().rollouts > 0) return;
  throw Error(ErrorKind::kUsage, fmt::format("{} rollouts", question.options().rollouts), "take at least one");
}

}  // namespace
}  // namespace agentnet::capi

using namespace agentnet;        // NOLINT: these functions stand outside of namespaces
using namespace agentnet::capi;  // NOLINT

int agentnet_predict(const agentnet_model* model, const agentnet_set* set, const uint64_t* graphs, uint64_t count,
                     const char* options, const agentnet_control* control, double* mean, double* walk_spread,
                     int32_t* rollouts, uint8_t* settled, agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    double& out = required(mean, "mean");
    const Question question(model, set, graphs, count, options, {}, caller);
    const Predictions p =
        question.options().draws == DrawKey::kContent
            ? predict(question.model(), question.views(), question.options())
            : predict_with_keys(question.model(), question.views(), question.keys(), question.options());
    std::copy(p.mean.begin(), p.mean.end(), &out);
    if (walk_spread != nullptr) std::copy(p.walk_spread.begin(), p.walk_spread.end(), walk_spread);
    if (rollouts != nullptr) std::copy(p.rollouts.begin(), p.rollouts.end(), rollouts);
    if (settled == nullptr) return;
    for (std::size_t i = 0; i < question.views().size(); ++i) {
      settled[i] = !p.settled.empty() && p.settled[i] != 0 ? 1 : 0;
    }
  });
}

int agentnet_embed(const agentnet_model* model, const agentnet_set* set, const uint64_t* graphs, uint64_t count,
                   const char* options, const agentnet_control* control, float** rows, int32_t* width,
                   agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    auto& out = required(rows, "rows");
    auto& columns = required(width, "width");
    const Question question(model, set, graphs, count, options, {}, caller);
    refuse_confidence(question);
    check_rollouts(question);
    const Model bare = without_last_layer(question.model());
    const std::vector<float> values = embeddings(bare, question);
    out = new_numbers(std::span<const float>(values));
    columns = bare.outputs();
  });
}

int agentnet_walks(const agentnet_model* model, const agentnet_set* set, const uint64_t* graphs, uint64_t count,
                   const char* options, const agentnet_control* control, uint64_t** positions, uint64_t* visits,
                   uint64_t* agents, agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    auto& out = required(positions, "positions");
    auto& steps = required(visits, "visits");
    auto& crowd = required(agents, "agents");
    const Question question(model, set, graphs, count, options, {"rollout"}, caller);
    const PredictOptions& asked = question.options();
    RunOptions run{.seed = asked.seed,
                   .rollout = option_or(question.json(), "rollout", std::uint64_t{0}),
                   .greedy = asked.greedy,
                   .max_neighbours = asked.max_neighbours,
                   .threads = asked.threads,
                   .graph_ids = question.keys(),
                   .may_end = asked.may_end};
    Walks walks;
    static_cast<void>(question.model().run(question.views(), run, &walks));
    std::vector<std::uint64_t> all;
    const std::size_t wide = question.views().size() * static_cast<std::size_t>(walks.agents);
    all.reserve(walks.positions.size() * wide);
    for (const std::vector<std::uint64_t>& visit : walks.positions) {
      if (visit.size() != wide) {
        throw Error(ErrorKind::kUsage, "agents of this model are not as many on every graph",
                    "ask about one graph at a time; start = every-node puts some on each node");
      }
      all.insert(all.end(), visit.begin(), visit.end());
    }
    out = new_numbers(std::span<const std::uint64_t>(all));
    steps = walks.positions.size();
    crowd = static_cast<std::uint64_t>(walks.agents);
  });
}
